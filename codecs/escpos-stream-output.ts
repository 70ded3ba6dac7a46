/** What the filter of port 9100 keeps of its stream, and what it puts between. */
import { Boundaries } from './escpos-boundaries.ts';
import type { EscposCommand } from './escpos-command-lengths.ts';
import { endsInPair, ONE_NUL, OpenEnds, wholeTo } from './escpos-open-ends.ts';
import { completed, selectionIn, silence } from './escpos-payload.ts';
import type { StreamSink } from './escpos-stream-sink.ts';
import { DLE, isLead, newToken, readToken, type Token } from './escpos-tokenizer.ts';
import { Trail } from './escpos-trail.ts';

const EMPTY = new Uint8Array(0);
/** What may stand behind the DLE of a real-time command: EOT, ENQ, DC4, and the DLE of another one. */
const BEHIND_DLE: readonly number[] = [0x04, 0x05, 0x14, DLE];

/** True where a real-time command may begin from one index on, with its second byte before another one. */
function hasRealtime(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to - 1; i++) if (bytes[i] === DLE && BEHIND_DLE.includes(bytes[i + 1]!)) return true;
  return false;
}

/** False of commands with data, and of those that matter to more than the line: none of their letters is one of a display's. */
const isOfDisplays = ({ role, payload }: EscposCommand): boolean =>
  payload === undefined && (role === 'none' || role === 'inLine');

/** See `StreamSink.forward`. */
type Send = (bytes: Uint8Array, boundaries?: Boundaries) => void;

/** The current bytes, and where in them the filter is. Bytes that are kept are sent in runs, without a copy. */
export class StreamOutput {
  bytes: Uint8Array = EMPTY;
  /** Index of the first byte that is not read yet. */
  at = 0;
  readonly ends = new OpenEnds();
  /** Bytes that were kept since the last boundary that was told. */
  sinceBoundary = 0;
  /** Index of the first byte that is not sent yet. */
  #from = 0;
  /** In what is not sent yet. */
  #boundaries = new Boundaries();
  readonly #last: Uint8Array;
  /** A real-time command may begin in those. */
  #afterDle: boolean;
  /** Index before which none begins in the current bytes, and the first DLE from some such index on. */
  #seenTo = 0;
  #dle = -1;
  readonly #send: Send;
  readonly #silenced: readonly number[];

  /** `last`: those that the streams to this printer sent last; it is changed. `silenced`: values that never leave, a NUL in their place. */
  constructor(send: Send, last: Uint8Array, silenced: readonly number[]) {
    this.#send = send;
    this.#silenced = silenced;
    this.#last = last;
    this.#afterDle = this.#isAfterDle();
  }

  /** Makes these the current bytes. */
  begin(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.at = this.#from = this.#seenTo = 0;
    this.#dle = -1;
  }

  /** Sends those that are kept and forgets them. `at` stays. */
  end(): void {
    this.flush();
    this.bytes = EMPTY;
  }

  /** Keeps the next `count` bytes. */
  pass(count: number): void {
    this.at += count;
    this.sinceBoundary += count;
    this.ends.passed(count);
  }

  /** Keeps the next bytes, which are text, up to an index. `pairs`: two of them may be one character. */
  passText(to: number, pairs = false): void {
    const from = this.at;
    const { inCharacter } = this.ends;
    this.pass(to - from);
    this.ends.passedText(this.bytes, from, to, inCharacter);
    if (pairs) this.ends.inCharacter ||= endsInPair(this.bytes, from, to, inCharacter);
  }

