/**
 * Printers whose receiving interrupt takes every real-time command out of the stream, wherever it stands and however it is cut,
 * before the rest is read. Commands and lengths: Epson ESC/POS command reference, DLE EOT (n = 1 to 8 and 18; a behind 7, 8 and
 * 18), DLE ENQ, DLE DC4 (fn = 1 pulse, 2 power-off, 3 buzzer, 7 status, 8 clear buffer). Their ranges are left out: what is out
 * of them is taken out, too. NCR 7197 Owner's Guide, "Real Time Commands": DLE EOT n and GS EOT n, DLE ENQ n and GS ETX n, GS
 * ENQ; a DLE that no ENQ follows in time is a command by itself.
 */
import { Interpreter, type RealTime } from './interpreter.ts';
import { realTimePulse } from './reading.ts';
import { TM_T88VI } from './tm-t88vi.ts';

const UNKNOWN = Number.POSITIVE_INFINITY;
const DC4: Readonly<Record<number, number>> = { 1: 5, 2: 5, 3: 8, 7: 4, 8: 10 };

/** `fourth`: whether DLE EOT 7, 8 and 18 have a fourth byte here. */
const epson =
  (fourth: boolean): RealTime['length'] =>
  ([, kind, n]) => {
    if (kind === undefined) return UNKNOWN;
    if (kind === 0x04) return n === undefined ? UNKNOWN : fourth && (n === 7 || n === 8 || n === 18) ? 4 : 3;
    if (kind === 0x05) return 3;
    if (kind !== 0x14) return 0;
    return n === undefined ? UNKNOWN : (DC4[n] ?? 0);
  };

const ncr: RealTime['length'] = ([lead, kind]) => {
  if (kind === undefined) return UNKNOWN;
  if (kind === 0x04) return 3;
  if (lead === 0x10) return kind === 0x05 ? 3 : 0;
  return kind === 0x03 ? 3 : kind === 0x05 ? 2 : 0;
};

const stripping = (name: string, realTimeCommands: RealTime) =>
  new Interpreter({
    name,
    // What remains and is one again is obeyed like any other command.
    commands: { ...TM_T88VI, 'DLE \x14': realTimePulse },
    unknown: 'both',
    realTime: 'anywhere, taken out',
    realTimeCommands,
    macroMemory: 2048,
  });

export const strippingAll = (fourth: boolean, broken: RealTime['broken']) =>
  stripping(`takes out all, ${fourth ? 'four bytes' : 'three'} of DLE EOT 7, broken ones ${broken}`, {
    leads: [0x10],
    length: epson(fourth),
    broken,
  });

export const strippingAtTransfers = () =>
  stripping('takes out all, and what a transfer cuts', {
    leads: [0x10],
    length: epson(true),
    broken: 'gone',
    breaksAtTransfers: true,
  });

export const ncr7197 = () => stripping('NCR 7197', { leads: [0x10, 0x1d], length: ncr, broken: 'passed on' });

/** Every one of them, new. */
export const strippingModels = () => [
  strippingAll(true, 'passed on'),
  strippingAll(false, 'passed on'),
  strippingAll(true, 'gone'),
  strippingAll(false, 'gone with the next'),
  strippingAtTransfers(),
  ncr7197(),
];
