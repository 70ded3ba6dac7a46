/** How far a job of port 9100 is with its receipt: what decides how long it may keep a printer that others wait for. */
import type { EscposCommand } from './escpos-command-lengths.ts';

/** `nothing`: nothing that prints yet. `receipt`: in the middle of one, as far as can be seen. `cut`: behind a cut. */
export type Stage = 'nothing' | 'receipt' | 'cut';

const SPACE = 0x20;
const LF = 0x0a;
const FF = 0x0c;
const CR = 0x0d;
/** Commands that only ask: a program that looks after its printer sends them for ever. */
const REQUESTS: ReadonlySet<string> = new Set([
  ...['1b75', '1b76', '1c62', '1c6732', '1d49', '1d61', '1d6732', '1d6a', '1d72', '101407'],
  ...['100500', '100501', '100502', '100503'],
]);
/** Commands without a payload that move the paper or print what is stored: ESC FF, ESC K, ESC e, FS p, GS /, GS ^. */
const PRINTING: ReadonlySet<string> = new Set(['1b0c', '1b4b', '1b65', '1c70', '1d2f', '1d5e']);
/** A payload of fewer bytes is a parameter and no picture: GS ( k and GS ( H have so short ones. */
const PICTURE_BYTES = 16;

/** Follows what one job sends. A status request that the node answers, and what it drops, are no part of it. */
export class Progress {
  #stage: Stage = 'nothing';
  #printed = false;

  get stage(): Stage {
    return this.#stage;
  }

  /** True where something that prints came since this was asked last. */
  takePrinted(): boolean {
    const printed = this.#printed;
    this.#printed = false;
    return printed;
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

  /** A whole header. Settings begin no receipt, and feeds behind a cut do not, either: they end many. */
  command({ prefix, role }: EscposCommand): void {
    if (REQUESTS.has(prefix)) return;
    const prints = role === 'printLine' || role === 'list' || PRINTING.has(prefix);
    if (role === 'cut') this.#stage = 'cut';
    else if (prints && (this.#stage !== 'cut' || role !== 'printLine')) this.#stage = 'receipt';
    if (role === 'cut' || prints) this.#printed = true;
  }

  /** Bytes of a payload. */
  payload(count: number): void {
    if (count <= PICTURE_BYTES) return;
    this.#printed = true;
    this.#stage = 'receipt';
  }
}

const endsLine = (byte: number): boolean => byte === LF || byte === CR || byte === FF;
