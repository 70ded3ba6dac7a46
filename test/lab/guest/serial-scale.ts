/** A scale at the end of a serial line: what it says goes over the line as the line is, with what is wrong with it. */
import { EIGHT_NONE, type LineSettings, SEVEN_EVEN } from '../../../codecs/serial-line.ts';
import { atAnotherSpeed, TALKS, withParity } from '../../../plugins/serial/virtual-talk.ts';
import { randomFrom } from '../../random.ts';
import { FRAMING_ERROR, PARITY_ERROR } from './gadget-ftdi.ts';

/** The adapter's end of the line. `line`: as the host has set it, where the adapter can tell. */
export interface Adapter {
  readonly line?: LineSettings;
  onBytes: (bytes: Uint8Array) => void;
  write(bytes: Uint8Array, errors?: number): void;
}

export type Fault = 'none' | 'silence' | 'parity' | 'speed' | 'noise' | 'twice' | 'cut' | 'late' | 'garbage';

const NOISE = Uint8Array.of(0x78, 0x7f, 0x21, 0x15, 0x33);
const LATE_MS = 1500;
const STREAM_MS = 150;
const MOST = 15_000;
/** Questions of the others have one character. */
const QUESTION_END: Readonly<Record<string, string>> = { 'mt-sics': '\n', nci: '\r' };
/** The weight of the message before, where two come at once: it is out of date. */
export const OUTDATED_GRAMS = 9999;

export class SerialScale {
  grams = 0;
  fault: Fault = 'none';
  readonly #protocol: string;
  readonly #adapter: Adapter;
  readonly #random = randomFrom(8217);
  readonly #timer: NodeJS.Timeout | undefined;
  #held = '';

  constructor(protocol: string, adapter: Adapter) {
    this.#protocol = protocol;
    this.#adapter = adapter;
    adapter.onBytes = (bytes) => this.#hear(bytes);
    if (protocol === 'scale-stream') this.#timer = setInterval(() => this.#say(''), STREAM_MS);
  }

  /** Settings of the scale's line. */
  get line(): LineSettings {
    return TALKS[this.#protocol]?.parity ? SEVEN_EVEN : EIGHT_NONE;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#adapter.onBytes = () => {};
  }

  /** A question may come in pieces, and at another speed it is none. */
  #hear(bytes: Uint8Array): void {
    if (this.#protocol === 'scale-stream' || this.#otherSpeed) return;
    this.#held += Buffer.from(bytes).toString('latin1');
    if (!this.#held.endsWith(QUESTION_END[this.#protocol] ?? '')) return;
    this.#say(this.#held);
    this.#held = '';
  }

  get #otherSpeed(): boolean {
    const set = this.#adapter.line;
    return set !== undefined && set.baudRate !== this.line.baudRate;
  }

  #say(sent: string): void {
    const said = this.#answerTo(sent, this.grams);
    if (said === '' || this.fault === 'silence') return;
    if (this.fault === 'late') setTimeout(() => this.#transmit(said), LATE_MS);
    else if (this.fault === 'garbage')
      this.#adapter.write(Uint8Array.from({ length: 40 }, () => Math.floor(this.#random() * 256)));
    else if (this.fault === 'cut') this.#transmit(said.slice(0, Math.ceil(said.length / 2)));
    else if (this.fault === 'twice') this.#transmit(this.#answerTo(sent, OUTDATED_GRAMS) + said);
    else {
      if (this.fault === 'noise') this.#adapter.write(NOISE);
      this.#transmit(said);
    }
  }

  #answerTo(sent: string, grams: number): string {
    return TALKS[this.#protocol]?.answer(sent, { grams, moves: false, most: MOST }) ?? '';
  }

  /** Sends the bits of the scale on the line, as the host's end of it takes them. */
  #transmit(text: string): void {
    const set = this.#adapter.line;
    const plain = Uint8Array.from(text, (character) => character.charCodeAt(0));
    const odd = withParity(text).some((byte) => byte > 0x7f);
    if (this.fault === 'speed' || this.#otherSpeed)
      this.#adapter.write(atAnotherSpeed(text), set === undefined ? 0 : FRAMING_ERROR);
    else if (this.fault === 'parity' || (set?.dataBits === 8 && this.line.dataBits === 7))
      this.#adapter.write(withParity(text));
    // The eighth bit is 0, where even parity would have it 1 after an odd number of ones.
    else if (set?.dataBits === 7 && this.line.dataBits === 8) this.#adapter.write(plain, odd ? PARITY_ERROR : 0);
    else this.#adapter.write(plain);
  }
}
