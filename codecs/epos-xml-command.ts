/** Bytes of `command`, followed as a printer reads them: the print command behind them begins with ESC @, which ends what they leave. */
import { EposError, type EposRemark } from './epos-xml-values.ts';
import { freshMode } from './escpos-mode.ts';
import { MAX_PAYLOAD } from './escpos-payload.ts';
import { EscposStream } from './escpos-stream.ts';
import { AS_SENT, NOWHERE } from './escpos-stretches.ts';
import { isLead, newToken, readToken } from './escpos-tokenizer.ts';

/** Parameters that select what a printer has after a reset. */
const AS_AFTER_RESET: ReadonlySet<number | undefined> = new Set([0, 0x30]);

/** The bytes of `command` elements in a row, which are pieces of one job. */
export class EposBytes {
  readonly #mode = freshMode();
  readonly #stream = new EscposStream(AS_SENT, this.#mode);
  readonly #token = newToken();
  /** Names of the commands whose settings last. */
  readonly #set = new Set<string>();

  /** Throws an EposError where they begin a payload that nobody waits for. */
  push(bytes: Uint8Array): void {
    this.#stream.push(bytes.slice(), NOWHERE);
    if (this.#stream.owed > MAX_PAYLOAD) throw new EposError('command', 'begins a payload of over 1 MiB');
    for (let at = 0; at < bytes.length; ) at += isLead(bytes[at]!) ? this.#follow(bytes, at) : 1;
  }

  /** Other commands come now, or none. `text`: they have text, which would have the looks that the bytes set. */
  end(text: boolean, remark: EposRemark): void {
    if (this.#mode.textPending) remark('command: text that no line feed ends is not printed');
    if (text && this.#set.size > 0) remark('command: what it sets does not last into the text behind it');
  }

  #follow(bytes: Uint8Array, at: number): number {
    const token = this.#token;
    if (readToken(bytes, at, bytes.length, token) !== 'command') return 1;
    const { command, length, payload } = token;
    if (command.role === 'initialize') this.#set.clear();
    else if (command.isSetting && AS_AFTER_RESET.has(bytes[at + length - 1])) this.#set.delete(command.name);
    else if (command.isSetting && length > 2) this.#set.add(command.name);
    return length + payload;
  }
}
