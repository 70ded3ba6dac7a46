/** Every model at the other end of one cable, and what they did that nobody but the API may have done. */
import type { Deed, PrinterModel } from './model.ts';
import { allModels } from './models.ts';

export interface Opening extends Deed {
  readonly model: string;
  /** What stands on the cable from a little before the deed to its end. */
  readonly bytes: string;
}

export class Witness {
  readonly #models: readonly PrinterModel[];
  #wire: Buffer[] = [];
  #base = 0;
  #length = 0;
  readonly #asked: number[];
  #authorised: Buffer[] = [];

  constructor(pulsesOnBel = false) {
    this.#models = allModels(pulsesOnBel);
    this.#asked = this.#models.map(() => 0);
  }

  /** Bytes arrive, in a transfer of their own. */
  take(bytes: Uint8Array): void {
    this.#wire.push(Buffer.from(bytes));
    this.#length += bytes.length;
    for (const model of this.#models) model.feed(bytes);
  }

  /** The API sends these bytes: the pulses that stand in them are its own. */
  authorise(bytes: Uint8Array): void {
    this.#authorised.push(Buffer.from(bytes));
  }

  powerCycle(): void {
    for (const model of this.#models) model.powerCycle();
  }

  /** Bytes on the cable since the last question. */
  get wire(): Buffer {
    return Buffer.concat(this.#wire);
  }

  /** What the models did since the last question that is neither a kick of the API nor stands in its raw bytes, once each. */
  opened(): Opening[] {
    const all = this.wire;
    /** By the end of each pulse of the API, where it begins. */
    const own = new Map<number, number>();
    for (const bytes of this.#authorised) {
      for (let at = all.indexOf(bytes); at >= 0; at = all.indexOf(bytes, at + 1)) {
        for (let pulse = bytes.indexOf('\x1bp'); pulse >= 0; pulse = bytes.indexOf('\x1bp', pulse + 1))
          own.set(this.#base + at + pulse + 5, this.#base + at + pulse);
      }
    }
    const openings = this.#models.flatMap(({ name, deeds }, index) => {
      const fresh = deeds.slice(this.#asked[index]);
      this.#asked[index] = deeds.length;
      return (
        fresh
          // A printer that took its ESC for the end of a real-time command may have had one before: it is one pulse all the same.
          .filter(({ from, to, replayed }) => replayed || from > (own.get(to) ?? -1))
          .map((deed) => ({
            model: name,
            ...deed,
            bytes: all.subarray(Math.max(0, deed.from - this.#base - 24), deed.to - this.#base).toString('hex'),
          }))
      );
    });
    this.#wire = [];
    this.#base = this.#length;
    this.#authorised = [];
    return openings;
  }
}

const KICKS = 64;
/** Times of the pulses of the API: no test sends times as long as these to port 9100. */
const FIRST_TIME = 0x80;

/** The units of on and off time of the n-th kick, which no other one nearby has. */
export const kickTimes = (n: number): readonly [number, number] => [
  FIRST_TIME + (n % KICKS),
  FIRST_TIME + KICKS + (Math.floor(n / KICKS) % KICKS),
];
