/** The person who certifies the twin's device of a room: what the tests of the room bring in their `person.ts`. */
import type { NodeClient } from '../../runtime/client/client.ts';

/** A running twin. */
export interface Counter {
  readonly client: NodeClient;
  /** Host and port of its port 9100; empty if it has none. */
  readonly raw: string;
}

export interface Person {
  /** The kind of the device. */
  readonly kind: string;
  /** To the questions of the tour, by their ids. */
  readonly answers: Readonly<Record<string, string>>;
  /** What the questions ask for, done with the bench of the twin, by their ids. Every device is pulled by `replug`. */
  moves(counter: Counter): Readonly<Record<string, () => Promise<unknown>>>;
}
