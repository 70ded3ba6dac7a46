/**
 * ESC/POS, the command language of receipt printers: the options of a recipe row, and single commands. The encoder of
 * jobs is escpos-encoder.ts, the filter of raw streams escpos-stream.ts.
 */
import type { Make } from './code-pages.ts';
import { defineCodec } from './codec.ts';
import { languageOf } from './ieee1284.ts';
import type { TwoByteFont } from './two-byte.ts';

/* @__NO_SIDE_EFFECTS__ */
const flag = (description: string) => ({ type: 'boolean', description }) as const;

/** The options of one printer, with what a recipe leaves out filled in. */
export interface EscposOptions {
  readonly columns: number;
  readonly dots: number;
  readonly codePages: Make;
  readonly twoByte: TwoByteFont;
  readonly maxSize: number;
  readonly cutter: boolean;
  readonly printArea: boolean;
  readonly symbols: boolean;
  readonly textOnly: boolean;
  readonly rasterRows: number;
  readonly realtimePulseDisable: boolean;
  readonly endOfPrint: boolean;
  readonly setupMode: boolean;
  readonly softReset: boolean;
  readonly vendorClass: boolean;
  readonly unidirectional: boolean;
  readonly delayClose: boolean;
  readonly pulseOnBel: boolean;
  readonly statusBlockedWhilePending: boolean;
  readonly backgroundStatusNoise: boolean;
}

/** An 80 mm printer with a cutter: the options that decide what comes out of it. */
const DECISIVE = {
  columns: 48,
  dots: 576,
  codePages: 'epson',
  twoByte: 'none',
  maxSize: 8,
  cutter: true,
  printArea: false,
  symbols: true,
  textOnly: false,
  unidirectional: false,
  pulseOnBel: false,
} as const satisfies Partial<EscposOptions>;
/** The others: it has no optional command. */
const DEFAULTS: Omit<EscposOptions, keyof typeof DECISIVE> = {
  rasterRows: 128,
  realtimePulseDisable: false,
  endOfPrint: false,
  setupMode: false,
  softReset: false,
  vendorClass: false,
  delayClose: false,
  statusBlockedWhilePending: false,
  backgroundStatusNoise: false,
};

/** Codec `escpos` and its recipe options; `EscposOptions` has their meanings. */
export const escpos = /* @__PURE__ */ defineCodec({
  name: 'escpos',
  kind: 'printer',
  // MFG and MDL of the device id (IEEE 1284).
  says: ['mfg', 'mdl'],
  language: { name: 'ESC/POS', of: languageOf },
  options: {
    columns: { type: 'integer', description: 'characters of Font A in a line', minimum: 16, maximum: 96 },
    dots: { type: 'integer', description: 'dots in a line', minimum: 128, maximum: 2040 },
    codePages: {
      type: 'string',
      description: 'whose numbers ESC t takes',
      enum: ['epson', 'epson-legacy', 'bixolon', 'citizen', 'xprinter', 'pos-5890', 'pos-8360', 'mpt'],
    },
    twoByte: {
      type: 'string',
      description: 'its font of two bytes a character, beside the code pages',
      enum: ['none', 'gb18030', 'shift_jis', 'big5', 'ks'],
    },
    maxSize: { type: 'integer', description: 'largest multiple of the character size', minimum: 1, maximum: 8 },
    cutter: flag('has a cutter'),
    printArea: flag('has GS L and GS W: a print area that is narrower than its line'),
    symbols: flag('has GS ( k: draws QR Code and PDF417 itself'),
    textOnly: flag('prints text alone: no GS v 0, GS k, GS !, GS B and ESC $, as TM-U220'),
    rasterRows: { type: 'integer', description: 'rows of a raster strip', minimum: 8, maximum: 2304 },
    realtimePulseDisable: flag('has GS ( D: the real-time drawer pulse can be switched off'),
    endOfPrint: flag('has GS ( H function 48: answers when everything before is printed'),
    setupMode: flag('has GS ( E functions 1 and 2: a setup mode, in which it prints nothing'),
    softReset: flag('takes SOFT_RESET of the USB printer class'),
    vendorClass: flag('its interface is of the vendor class'),
    unidirectional: flag('never answers'),
    delayClose: flag('loses data when the interface is closed right after a job'),
    pulseOnBel: flag('kicks the drawer on BEL'),
    statusBlockedWhilePending: flag('answers a status request only when no command is under way'),
    backgroundStatusNoise: flag('sends status bytes that nobody asked for'),
  },
  decisive: DECISIVE,
});

