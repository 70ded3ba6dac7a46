/** How far a job of port 9100 is: what decides how long it may keep a printer that others wait for, and what it asked the printer. */
import type { AskedType, EscposCommand } from './escpos-command-lengths.ts';
import { Inking } from './escpos-ink.ts';
import type { MacroDefinition } from './escpos-macro.ts';
import type { PrinterMode } from './escpos-mode.ts';
import type { BackChannelItem } from './escpos-status.ts';

/** `nothing`: nothing that prints yet. `receipt`: in the middle of one, as far as can be seen. `cut`: behind a cut. */
export type Stage = 'nothing' | 'receipt' | 'cut';

export type { AskedType };
/** How many answers of each type. */
export type AskedCounts = ReadonlyMap<AskedType, number>;

const SPACE = 0x20;
const LF = 0x0a;
const FF = 0x0c;
/** A payload of fewer bytes is a parameter and no picture: GS ( k and GS ( H have so short ones. */
const PICTURE_BYTES = 16;
/** Status requests that are kept until they are taken: a client that asks more at once is disconnected. */
const MOST_REQUESTS = 8192;
/** Follows what one job sends, without what the node drops. */
export class StreamProgress {
  readonly #mode: PrinterMode;
  readonly #inking: Inking;
  #stage: Stage = 'nothing';
  #asked = new Map<AskedType, number>();
  #statusRequests: number[] = [];
  #asksAny = false;
  #asksStatus = false;
  #pictureBytes = 0;
  /** The last command stores what comes with it, and prints nothing of it. */
  #stores = false;

  /** What the stream follows too: `mode` of the printer, `macro` that is being defined. */
  constructor(mode: PrinterMode, macro: MacroDefinition) {
    this.#mode = mode;
    this.#inking = new Inking(mode, macro);
  }

  get stage(): Stage {
    return this.#stage;
  }

  /** True where something that leaves dots on the paper came since this was asked last. */
  takePrinted(): boolean {
    return this.#inking.take();
  }

  /** Bytes of pictures with dots in them, that are printed as they come, since this was asked last: of no page. */
  takePictureBytes(): number {
    const bytes = this.#pictureBytes;
    this.#pictureBytes = 0;
    return bytes;
  }

  /** What the printer will answer to what came since this was asked last. */
  takeAsked(): AskedCounts {
    const asked = this.#asked;
    if (asked.size > 0) this.#asked = new Map();
    return asked;
  }

  /**
   * Whether something of this type may be an answer to it. Automatic status (GS a, GS j) is only for who switched it on, or asked for
   * it by DLE DC4 7.
   */
  hears(type: BackChannelItem['type']): boolean {
    return type === 'asb' ? this.#asksStatus : this.#asksAny;
  }

  /** The numbers of DLE EOT 1 to 4 since this was asked last, of bytes that are only followed: of others the filter tells them. */
  takeStatusRequests(): readonly number[] {
    return this.#statusRequests.splice(0);
  }

  /** The job has the printer anew. */
  restart(): void {
    this.#stage = 'nothing';
  }

  /**
   * Text, from index `from` to `to`. Control characters that a printer ignores, NUL above all, are none; line ends behind a cut
   * begin no receipt. `taken`: so many of its bytes may be parameters of a command that nobody knows. To be called before `mode` has
   * followed it.
   */
  text(bytes: Uint8Array, from: number, to: number, taken: number): void {
    if (taken > 0) this.#asksAny = true;
    this.#inking.text(bytes, Math.min(to, from + taken), to);
    let at = from;
    while (at < to && bytes[at]! < SPACE && !endsLine(bytes[at]!)) at += 1;
    if (at === to) return;
    if (this.#stage === 'cut') while (at < to && bytes[at]! < SPACE) at += 1;
    if (at < to) this.#stage = 'receipt';
  }

  /**
   * A whole header, at an index of these bytes. Settings begin no receipt, and feeds behind a cut do not, either: they end many.
   */
  command(command: EscposCommand, bytes: Uint8Array, at: number): void {
    this.#inking.command(command);
    this.#stores = command.stores;
    if (command.isSetting) return;
    const { role, prints, answers, automaticAt, transmits } = command;
    if (automaticAt > 0) this.#asksStatus = bytes[at + automaticAt] !== 0;
    if (transmits) this.#asksAny = true;
    if (role === 'status' && isAnswered(bytes[at + 2]!) && this.#statusRequests.length < MOST_REQUESTS)
      this.#statusRequests.push(bytes[at + 2]!);
    const asked = answers?.(bytes, at);
    if (asked !== undefined) this.#asked.set(asked, (this.#asked.get(asked) ?? 0) + 1);
    if (role === 'printLine' && bytes[at + 2] === 0) return;
    if (role === 'cut') this.#stage = 'cut';
    else if (prints && (this.#stage !== 'cut' || role !== 'printLine')) this.#stage = 'receipt';
  }

  /** `count` bytes of the payload of the last command, from an index on. */
  payload(bytes: Uint8Array, at: number, count: number): void {
    const hasInked = this.#inking.payload(bytes, at, count);
    if (hasInked && !this.#mode.pageMode) this.#pictureBytes += count;
    if (hasInked || (count > PICTURE_BYTES && !this.#stores)) this.#stage = 'receipt';
  }
}

/** Whether a byte ends a line. CR does not: alone it prints nothing, and the text before it counts by itself. */
const endsLine = (byte: number): boolean => byte === LF || byte === FF;

/** DLE EOT n: true where the node answers it. */
export const isAnswered = (n: number): boolean => n >= 1 && n <= 4;