  /**
   * The same, of text in which other commands may stand: behind its first `taken` bytes, and any that ends a character, of Shift JIS
   * where that is known.
   */
  passLines(to: number, taken: number, isShiftJis: boolean): void {
    const { bytes, ends } = this;
    // What goes on with a character that another text began is told by its second byte.
    const from = this.at + Math.max(taken, ends.inCharacter ? 1 : 0);
    const last = wholeTo(bytes, from, to);
    this.passText(to);
    if (from >= to) return;
    const text = { first: from + 1 - this.#from, last: last - this.#from, end: to - this.#from };
    this.#boundaries.addText(text, isShiftJis);
    if (last > from) this.sinceBoundary = to - last;
  }

  /** Keeps the next byte, the lead byte of no known command. */
  passUnknown(): void {
    this.pass(1);
    this.ends.passedUnknown();
  }

  /** Another command may stand behind what is kept. `asIs`: with nothing around it, so that what is kept need not be sent now. */
  boundary(sink: StreamSink, asIs: boolean): void {
    this.sinceBoundary = 0;
    if (asIs && this.#from < this.at) {
      this.#boundaries.add(this.at - this.#from);
      return;
    }
    this.flush();
    sink.boundary?.();
  }

  /** The next byte begins what may be a picture. */
  picture(sink: StreamSink): void {
    if (sink.picture === undefined || this.ends.isOpen) return;
    this.flush();
    sink.picture();
  }

  /** Removes the next `count` bytes. */
  skip(count: number): void {
    this.flush();
    this.at += count;
    this.#from = this.at;
  }

  /** Removes a command of so many bytes. Where an unknown lead byte stands before it, a NUL takes its place, as one of its parameters. */
  drop(count: number): void {
    this.skip(count);
    if (!this.ends.isNearUnknown) return;
    this.#out(ONE_NUL);
    this.ends.passed(ONE_NUL.length);
  }

  /** Inserts bytes that are not part of the stream. */
  insert(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.flush();
    this.#out(bytes);
    this.ends.inserted();
  }

  /**
   * The next `count` bytes, of a header, as the guard of the drawer leaves them, wherever a macro may exist; undefined where it
   * changes none.
   */
  guarded(count: number): Uint8Array | undefined {
    const { bytes, at } = this;
    const from = Math.max(this.#from, at - this.#last.length);
    if (this.#isHarmless(from, count)) return undefined;
    const near = bytes.subarray(from, at);
    const header = bytes.subarray(at, at + count);
    const trail = new Trail({ begun: true, recording: true, pulse: true });
    trail.guard(Buffer.concat([this.#last, near]));
    const guarded = Buffer.from(header);
    trail.guard(guarded);
    return guarded.equals(header) ? undefined : guarded;
  }

  /**
   * Whether printers read the header of the token that begins here as it stands: false where the guard of the drawer makes another
   * command of it, or another payload, or the NULs in the place of what is silenced do, and where a printer that ignores it, and
   * waits for a command with the lead byte `awaited`, may find that in it.
   */
  isCounted({ command, length, payload, parts }: Token, awaited: number | undefined): boolean {
    const silenced = this.#silenced;
    if (awaited !== undefined && this.bytes.subarray(this.at + 1, this.at + length).includes(awaited)) return false;
    const guarded = this.guarded(length);
    const header = silenced.length === 0 ? EMPTY : this.bytes.subarray(this.at, this.at + length);
    const isSilenced = header.length > 0 && silenced.some((value) => header.includes(value));
    if (guarded === undefined && !isSilenced) return true;
    const changed = guarded ?? this.bytes.slice(this.at, this.at + length);
    silence(changed, silenced);
    if (!isLead(changed[0]!)) return false;
    const token = newToken();
    const kind = readToken(changed, 0, changed.length, token);
    if (kind !== 'command' || (isSilenced && token.length !== length)) return false;
    return token.command === command && token.payload === payload && token.parts === parts;
  }

  /**
   * Ends the header that begins here, of which `length` bytes have come, before the ESC = in it; false where it has none. A customer display, which gets what
   * the printer ignores that is deselected, has shorter commands of the same letters (ESC W of four and of eight bytes). NULs complete
   * it for a printer that counts what it ignores.
   */
  endsBeforeSelection(length: number): boolean {
    const header = this.bytes.subarray(this.at, this.at + length);
    const end = selectionIn(header);
    if (end === 0) return false;
    const begun = completed(header.subarray(0, end));
    this.insert(this.ends.afterUnknown);
    if (begun && isOfDisplays(begun.command) && this.guarded(end) === undefined) {
      this.pass(end);
      this.insert(new Uint8Array(begun.lacks));
      // A printer that is not deselected after all would obey it.
    } else this.skip(end);
    return true;
  }

  /**
   * True where no sequence that harms can end in the next `count` bytes, of which the first is a lead byte: it begins with another
   * one of them, or with a real-time command before them. No other sequence has a lead byte in its middle and a known header there.
   */
  #isHarmless(from: number, count: number): boolean {
    const { bytes, at } = this;
    if (this.#afterDle && from === this.#from) return false;
    // The last one begins nothing that ends in the header.
    for (let i = at + 1; i < at + count - 1; i++) if (isLead(bytes[i]!)) return false;
    // What stands before the last header was looked at with that one.
    const unseen = Math.max(from, this.#seenTo);
    if (this.#dle < unseen) this.#dle = this.#nextDle(unseen);
    if (this.#dle <= at && hasRealtime(bytes, this.#dle, at + 1)) return false;
    this.#seenTo = at;
    return true;
  }

  #nextDle(from: number): number {
    const place = this.bytes.indexOf(DLE, from);
    return place < 0 ? this.bytes.length : place;
  }

  #isAfterDle(): boolean {
    return this.#last.at(-1) === DLE || hasRealtime(this.#last, 0, this.#last.length);
  }

  /** Sends those that are kept. */
  flush(): void {
    if (this.#from === this.at) return;
    const boundaries = this.#boundaries.isEmpty ? undefined : this.#boundaries;
    // Whoever takes them keeps them, while more of the stream is read.
    if (boundaries !== undefined) this.#boundaries = new Boundaries();
    this.#out(this.bytes.subarray(this.#from, this.at), boundaries);
    this.#from = this.at;
  }

  #out(bytes: Uint8Array, boundaries?: Boundaries): void {
    if (this.#silenced.length > 0) silence(bytes, this.#silenced);
    const count = Math.min(bytes.length, this.#last.length);
    this.#last.copyWithin(0, count);
    this.#last.set(bytes.subarray(bytes.length - count), this.#last.length - count);
    this.#afterDle = this.#isAfterDle();
    this.#send(bytes, boundaries);
  }
}