/** Fills in the defaults. `options`: those of a recipe row that was validated against the declaration above. */
export const resolveOptions = (options: Readonly<Record<string, unknown>> = {}): EscposOptions => ({
  ...DECISIVE,
  ...DEFAULTS,
  ...(options as Partial<EscposOptions>),
});

/**
 * ESC p (Epson TM-T88III manual): opens the drawer on this pin of the connector. Times in milliseconds are sent in units of
 * 2 ms, 2 to 510; the off time is raised to the on time where it is shorter.
 */
export function drawerPulse(pin: 2 | 5, onMs: number, offMs: number): Uint8Array {
  const units = (ms: number) => Math.min(255, Math.max(1, Math.round(ms / 2)));
  const on = units(onMs);
  return Uint8Array.of(0x1b, 0x70, pin === 2 ? 0 : 1, on, Math.max(on, units(offMs)));
}

/** GS ( D (Epson TM-T90, Citizen CT-S300 manuals): the printer ignores DLE DC4 1, the real-time drawer pulse, from now on. */
export const REALTIME_PULSE_DISABLE: Uint8Array = Uint8Array.of(0x1d, 0x28, 0x44, 3, 0, 0x14, 1, 0);

/** True where a GS ( D payload (`length` bytes at `from`) only disables: the byte 20, then pairs of a function and 0. */
export function disablesRealtime(b: Uint8Array, from: number, length: number): boolean {
  if (length > 255 || length % 2 === 0 || b[from] !== 20) return false;
  for (let i = from + 2; i < from + length; i += 2) if (b[i] !== 0x00 && b[i] !== 0x30) return false;
  return true;
}

/** ESC = 1: selects the printer, which obeys what follows; a customer display on the same line ignores it. */
export const SELECT_PRINTER: Uint8Array = /* @__PURE__ */ Uint8Array.of(0x1b, 0x3d, 1);

/** ESC = 1 and ESC @: selects and resets the printer after a job that was interrupted. */
export const RECOVERY: Uint8Array = /* @__PURE__ */ Uint8Array.of(0x1b, 0x3d, 1, 0x1b, 0x40);

/**
 * GS ( E function 2 (Epson TM-T88III manual, "customize commands"; TM-U220A specification): leaves the setup mode, with a
 * reset. A printer that is not in it ignores this.
 */
export const LEAVE_SETUP: Uint8Array = /* @__PURE__ */ Uint8Array.of(0x1d, 0x28, 0x45, 4, 0, 2, 0x4f, 0x55, 0x54);

/** DLE EOT 1 to 4: printer, off-line cause, error cause, roll paper. */
export const STATUS_POLL: Uint8Array = /* @__PURE__ */ Uint8Array.of(0x10, 4, 1, 0x10, 4, 2, 0x10, 4, 3, 0x10, 4, 4);

/**
 * GS ( H function 48 (end-of-print echo): the printer answers with the same `id` once everything before it is printed.
 * `id`: four printable ASCII characters, else RangeError.
 */
export function endOfPrintRequest(id: string): Uint8Array {
  if (!/^[ -~]{4}$/.test(id)) throw new RangeError('a process id is four printable characters');
  return Uint8Array.of(0x1d, 0x28, 0x48, 6, 0, 0x30, 0x30, ...Array.from(id, (char) => char.charCodeAt(0)));
}

/** The id of an answer to `endOfPrintRequest` (37 22 d1 d2 d3 d4 00); undefined for anything else. */
export function endOfPrintId(answer: Uint8Array): string | undefined {
  if (answer.length !== 7 || answer[0] !== 0x37 || answer[1] !== 0x22 || answer[6] !== 0) return undefined;
  return String.fromCharCode(...answer.subarray(2, 6));
}
