import { defined } from '../../../runtime/base/defined.ts';
import type { UsbSetup } from '../../../runtime/bindings/usb.ts';
import {
  type VirtualDescription,
  VirtualDevice,
  type VirtualStrings,
} from '../../../runtime/bindings/virtual/device.ts';
import type {
  AskedSymbol,
  DrawnText,
  PaperFacts,
  PrinterBench,
  PrinterModel,
  SymbolModules,
} from '../contract/twin.ts';
import { Interpreter } from './interpreter.ts';
import { MAX_SYMBOLS, symbolKey } from './paper/asked-symbols.ts';
import { DrawnTexts } from './paper/drawn-texts.ts';
import { type PaperModel, paperModelOf } from './paper/model.ts';
import type { Paper } from './paper/paper.ts';
import { paperSvg } from './paper/svg.ts';
import { paperText } from './paper/text.ts';
import { type RealtimeCommand, RealtimeScanner } from './realtime.ts';
import {
  automaticStatus,
  automaticStatusCause,
  isOnline,
  type PrinterCondition,
  portStatus,
  queuedStatus,
  realtimeStatus,
} from './status.ts';
import { Tape } from './tape.ts';

export interface VirtualPrinterOptions {
  readonly vendorId?: number;
  readonly productId?: number;
  readonly make?: string;
  readonly model?: string;
  readonly serial?: string;
  /** IEEE 1284 device id; empty for a printer that has none. Left out, it says ESC/POS under its make and model. */
  readonly deviceId?: string;
  /** What it is by its recipe. Default: 80 mm, 576 dots, Epson's code pages. */
  readonly printerModel?: PrinterModel;
  /** A printer without a back-channel: bulk OUT alone, protocol 1. */
  readonly writeOnly?: boolean;
  /** Obeys real-time commands inside image and symbol data too, as Epson printers do. Default true. */
  readonly realtimeInPayload?: boolean;
  /** Pulling its USB plug takes nothing from it: its power comes by another cable. */
  readonly keepsPower?: boolean;
}

export type VirtualPrinterState = PrinterCondition & {
  /** The back-channel says nothing. */
  silent: boolean;
  /** Bytes a second it takes; 0 is full speed. */
  slow: number;
  /** Takes no byte and answers no request. */
  nak: boolean;
};

/** One pulse on the drawer connector (pins of the RJ12 jack). */
export interface DrawerPulse {
  readonly pin: 2 | 5;
  readonly onMs: number;
  readonly offMs: number;
  /** By DLE DC4, not by ESC p. */
  readonly realtime: boolean;
}

const OUT = 0x01;
const IN = 0x82;
/** Milliseconds for which it reads nothing when it starts again, behind its setup mode. */
const START_MS = 900;
const RECEIVE_BUFFER = 65_536;
const MAX_PULSES = 256;
const CLASS_IN = 0xa1;
/** Interface is the recipient as of class specification 1.1; 1.0 said "other", and hosts send both. */
const CLASS_OUT = new Set([0x21, 0x23]);
const TM_T20III: PrinterModel = {
  ...{ dots: 576, columns: 48, codePages: 'epson', twoByte: 'none', cutter: true, maxSize: 8 },
  ...{ endOfPrint: true, realtimePulseDisable: true },
};
const deviceIdOf = ({ make, model }: VirtualStrings): string =>
  `MFG:${make};CMD:ESC/POS;MDL:${model};CLS:PRINTER;DES:${make} ${model};`;

/**
 * A USB receipt printer with a drawer. It prints at once what it takes while it is on-line; off-line (cover open, no
 * paper) it fills its receive buffer and then takes no more, but goes on obeying real-time commands.
 */
