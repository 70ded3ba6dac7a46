/** Makes reads from a serial line: one ends with its terminator, or when no byte follows for `idleMs`. */
import type { IdentifiedRead } from '../../codecs/aim.ts';
import type { Parsed } from '../../codecs/codec.ts';
import { endLine, forgetLine, newLine, takeSerial } from '../../codecs/serial-lines.ts';
import { IdleTimer } from './idle-timer.ts';
import type { Reader, ReadSink } from './scanner.ts';

/** The reader of one serial scanner. */
export class SerialReader implements Reader {
  readonly #sink: ReadSink;
  readonly #line = newLine();
  readonly #idle: IdleTimer;
  /** Start of the line that has not ended; undefined between two lines. */
  #startedAt: number | undefined;

  constructor(idleMs: () => number, sink: ReadSink) {
    this.#sink = sink;
    this.#idle = new IdleTimer(idleMs, (lastAt) => this.#tell(endLine(this.#line), lastAt));
  }

  take(arrived: Uint8Array, now: number): void {
    this.#startedAt ??= now;
    this.#tell(takeSerial(this.#line, arrived), now);
    if (this.#line.used === 0) return;
    this.#startedAt ??= now;
    this.#idle.touch(now);
  }

  stop(): void {
    this.#idle.stop();
    forgetLine(this.#line);
    this.#startedAt = undefined;
  }

  #tell(reads: readonly Parsed<IdentifiedRead>[], endedAt: number): void {
    for (const read of reads) {
      if (read.ok) this.#sink.read({ ...read.value, startedAt: this.#startedAt ?? endedAt, endedAt });
      else this.#sink.unreadable();
      this.#startedAt = undefined;
    }
    if (this.#line.used > 0) return;
    this.#startedAt = undefined;
    this.#idle.rest();
  }
}
