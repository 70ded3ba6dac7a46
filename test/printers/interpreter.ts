/**
 * The part of a printer that is the same in all manuals: bytes come one by one, a lead byte and the one behind it name a
 * command, parameters are read until one is out of its range, and the rest is text. Which commands there are, and their
 * ranges, each model says itself.
 */
import type { Deed, PrinterModel } from './model.ts';

/** Yields how many bytes to pass over, and is handed the last of them; AGAIN hands that byte out once more. */
export type Reading = Generator<number, void, number>;
export const AGAIN = -1;

export type Command = (printer: Interpreter) => Reading;
/** By name: the lead in words and the second byte, as manuals write it. */
export type Commands = Readonly<Record<string, Command>>;

export const LEADS = new Map([
  [0x10, 'DLE'],
  [0x1b, 'ESC'],
  [0x1c, 'FS'],
  [0x1d, 'GS'],
  [0x1f, 'US'],
]);

export interface Habits {
  readonly name: string;
  readonly commands: Commands;
  /** A lead with a second byte that names no command: both are gone, or the second is read anew. */
  readonly unknown: 'both' | 'lead' | 'two more' | 'three more';
  /** Where DLE sequences are seen: as commands alone, or in all that arrives, and whether they stay in what they stand in. */
  readonly realTime: 'commands' | 'anywhere' | 'anywhere, taken out';
  /** Which sequences are real-time ones, where they are seen in all that arrives; those of older manuals unless given. */
  readonly realTimeCommands?: RealTime;
  /** What DLE DC4 does here, beside the pulse. */
  readonly powerOff?: boolean;
  /** Bytes of macro memory; 0 is none. */
  readonly macroMemory: number;
  /** While a macro is defined its commands are executed too, or only kept. */
  readonly macroDefinition?: 'executed' | 'kept';
  /** How many bytes follow this one, of the same character. */
  readonly characters?: (printer: Interpreter, first: number) => Reading;
  /** ESC = with bit 0 off: nothing is read until ESC = turns it on. */
  readonly deselects?: boolean;
  readonly pulsesOnBel?: boolean;
}

/** The real-time commands of a printer that sees them in all that arrives. */
export interface RealTime {
  readonly leads: readonly number[];
  /** How long the one that begins so is; Infinity where that is not known yet, 0 where none begins so. */
  length(bytes: readonly number[]): number;
  /** One that breaks off is passed on, or gone, or gone with the byte that it breaks off at. */
  readonly broken: 'passed on' | 'gone' | 'gone with the next';
  /** One that is not whole at the end of a transfer has broken off there. */
  readonly breaksAtTransfers?: boolean;
}

/** More rounds of a macro join its end to its beginning in no other way. */
const ROUNDS = 3;
const ESC_SELECT = [0x1b, 0x3d];
const MACRO_MARK = [0x1d, 0x3a];

export class Interpreter implements PrinterModel {
  readonly habits: Habits;
  readonly deeds: Deed[] = [];
  /** A line has text on it. */
  line = false;
  pageMode = false;
  fontB = false;
  kanji = false;
  deselected = false;
  #reading!: Generator<number, never, number>;
  #wanted = 1;
  /** The offset of the byte that is being read, and of the lead of the command that it belongs to. */
  #here = 0;
  #from = 0;
  #fed = 0;
  #replaying = false;
  /** No command and no character is under way. */
  #between = true;
  #held: number[] = [];
  #recording: number[] | undefined;
  #recorded = 0;
  #macro: Uint8Array | undefined;
  #rounds = 0;

  constructor(habits: Habits) {
    this.habits = habits;
    this.powerCycle();
  }

  get name(): string {
    return this.habits.name;
  }

  powerCycle(): void {
    this.initialise();
    this.kanji = this.habits.characters !== undefined;
    this.deselected = false;
    this.#held = [];
    this.#recording = undefined;
    this.#macro = undefined;
    this.#rounds = 0;
    this.#reading = this.#read();
    this.#wanted = this.#reading.next().value;
  }

  /** ESC @: the macro stays, and its definition goes on. */
  initialise(): void {
    this.line = false;
    this.pageMode = false;
    this.fontB = false;
  }

