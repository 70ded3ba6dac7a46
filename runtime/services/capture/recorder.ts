/** Records transfers in the ring while it is on, and streams the records, also when it is off again. */
import { Readable } from 'node:stream';
import { writeLine } from '../../bindings/recording.ts';
import type { UsbIdentity } from '../../bindings/usb.ts';
import type { TransferRecord } from '../../kernel/hooks.ts';
import type { Node } from '../../kernel/node.ts';
import { RING_BYTES, TrafficRing } from './ring.ts';

const NOTHING = new Uint8Array(0);

type Needs = Pick<Node, 'bindings' | 'recording' | 'startedAt'>;

/** The diagnostic ring of a node. */
export class Recorder {
  readonly #node: Needs;
  #ring: TrafficRing | undefined;

  constructor(node: Needs) {
    this.#node = node;
  }

  /** True where it never was on. */
  get isNew(): boolean {
    return this.#ring === undefined;
  }

  /** Switches it on. Returns false, and changes nothing, if there is not enough memory. */
  on(): boolean {
    if (this.#ring === undefined && this.#node.bindings.host.memoryLeft() < RING_BYTES) return false;
    this.#ring ??= new TrafficRing();
    this.#node.recording = true;
    return true;
  }

  off(): void {
    this.#node.recording = false;
    if (this.#ring?.newest === 0) this.#ring = undefined;
  }

  record({ data, device: identity, ...rest }: TransferRecord): void {
    if (!this.#node.recording) return;
    this.#ring?.add({ tMs: this.#now(), ...rest, ...(identity && { identity }) }, data);
  }

  /** Adds a mark. Returns the number of its record; undefined if it was never switched on. */
  mark(text: string): number | undefined {
    return this.#ring?.add({ tMs: this.#now(), channel: 'mark', direction: 'mark', text }, NOTHING);
  }

  /**
   * The records that exist now as NDJSON, written at the reader's pace; a record that is overwritten before it is written is
   * left out. A stream holds no record: the front cuts those that nobody reads.
   */
  stream(): Readable {
    return Readable.from(this.#lines(), { objectMode: false });
  }

  *#lines(): Generator<string> {
    const ring = this.#ring;
    if (ring === undefined) return;
    const { newest } = ring;
    const known = new Map<string, UsbIdentity>();
    for (let seq = ring.oldest; seq <= newest; seq = Math.max(seq + 1, ring.oldest)) {
      const record = ring.get(seq);
      if (record === undefined) continue;
      const { identity, ...transfer } = record;
      if (identity !== undefined && known.get(record.channel) !== identity) {
        known.set(record.channel, identity);
        const { tMs, channel } = record;
        yield writeLine({ seq: 0, tMs, channel, direction: 'connect', identity, length: 0, data: NOTHING });
      }
      yield writeLine(transfer);
    }
  }

  #now(): number {
    return Math.round(performance.now() - this.#node.startedAt);
  }
}
