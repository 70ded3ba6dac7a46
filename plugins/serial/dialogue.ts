/** Questions and answers on a serial line: one question at a time, and what came within a second. */
import type { Parsed } from '../../codecs/codec.ts';
import type { ScaleReading } from '../../codecs/hid-scale.ts';
import { sevenBits } from '../../codecs/serial-line.ts';
import { readMessages, type SaidUnit, type SerialScaleProtocol } from '../../codecs/serial-scale.ts';
import type { LineBytes } from '../../runtime/bindings/serial/adapter.ts';
import type { SerialLine } from '../../runtime/bindings/serial/line.ts';
import type { PipeReading } from '../../runtime/bindings/usb-transfers.ts';

/** How long a scale may take to answer, and a scale that sends by itself from one weight to the next. */
export const ANSWER_MS = 1000;

/** What one question brought: `nothing` at all, bytes that are no answer (`garbled`), or one that could be read, or not. */
export type Answered = 'nothing' | 'garbled' | Parsed<ScaleReading>;

/** The node's side of a line with a scale on it. */
export class Dialogue {
  readonly #line: SerialLine;
  readonly #protocol: SerialScaleProtocol;
  readonly #unit: SaidUnit | undefined;
  readonly #reading: PipeReading;
  #text = '';
  #heard = false;
  #answer: ((answer: Parsed<ScaleReading>) => void) | undefined;

  /** `unit`: of messages that have none, where the operator has said it. */
  constructor(line: SerialLine, protocol: SerialScaleProtocol, unit?: SaidUnit) {
    this.#line = line;
    this.#protocol = protocol;
    this.#unit = unit;
    this.#reading = line.read((arrived) => this.#take(arrived));
  }

  /** Asks once, where the protocol asks, and waits for the answer. Does not reject. */
  async weigh(signal: AbortSignal): Promise<Answered> {
    const { ask } = this.#protocol;
    this.#heard = false;
    // What came late belongs to another question.
    if (ask !== undefined) this.#text = '';
    const { promise, end } = this.#wait(signal);
    if (ask !== undefined) this.#say(ask);
    const answer = await promise;
    end();
    return answer ?? (this.#heard ? 'garbled' : 'nothing');
  }

  /** Ends reading. */
  stop(): Promise<void> {
    return this.#reading.stop();
  }

  #wait(signal: AbortSignal) {
    let timer: NodeJS.Timeout | undefined;
    let over = () => {};
    const promise = new Promise<Parsed<ScaleReading> | undefined>((resolve) => {
      over = () => resolve(undefined);
      this.#answer = resolve;
      timer = setTimeout(over, ANSWER_MS).unref();
      if (signal.aborted) over();
      else signal.addEventListener('abort', over, { once: true });
    });
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', over);
      this.#answer = undefined;
    };
    return { promise, end };
  }

  /** An adapter that takes nothing is like a scale that answers nothing; one that was pulled is let go by hot-plug. */
  #say(text: string): void {
    this.#line.write(text).catch(() => {});
  }

  #take({ bytes, broken }: LineBytes): void {
    if (bytes.length === 0) return;
    this.#heard = true;
    if (broken) {
      this.#text = '';
      return;
    }
    const { reply } = this.#protocol;
    const text = this.#text + sevenBits(bytes);
    const { reading, rest } = readMessages(this.#protocol, text, this.#unit);
    this.#text = rest;
    if (reading !== undefined) this.#answer?.(reading);
    else if (reply !== undefined && this.#answer !== undefined && rest.endsWith(reply.heard)) this.#say(reply.send);
  }
}
