/** A scale on a serial line: asked again and again, and each answer, or the lack of one, is its state. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Parsed } from '../../codecs/codec.ts';
import type { ScaleReading } from '../../codecs/hid-scale.ts';
import type { SaidUnit, SerialScaleProtocol } from '../../codecs/serial-scale.ts';
import type { SerialLine } from '../../runtime/bindings/serial/line.ts';
import type { Resolution } from '../../runtime/recipes/table.ts';
import type { BoundScale } from '../scale/contract.ts';
import { Dialogue } from './dialogue.ts';

/** Pause between an answer and the next question. */
const POLL_MS = 250;
/** A scale that did not answer so often in a row is silent; each time is `ANSWER_MS` long. */
const SILENT_AFTER = 2;

/** The reading where what was heard is no weight: the one before it may be wrong now. */
const UNREADABLE: ScaleReading = { weight: null, unit: null, stable: false, fault: 'fault' };

export interface SerialScaleParts {
  readonly line: SerialLine;
  readonly protocol: SerialScaleProtocol;
  readonly recipe: Resolution;
  /** The unit of messages that have none, where the operator has said it. */
  readonly unit: SaidUnit | undefined;
  /** Called with each reading that differs from the one before. */
  readonly onReading: (reading: ScaleReading) => void;
}

/** One bound scale; the kernel keeps it for its endpoint. */
export class SerialScale implements BoundScale {
  readonly recipe: Resolution;
  readonly #parts: SerialScaleParts;
  readonly #dialogue: Dialogue;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  readonly #boundAt = performance.now();
  #last: ScaleReading | undefined;
  /** As the scale said it last, to be compared with what it says next. */
  #said: ScaleReading | undefined;
  #heardAt: number | undefined;
  #unanswered = 0;
  #garbled = false;

  constructor(parts: SerialScaleParts) {
    this.recipe = parts.recipe;
    this.#parts = parts;
    this.#dialogue = new Dialogue(parts.line, parts.protocol, parts.unit);
    this.#running = this.#run();
  }

  get reading(): ScaleReading | undefined {
    return this.asleep ? undefined : this.#last;
  }

  get ageMs(): number | undefined {
    return this.#heardAt === undefined ? undefined : Math.round(performance.now() - this.#heardAt);
  }

  get asleep(): boolean {
    return this.#unanswered >= SILENT_AFTER;
  }

  silentSince(): number | undefined {
    return this.asleep || this.#garbled ? (this.#heardAt ?? this.#boundAt) : undefined;
  }

  silentReason(): string | undefined {
    if (this.#garbled) return 'garbled';
    return this.asleep ? 'no_answer' : undefined;
  }

  async release(): Promise<void> {
    this.#stopping.abort();
    await this.#dialogue.stop();
    await this.#running;
    await this.#parts.line.close();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const heard = await this.#dialogue.weigh(signal);
      if (signal.aborted) return;
      if (heard === 'nothing') {
        this.#unanswered += 1;
        this.#garbled = false;
      } else {
        const read = heard === 'garbled' ? { ok: false as const, reason: heard } : heard;
        this.#take(read);
        this.#garbled = !read.ok;
        this.#unanswered = 0;
      }
      const asks = this.#parts.protocol.ask !== undefined;
      if (asks) await delay(POLL_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /**
   * A line may lose a character of a weight, or turn it into another, and nothing tells. So what is not said twice in a row
   * is never stable, and never zero.
   */
  #take(heard: Parsed<ScaleReading>): void {
    const before = this.reading;
    const saidBefore = this.#said;
    this.#said = heard.ok ? heard.value : undefined;
    if (heard.ok) this.#heardAt = performance.now();
    const isRepeated = saidBefore?.weight === this.#said?.weight && saidBefore?.unit === this.#said?.unit;
    if (this.#said?.weight === 0 && !isRepeated) return;
    const stable = isRepeated && this.#said?.stable === true;
    this.#last = this.#said === undefined ? UNREADABLE : { ...this.#said, stable };
    if (before === undefined || !same(before, this.#last)) this.#parts.onReading(this.#last);
  }
}

const same = (a: ScaleReading, b: ScaleReading) => a.weight === b.weight && a.unit === b.unit && a.stable === b.stable;
