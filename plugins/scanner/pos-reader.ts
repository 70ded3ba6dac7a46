/** Makes reads from the scanned data reports of a HID POS scanner. */
import { type PosState, readPosReport, resetPosScanner } from '../../codecs/hid-pos.ts';
import type { Reader, ReadSink } from './scanner.ts';

/** Most milliseconds between two reports of one read; a later one begins another read. */
const CONTINUATION_MS = 2000;

/** The reader of one HID POS scanner. */
export class PosReader implements Reader {
  readonly #scanner: PosState;
  readonly #sink: ReadSink;
  #startedAt = 0;
  #lastAt = 0;

  constructor(scanner: PosState, sink: ReadSink) {
    this.#scanner = scanner;
    this.#sink = sink;
  }

  take(report: Uint8Array, now: number): void {
    const scanner = this.#scanner;
    if (scanner.used > 0 && now - this.#lastAt > CONTINUATION_MS) {
      resetPosScanner(scanner);
      this.#sink.unreadable();
    }
    if (scanner.used === 0) this.#startedAt = now;
    this.#lastAt = now;
    const parsed = readPosReport(scanner, report);
    if (!parsed.ok) this.#sink.unreadable();
    else if (parsed.value !== null) this.#sink.read({ ...parsed.value, startedAt: this.#startedAt, endedAt: now });
  }

  stop(): void {
    resetPosScanner(this.#scanner);
  }
}
