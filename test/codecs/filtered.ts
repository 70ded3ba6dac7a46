/** What the filter of port 9100 and the guard behind it make of a connection, for the tests of both. */
import { SELECT_PRINTER } from '../../codecs/escpos.ts';
import { freshMode } from '../../codecs/escpos-mode.ts';
import { EscposStream } from '../../codecs/escpos-stream.ts';
import type { StreamOptions } from '../../codecs/escpos-stream-sink.ts';
import { Trail } from '../../codecs/escpos-trail.ts';

export const PASSIVE: StreamOptions = { realtimePulseDisable: false, pulseOnBel: false };
export const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replace(/\s/g, ''), 'hex'));

/** One printer: connections to it follow each other. */
export class FilteredPrinter {
  readonly mode = freshMode();
  readonly trail = new Trail();
  readonly told: string[] = [];
  readonly #parts: Buffer[] = [];
  readonly sink = {
    forward: (part: Uint8Array) => this.#guard(part),
    defineMacro: (part: Uint8Array) => {
      const { recording } = this.trail.macros;
      this.#guard(part);
      this.trail.macros.recording = recording;
    },
    runMacro: (part: Uint8Array) => {
      if (this.trail.macros.pulse) {
        this.told.push('pulse');
        return;
      }
      this.send(part);
      this.trail.lose();
    },
    status: (n: number) => void this.told.push(`status ${n}`),
    dropped: (what: string) => void this.told.push(what),
    cut: () => {},
  };

  connect(options: Partial<StreamOptions> = {}) {
    this.mode.ownMacro = false;
    const stream = new EscposStream({ ...PASSIVE, ...options }, this.mode);
    return {
      stream,
      push: (sent: string | Uint8Array) =>
        stream.push(typeof sent === 'string' ? bytes(sent) : Uint8Array.from(sent), this.sink),
      end: (inOrder = false) => {
        const missing = stream.end(this.sink, inOrder);
        if (missing < 100_000) this.#guard(new Uint8Array(missing));
        if (this.trail.mayBeDeselected) this.send(SELECT_PRINTER);
        this.trail.mayBeDeselected = false;
        return missing;
      },
    };
  }

  /** Bytes of the node's own. */
  send(part: Uint8Array): void {
    while (!this.trail.goesWith(part)) this.#guard(new Uint8Array(1));
    this.trail.follow(part);
    this.#parts.push(Buffer.from(part));
  }

  get out(): Buffer {
    return Buffer.concat(this.#parts);
  }

  /** As spaced hexadecimal digits, what came out since this was last asked. */
  take(): string {
    const out = this.out.toString('hex').replace(/..(?=.)/g, '$& ');
    this.#parts.length = 0;
    return out;
  }

  #guard(part: Uint8Array): void {
    this.trail.guard(part);
    this.#parts.push(Buffer.from(part));
  }
}

/** One connection to a fresh printer, all at once; it does not end. */
export function filter(hex: string, options: Partial<StreamOptions> = {}) {
  const printer = new FilteredPrinter();
  printer.connect(options).push(hex);
  return { out: printer.take(), told: printer.told };
}
