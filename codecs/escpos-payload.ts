/** Counts the payload of the current command: how many bytes are still to come, by the length table. */
import { allowsImage, type EscposCommand } from './escpos-command-lengths.ts';
import { ESC, imageBytes, LONGEST_UNDECIDED, NUL, newToken, readToken, type Token } from './escpos-tokenizer.ts';

/** Behind ESC. */
const SELECT = 0x3d;

/**
 * Bytes of the largest payload that goes to a printer: 1.8 m of paper of 576 dots in one command. Whoever breaks off in it has the next
 * ones wait until as many NULs are sent.
 */
export const MAX_PAYLOAD = 1024 * 1024;

/** An image of FS q of 8 by 8 dots, the least that there is, with its size. */
const LEAST_IMAGE = Uint8Array.of(1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0);
/** A character of ESC & without a column. */
const LEAST_CHARACTER = Uint8Array.of(0);

/** Bytes of the size in front of each further part: of an image of FS q, or of a character of ESC &. NULs are one without data. */
const partHeaderOf = ({ payload }: EscposCommand): 1 | 4 => (payload?.form === 'images' ? 4 : 1);

/** The payload that is being read. It may have several parts, each with its own size in front of it. */
export class Payload {
  /** Bytes still to come of the current part. */
  #left = 0;
  /** Parts still to come after it: characters of ESC & or images of FS q, each after its size. */
  #parts = 0;
  /** Bytes of that size. */
  partHeader: 1 | 4 = 1;
  #columnBytes = 0;
  #brokeOff = false;
  /** Whether it is removed, as its command was. */
  discarding = false;

  /** Begins the payload of the command in `token`. `columnBytes`: its third byte, which for ESC & is y, bytes a column. */
  begin({ command, payload, parts }: Token, columnBytes: number, discarding = false): void {
    this.#left = payload;
    this.#parts = parts;
    this.partHeader = partHeaderOf(command);
    this.#columnBytes = columnBytes;
    this.discarding = discarding;
  }

  /** Bytes still to come of the current part. */
  get left(): number {
    return this.#left;
  }

  /** Whether other parts follow this one. */
  get hasParts(): boolean {
    return this.#parts > 0;
  }

  /** The fewest bytes that can still come: this part, and the size fields of the other parts. */
  get lacking(): number {
    return this.#left + this.#parts * this.partHeader;
  }

  /** The fewest that the printer still expects. */
  get missing(): number {
    return this.discarding ? 0 : this.lacking;
  }

  /** Takes up to `available` bytes that have arrived. Returns how many of them belong to this part. */
  take(available: number): number {
    const count = Math.min(this.#left, available);
    this.#left -= count;
    return count;
  }

  /** Whether the next part may have this size, of `partHeader` bytes. */
  allows(size: Uint8Array): boolean {
    return this.partHeader === 1 || (allowsImage(size, 0) && imageBytes(size, 0) <= MAX_PAYLOAD);
  }

  /** Begins the next part, which has this size. */
  nextPart(size: Uint8Array): void {
    this.#parts--;
    this.#left = this.partHeader === 1 ? size[0]! * this.#columnBytes : imageBytes(size, 0);
  }

  /** A further part is none: ends the payload. Gives the parts that are still to come, as short as they can be. */
  breakOff(): Uint8Array {
    const least = this.partHeader === 1 ? LEAST_CHARACTER : LEAST_IMAGE;
    const parts = Buffer.concat(Array<Uint8Array>(this.#parts).fill(least));
    this.#brokeOff = true;
    this.end();
    return parts;
  }

  /** False for parts behind some that broke off: 19 bytes would be 3,000 for the printer, again and again. */
  takes({ parts }: Token): boolean {
    return parts === 0 || !this.#brokeOff;
  }

  /** Ends the payload: no more of it will come. */
  end(): void {
    this.#left = this.#parts = 0;
  }
}

/** Replaces some values by NUL in bytes that are not text, in place: a printer that does not count them could obey them. */
export function silence(bytes: Uint8Array, values: readonly number[]): void {
  for (const value of values)
    for (let at = bytes.indexOf(value); at >= 0; at = bytes.indexOf(value, at + 1)) bytes[at] = NUL;
}

/** NULs that complete the command of this beginning of a header, with the payload that it announces then; 0 of nothing. */
export const completionOf = (held: Uint8Array): number => completed(held)?.lacks ?? 0;

/** The command that this beginning of a header is if NULs follow, and how many it lacks then; undefined of none. */
export function completed(held: Uint8Array): { command: EscposCommand; lacks: number } | undefined {
  if (held.length === 0) return undefined;
  const bytes = new Uint8Array(held.length + LONGEST_UNDECIDED);
  bytes.set(held);
  const token = newToken();
  if (readToken(bytes, 0, bytes.length, token) !== 'command') return undefined;
  const { command, length, payload, parts } = token;
  return { command, lacks: length + payload + parts * partHeaderOf(command) - held.length };
}

/** Index of the ESC = n in this header, or of the ESC that ends it and may begin one; 0 of none. */
export function selectionIn(header: Uint8Array): number {
  let at = header.indexOf(ESC, 1);
  while (at > 0 && at + 1 < header.length && header[at + 1] !== SELECT) at = header.indexOf(ESC, at + 1);
  return Math.max(0, at);
}