  feed(bytes: Uint8Array): void {
    if (this.habits.realTime === 'commands') this.#take(bytes, this.#fed);
    else this.#watch(bytes);
    this.#fed += bytes.length;
  }

  do(what: Deed['what'], from = this.#from, to = this.#here + 1): void {
    this.deeds.push({ what, from, to, replayed: this.#replaying });
  }

  /** GS : begins a definition, or ends it. */
  markMacro(): void {
    if (this.#recording === undefined) {
      this.#recording = [];
      this.#recorded = 0;
      this.#macro = undefined;
      return;
    }
    const length = Math.min(this.habits.macroMemory, Math.max(0, this.#recorded - MACRO_MARK.length));
    this.#macro = length > 0 ? Uint8Array.from(this.#recording.slice(0, length)) : undefined;
    this.#recording = undefined;
  }

  /** GS ^ inside a definition ends it, and clears it. */
  runMacro(times: number): void {
    if (this.#recording) {
      this.#recording = undefined;
      this.#macro = undefined;
    } else if (this.#macro && !this.#replaying) this.#rounds = Math.min(times, ROUNDS);
  }

  get definesMacro(): boolean {
    return this.#recording !== undefined;
  }

  *#read(): Generator<number, never, number> {
    for (;;) {
      this.#between = true;
      const byte = yield 1;
      this.#between = false;
      this.#from = this.#here;
      if (this.habits.macroDefinition === 'kept' && this.definesMacro) yield* this.#keep(byte);
      else if (this.deselected && this.habits.deselects) yield* this.#wait(byte);
      else if (LEADS.has(byte)) yield* this.#command(byte);
      else if (byte >= 0x20) {
        this.line = true;
        if (this.habits.characters) yield* this.habits.characters(this, byte);
      } else this.#control(byte);
    }
  }

  *#command(lead: number): Reading {
    const second = yield 1;
    const command = this.habits.commands[`${LEADS.get(lead)} ${String.fromCharCode(second)}`];
    if (command) yield* command(this);
    else if (this.habits.unknown === 'lead') yield AGAIN;
    else if (this.habits.unknown === 'two more') yield 2;
    else if (this.habits.unknown === 'three more') yield 3;
  }

  #control(byte: number): void {
    if (byte === 0x0a || byte === 0x0d || byte === 0x0c) this.line = false;
    if (byte === 0x0c) this.pageMode = false;
    if (byte === 0x09) this.line = true;
    if (byte === 0x07 && this.habits.pulsesOnBel) this.do('pulse');
  }

  /** A definition that is only kept ends at the first GS : or GS ^ in it, whatever they stand in. */
  *#keep(byte: number): Reading {
    if (byte !== MACRO_MARK[0]) return;
    const second = yield 1;
    if (second === MACRO_MARK[1]) this.markMacro();
    else if (second === 0x5e) this.runMacro(0);
    else yield AGAIN;
  }

  *#wait(byte: number): Reading {
    if (byte !== ESC_SELECT[0]) return;
    if ((yield 1) !== ESC_SELECT[1]) yield AGAIN;
    else this.deselected = ((yield 1) & 1) === 0;
  }