export class VirtualPrinter extends VirtualDevice implements PrinterBench {
  readonly #options: VirtualPrinterOptions;
  readonly #scanner = new RealtimeScanner();
  /** Knows at reception whether a byte is payload; only for printers to which that matters. */
  readonly #reception: Interpreter | undefined;
  readonly #interpreter: Interpreter;
  readonly #tape: Tape;
  readonly #drawn = new DrawnTexts();
  /** The last ones that were drawn for its paper. */
  readonly #symbols = new Map<string, SymbolModules>();
  #undrawn: readonly AskedSymbol[] = [];
  /** What was asked for since the paper changed. */
  readonly #papers = new Map<string, Uint8Array>();
  #model: PrinterModel;
  #paperModel: PaperModel;
  #deviceId: string | undefined;
  #state: VirtualPrinterState = { cover: 'closed', paper: 'ok', drawer: 'closed', silent: false, slow: 0, nak: false };
  #pulses: DrawerPulse[] = [];
  #automaticStatus = 0;

  /** What it gets before is lost: it starts again. In ms of `performance.now()`. */
  #readsAgainAt = 0;

  constructor(options: VirtualPrinterOptions = {}) {
    const { vendorId = 0x04b8, productId = 0x0e28, make = 'EPSON', model = 'TM-T20III', serial, writeOnly } = options;
    const bulk = (address: number) => ({ address, type: 'bulk', maxPacketSize: 64 }) as const;
    const pipes = writeOnly ? [bulk(OUT)] : [bulk(OUT), bulk(IN)];
    super({
      ...{ vendorId, productId, make, model, ...defined({ serial }) },
      interfaces: [{ class: 7, subclass: 1, protocol: writeOnly ? 1 : 2, pipes }],
    });
    this.#options = options;
    this.#deviceId = options.deviceId;
    this.#model = { ...TM_T20III, ...options.printerModel };
    this.#paperModel = paperModelOf(this.#model, this.#modelName);
    this.#reception = options.realtimeInPayload === false ? new Interpreter({}, this.#paperModel) : undefined;
    this.#interpreter = new Interpreter({
      effects: {
        pulse: (pin, onMs, offMs) => this.#pulse({ pin, onMs, offMs, realtime: false }),
        automaticStatus: (mask) => this.#enableAutomaticStatus(mask),
        queuedStatus: (n) => this.#answer(queuedStatus(n, this.#state)),
        printerId: (n) => this.#answerId(n),
        printed: (id) => this.#answer(0x37, 0x22, ...id, 0),
        answer: (...bytes) => this.#answer(...bytes),
        setupEntered: () => this.#answer(0x37, 0x20, 0),
        setupLeft: () => {
          this.#automaticStatus = 0;
          this.#readsAgainAt = performance.now() + START_MS;
        },
      },
    });
    this.#interpreter.model = this.#paperModel;
    this.#tape = new Tape(this.#interpreter);
  }

  get state(): Readonly<VirtualPrinterState> {
    return { ...this.#state };
  }

  set(changes: Partial<VirtualPrinterState>): void {
    const before = this.#state;
    this.#state = { ...before, ...changes };
    this.misbehave({ nak: this.#state.nak, bytesPerSecond: this.#state.slow });
    if (automaticStatusCause(before, this.#state) & this.#automaticStatus)
      this.#answer(...automaticStatus(this.#state));
    this.#print();
    this.ready(OUT);
  }

  /** In setup mode (GS ( E): nothing is printed until it is left, or the power goes. */
  get inSetup(): boolean {
    return this.#interpreter.inSetup;
  }

  /** The last 256 pulses, oldest first. */
  get pulses(): readonly DrawerPulse[] {
    return this.#pulses;
  }

  drew(texts: readonly DrawnText[]): void {
    this.#drawn.keep(texts);
    this.#papers.clear();
  }

  get undrawn(): readonly AskedSymbol[] {
    return this.#undrawn;
  }

  drewSymbols(asked: readonly AskedSymbol[], modules: readonly SymbolModules[]): void {
    for (const [index, symbol] of asked.entries()) this.#symbols.set(symbolKey(symbol), modules[index]);
    for (const key of this.#symbols.keys()) if (this.#symbols.size > MAX_SYMBOLS) this.#symbols.delete(key);
    this.#papers.clear();
  }

  paperText(): string {
    return paperText(this.#paper(), this.#drawn);
  }

  paperSvg(): string {
    return paperSvg(this.#paper());
  }

  #paper(): Paper {
    const paper = this.#tape.paper({ ...this.#paperModel, symbols: this.#symbols });
    this.#undrawn = paper.askedSymbols.undrawn;
    return paper;
  }

  paperFacts(): PaperFacts {
    const paper = this.#paper();
    return {
      rows: paper.rows.filter(({ kind }) => kind !== 'note').length + paper.tornOffRows,
      commands: paper.commands,
      ignored: [...paper.ignored].map(([command, count]) => ({ command, count })),
      tornOff: this.#tape.overwritten,
      tornOffRows: paper.tornOffRows,
    };
  }

  /** The bytes it took since the paper was torn off: the last mebibyte of them. */
  paperBytes(): Uint8Array {
    return this.#tape.bytes();
  }

  paper(as: 'svg' | 'text' | 'bytes'): Uint8Array {
    const made = this.#papers.get(as) ?? this.#paperAs(as);
    this.#papers.set(as, made);
    return made;
  }

  #paperAs(as: 'svg' | 'text' | 'bytes'): Uint8Array {
    return as === 'bytes' ? this.paperBytes() : Buffer.from(as === 'svg' ? this.paperSvg() : this.paperText());
  }

  /** Bytes that `paperBytes` holds no more. */
  get tornOffBytes(): number {
    return this.#tape.tornOff;
  }

  tearOff(): void {
    this.#papers.clear();
    this.#tape.tearOff();
  }

  /** Another model has paper of its own: what the last one printed is torn off. */
  become(model: PrinterModel): void {
    const { dots, columns, codePages, twoByte = 'none', cutter = true, maxSize = 8 } = model;
    const { endOfPrint = true, realtimePulseDisable = true } = model;
    const facts = { dots, columns, codePages, twoByte, cutter, maxSize, endOfPrint, realtimePulseDisable };
    const paperModel = paperModelOf(facts, this.#modelName);
    const lacks = (of: PaperModel) => JSON.stringify([...(of.lacks ?? [])]);
    if (JSON.stringify(facts) === JSON.stringify(this.#model) && lacks(paperModel) === lacks(this.#paperModel)) return;
    this.#model = facts;
    this.#paperModel = paperModel;
    this.#interpreter.model = paperModel;
    if (this.#reception) this.#reception.model = paperModel;
    this.tearOff();
  }

  /** MDL of its device id, else of its strings. */
  get #modelName(): string {
    return /(?:^|;)(?:MDL|MODEL):([^;]*)/i.exec(this.#deviceId ?? '')?.[1] ?? this.strings.model ?? '';
  }

  /** `deviceId` as in the options: it is another printer, so one that is not given is none of the last one. */
  override relabel({
    deviceId,
    ...label
  }: Omit<VirtualDescription, 'interfaces'> & { readonly deviceId?: string }): void {
    super.relabel(label);
    this.#deviceId = deviceId;
  }

  /** What was received and not printed does not survive the loss of power; paper and drawer do. */
  override detach(): void {
    super.detach();
    if (this.#options.keepsPower) return;
    this.#reset();
    this.#automaticStatus = 0;
  }

  /** GET_DEVICE_ID, GET_PORT_STATUS and SOFT_RESET (USB printer class 1.1, 4.2). */
  protected override control(setup: UsbSetup): Uint8Array | 'stall' {
    if (setup.requestType === CLASS_IN && setup.request === 0) {
      const id = this.#deviceId ?? deviceIdOf(this.strings);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length + 2);
      return Buffer.concat([length, Buffer.from(id, 'latin1')]);
    }
    if (setup.requestType === CLASS_IN && setup.request === 1) return Uint8Array.of(portStatus(this.#state));
    if (CLASS_OUT.has(setup.requestType) && setup.request === 2) {
      this.#reset();
      this.ready(OUT);
      return new Uint8Array();
    }
    return 'stall';
  }

  protected override receive(_pipe: number, bytes: Uint8Array): number {
    if (performance.now() < this.#readsAgainAt) return bytes.length;
    const room = isOnline(this.#state) ? bytes.length : RECEIVE_BUFFER - this.#tape.waiting;
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, Math.max(0, room)));
    if (chunk.length === 0) return this.#obeyOnly(bytes);
    let at = 0;
    for (;;) {
      const found = this.#scanner.next(chunk, at);
      if (!found) break;
      const obeyed = this.#store(chunk.subarray(at, found.end));
      at = found.end;
      if (obeyed) this.#obey(found);
    }
    this.#store(chunk.subarray(at));
    return chunk.length;
  }

  /** Obeys real-time commands at the front, which need no room while the buffer is full. */
  #obeyOnly(bytes: Uint8Array): number {
    const scanner = new RealtimeScanner();
    let at = 0;
    for (;;) {
      const found = scanner.next(Buffer.from(bytes), at);
      if (!found || found.end - found.bytes.length !== at) return at;
      at = found.end;
      this.#obey(found);
    }
  }

  /** Keeps and, on-line, prints; true when a real-time command that ends here is to be obeyed. */
  #store(bytes: Buffer): boolean {
    for (let at = 0; at < bytes.length; at += RECEIVE_BUFFER) {
      this.#tape.take(at === 0 && bytes.length <= RECEIVE_BUFFER ? bytes : bytes.subarray(at, at + RECEIVE_BUFFER));
      this.#print();
    }
    if (!this.#reception) return true;
    this.#reception.feed(bytes.subarray(0, -1));
    const inPayload = this.#reception.inPayload;
    this.#reception.feed(bytes.subarray(-1));
    return !inPayload;
  }

  /** Off-line, too, it has more bytes than before. */
  #print(): void {
    this.#papers.clear();
    if (isOnline(this.#state)) this.#tape.print();
  }

  #reset(): void {
    this.#papers.clear();
    this.#reception?.reset();
    this.#tape.reset();
  }

  #obey({ bytes: [, kind, fn, m = 0, t = 0] }: RealtimeCommand): void {
    if (kind === 0x04) this.#answer(realtimeStatus(fn!, this.#state));
    else if (kind !== 0x14) return;
    else if (fn === 1 && this.#interpreter.modes.realtimePulse) {
      this.#pulse({ pin: m === 1 ? 5 : 2, onMs: t * 100, offMs: t * 100, realtime: true });
    } else if (fn === 2 && this.#interpreter.modes.realtimePowerOff) this.leave();
    else if (fn === 7 && m === 1) this.#answer(...automaticStatus(this.#state));
    else if (fn === 8) this.#reset();
  }

  /** A drawer stays open until somebody closes it. */
  #pulse(pulse: DrawerPulse): void {
    this.#pulses = [...this.#pulses.slice(1 - MAX_PULSES), pulse];
    if (this.#state.drawer === 'closed') this.#openDrawer();
  }

  #openDrawer(): void {
    this.#state = { ...this.#state, drawer: 'open' };
    if (this.#automaticStatus & 0x01) this.#answer(...automaticStatus(this.#state));
  }

  #enableAutomaticStatus(mask: number): void {
    this.#automaticStatus = mask;
    if (mask !== 0) this.#answer(...automaticStatus(this.#state));
  }

  /** GS I n: one byte, or text between 5F and 00. */
  #answerId(n: number): void {
    const { make = 'EPSON', model = 'TM-T20III', serial = '' } = this.strings;
    const text = ['1.00 ESC/POS', make, model, serial, ''][n - 65];
    if (text !== undefined) this.#answer(0x5f, ...Buffer.from(text, 'latin1'), 0);
    else if (n >= 1 && n <= 3) this.#answer([0x20, 0x02, 0x01][n - 1]);
    else if (n >= 49 && n <= 51) this.#answer([0x20, 0x02, 0x01][n - 49]);
  }

  #answer(...bytes: (number | undefined)[]): void {
    const known = bytes.filter((byte) => byte !== undefined);
    if (known.length > 0 && !this.#options.writeOnly && !this.#state.silent) this.send(IN, Uint8Array.from(known));
  }
}

/** The printer that the twin has on its counter. */
export const createVirtualDevice = (): VirtualPrinter => new VirtualPrinter();
