/** Finds real-time commands in received bytes. They are executed at reception, before the interpreter sees them. */

const DLE = 0x10;
type Template = readonly (readonly [low: number, high: number])[];
const bytes = (...values: number[]): Template => values.map((value) => [value, value]);

/** Epson TM-T88III manual, DLE EOT, DLE ENQ, DLE DC4; a parameter out of range makes it no command. */
const TEMPLATES: readonly Template[] = [
  [...bytes(DLE, 0x04), [1, 4]],
  [...bytes(DLE, 0x05), [0, 3]],
  [...bytes(DLE, 0x14, 1), [0, 1], [1, 8]],
  bytes(DLE, 0x14, 2, 1, 8),
  [...bytes(DLE, 0x14, 7), [1, 5]],
  bytes(DLE, 0x14, 8, 1, 3, 0x14, 1, 6, 2, 8),
];

/** The template that begins with `head`. */
const templateFor = (head: readonly number[]): Template | undefined =>
  TEMPLATES.find(
    (template) =>
      head.length <= template.length && head.every((byte, at) => byte >= template[at]![0] && byte <= template[at]![1]),
  );

export interface RealtimeCommand {
  readonly bytes: readonly number[];
  /** Index after its last byte. */
  readonly end: number;
}

/** Scans one stream; it keeps an incomplete command between two chunks. */
export class RealtimeScanner {
  #head: number[] = [];

  /** The first command that ends after `from`. An incomplete one is kept for the next chunk. */
  next(chunk: Buffer, from: number): RealtimeCommand | undefined {
    let at = from;
    while (at < chunk.length) {
      if (this.#head.length === 0) {
        at = chunk.indexOf(DLE, at);
        if (at < 0) return undefined;
      }
      this.#head.push(chunk[at]!);
      at += 1;
      const template = this.#settle();
      if (template && template.length === this.#head.length) {
        const command = { bytes: this.#head, end: at };
        this.#head = [];
        return command;
      }
    }
    return undefined;
  }

  /** Drops bytes from the front until the rest can begin a command. */
  #settle(): Template | undefined {
    while (this.#head.length > 0) {
      const template = templateFor(this.#head);
      if (template) return template;
      const again = this.#head.indexOf(DLE, 1);
      this.#head = again < 0 ? [] : this.#head.slice(again);
    }
    return undefined;
  }
}