  /** Bytes, of which the first stands at `base`. */
  #take(bytes: ArrayLike<number>, base: number): void {
    for (let at = 0; at < bytes.length; ) {
      const over = Math.min(this.#wanted - 1, bytes.length - at);
      if (over > 0) {
        this.#record(bytes, at, at + over);
        this.#wanted -= over;
        at += over;
        continue;
      }
      // NUL between two commands is nothing to any of them, and there can be thousands.
      if (this.#between && bytes[at] === 0) {
        const run = at;
        while (at < bytes.length && bytes[at] === 0) at += 1;
        this.#record(bytes, run, at);
        continue;
      }
      if (!this.#replaying) this.#here = base + at;
      this.#record(bytes, at, at + 1);
      this.#wanted = this.#reading.next(bytes[at]!).value;
      if (this.#wanted === AGAIN) {
        this.#reading.next(0);
        this.#wanted = this.#reading.next(bytes[at]!).value;
      }
      at += 1;
      if (this.#rounds > 0) this.#replay();
    }
  }

  #record(bytes: ArrayLike<number>, from: number, to: number): void {
    if (!this.#recording || this.#replaying) return;
    this.#recorded += to - from;
    const room = this.habits.macroMemory - this.#recording.length;
    for (let at = from; at < Math.min(to, from + room); at += 1) this.#recording.push(bytes[at]!);
  }

  #replay(): void {
    const macro = this.#macro!;
    const rounds = this.#rounds;
    this.#rounds = 0;
    this.#replaying = true;
    for (let round = 0; round < rounds; round += 1) this.#take(macro, 0);
    this.#replaying = false;
  }

  /** Looks for real-time sequences in all that arrives, before anything else reads it. */
  #watch(bytes: Uint8Array): void {
    const takenOut = this.habits.realTime === 'anywhere, taken out';
    const { leads, length, broken, breaksAtTransfers } = this.habits.realTimeCommands ?? manuals(this.habits);
    const held = this.#held;
    let passed = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      if (held.length === 0) {
        at = bytes.findIndex((byte, index) => index >= at && leads.includes(byte));
        if (at < 0) break;
        if (takenOut && at > passed) this.#take(bytes.subarray(passed, at), this.#fed + passed);
        if (takenOut) passed = at;
      }
      held.push(bytes[at]!);
      const whole = length(held);
      if (whole === held.length) {
        this.#realTime(held, this.#fed + at + 1);
        if (takenOut) passed = at + 1;
        held.length = 0;
      } else if (whole === 0) {
        // Not one: what was held is passed on or gone, but for its last byte where that may begin another.
        const last = held.pop()!;
        if (takenOut) {
          if (broken === 'passed on') this.#take(held, this.#fed + at - held.length);
          passed = at;
        }
        held.length = 0;
        if (leads.includes(last)) held.push(last);
        else if (takenOut && broken === 'gone with the next') passed = at + 1;
      }
    }
    if (!takenOut) this.#take(bytes, this.#fed);
    else if (held.length === 0 && passed < bytes.length) this.#take(bytes.subarray(passed), this.#fed + passed);
    if (breaksAtTransfers) held.length = 0;
  }

  #realTime(bytes: readonly number[], to: number): void {
    const [lead, kind, fn] = bytes;
    if (lead !== 0x10 || kind !== 0x14 || (fn !== 1 && fn !== 2 && fn !== 8)) return;
    const what = fn === 1 ? 'pulse' : fn === 2 ? 'power off' : 'buffer cleared';
    this.deeds.push({ what, from: to - bytes.length, to, replayed: false });
  }
}

const manuals = ({ powerOff }: Habits): RealTime => ({
  leads: [0x10],
  length: (bytes) => realTimeLength(bytes, powerOff === true),
  broken: 'passed on',
});

const CLEAR_BUFFER = [0x10, 0x14, 0x08, 0x01, 0x03, 0x14, 0x01, 0x06, 0x02, 0x08];
const POWER_OFF = [0x10, 0x14, 0x02, 0x01, 0x08];
const PULSE = [0x10, 0x14, 0x01];

/** How long the real-time sequence is that begins so; 0 where none does. DLE EOT, DLE ENQ, DLE DC4 of the manuals. */
function realTimeLength(bytes: readonly number[], powerOff: boolean): number {
  const begins = (whole: readonly number[]) => bytes.every((byte, at) => at >= whole.length || byte === whole[at]);
  const [, kind, fn, m, t] = bytes;
  if (bytes.length === 1) return Number.POSITIVE_INFINITY;
  if (kind === 0x04) return fn === undefined ? 3 : fn >= 1 && fn <= 4 ? 3 : 0;
  if (kind === 0x05) return fn === undefined ? 3 : fn >= 1 && fn <= 2 ? 3 : 0;
  if (begins(PULSE)) {
    if (m !== undefined && m > 1) return 0;
    return t !== undefined && (t < 1 || t > 8) ? 0 : 5;
  }
  if (powerOff && begins(POWER_OFF)) return POWER_OFF.length;
  if (powerOff && begins(CLEAR_BUFFER)) return CLEAR_BUFFER.length;
  return 0;
}
