/** How far a job of port 9100 is: what decides how long it may keep a printer that others wait for, and what it asked the printer. */
import type { AskedType, EscposCommand } from './escpos-command-lengths.ts';

/** `nothing`: nothing that prints yet. `receipt`: in the middle of one, as far as can be seen. `cut`: behind a cut. */
export type Stage = 'nothing' | 'receipt' | 'cut';

export type { AskedType };
/** How many answers of each type. */
export type Asked = ReadonlyMap<AskedType, number>;

const SPACE = 0x20;
const LF = 0x0a;
const FF = 0x0c;
/** A payload of fewer bytes is a parameter and no picture: GS ( k and GS ( H have so short ones. */
const PICTURE_BYTES = 16;
/** ESC &, FS 2 and GS *: characters and small pictures, which other commands print. */
const STORING: ReadonlySet<string> = new Set(['1b26', '1c32', '1d2a']);

/** Follows what one job sends. A status request that the node answers, and what it drops, are no part of it. */
export class Progress {
  #stage: Stage = 'nothing';
  #printed = false;
  #asked = new Map<AskedType, number>();
  /** The last command stores what comes with it, and prints nothing of it. */
  #stores = false;

  get stage(): Stage {
    return this.#stage;
  }

  /** True where something that prints came since this was asked last. */
  takePrinted(): boolean {
    const printed = this.#printed;
    this.#printed = false;
    return printed;
  }

  /** What the printer will answer to what came since this was asked last. */
  takeAsked(): Asked {
    const asked = this.#asked;
    if (asked.size > 0) this.#asked = new Map();
    return asked;
  }

  /** The job has the printer anew. */
  restart(): void {
    this.#stage = 'nothing';
  }

  /**
   * Text, from index `from` to `to`. Control characters that a printer ignores, NUL above all, are none; line ends behind a cut
   * begin no receipt. `prints`: false where it goes to a display, or stays in a page that is not printed.
   */
  text(bytes: Uint8Array, from: number, to: number, prints: boolean): void {
    let at = from;
    while (at < to && bytes[at]! < SPACE && !endsLine(bytes[at]!)) at += 1;
    if (at === to) return;
    if (prints) this.#printed = true;
    if (this.#stage === 'cut') while (at < to && bytes[at]! < SPACE) at += 1;
    if (at < to) this.#stage = 'receipt';
  }

  /**
   * A whole header, at an index of these bytes. Settings begin no receipt, and feeds behind a cut do not, either: they end many.
   */
  command({ prefix, role, prints, answers }: EscposCommand, bytes: Uint8Array, at: number): void {
    const asked = answers?.(bytes, at);
    if (asked !== undefined) this.#asked.set(asked, (this.#asked.get(asked) ?? 0) + 1);
    this.#stores = STORING.has(prefix);
    if (role === 'printLine' && bytes[at + 2] === 0) return;
    if (role === 'cut') {
      this.#stage = 'cut';
      this.#printed = true;
    } else if (prints) {
      if (this.#stage !== 'cut' || role !== 'printLine') this.#stage = 'receipt';
      this.#printed = true;
    }
  }

  /** Bytes of the payload of the last command. */
  payload(count: number): void {
    if (count <= PICTURE_BYTES || this.#stores) return;
    this.#printed = true;
    this.#stage = 'receipt';
  }
}

/** Without CR: alone it prints nothing, and the text before it counts by itself. */
const endsLine = (byte: number): boolean => byte === LF || byte === FF;
