/** Takes messages in: many requests into one commit, and a refusal before memory grows. */
import { type Batches, Full } from '../database/database.ts';
import { Busy, Refusal } from '../http/errors.ts';
import { inSpan } from '../traces/spans.ts';
import { type CountedOddity, type Message, type Stored, store } from './batch.ts';
import { Oddities, type Oddity } from './oddities.ts';
import { ProcessTrouble } from './trouble.ts';

/** How long the first message of a batch waits for others. */
const WAIT_MS = 5;
const BATCH = 500;
/** Most messages that wait, most of one node, and most bytes of them: what comes in some seconds to a server that has become slow. */
const WAITING = 4000;
const OF_ONE_NODE = 32;
const WAITING_BYTES = 8 * 1024 * 1024;
/** A message that is older is answered `503`, and none is taken in beside one: nodes hang up after ten seconds. */
const OLD_MS = 5000;
/** A look that comes so much later than it should: nothing was read meanwhile. */
const STALLED_MS = 5000;
/** How often old ones are looked for, and what was counted is written where no message takes it along. */
const LOOK_MS = 1000;

interface Waiting {
  readonly message: Message;
  readonly bytes: number;
  /** When it came, by `performance.now()`. */
  readonly since: number;
  isAnswered: boolean;
  readonly done: () => void;
  readonly failed: (error: Error) => void;
}

/** Collects messages and stores them in batches. */
export class Ingest {
  /** Wrong requests that are counted with the next batch. */
  readonly oddities = new Oddities();
  /** When messages were refused, or came to wait for too long. */
  readonly trouble = new ProcessTrouble();
  readonly #database: Batches;
  readonly #report: (error: Error) => void;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  readonly #ofNode = new Map<string, number>();
  readonly #underWay = new Set<readonly Waiting[]>();
  #timer: NodeJS.Timeout | undefined;
  readonly #look: NodeJS.Timeout;
  #stored = 0;
  #refused = 0;
  #heartbeats = 0;
  readonly #odd = new Map<Oddity['kind'], number>();

  /** `report` is told each failure of the database. */
  constructor(database: Batches, report: (error: Error) => void) {
    this.#database = database;
    this.#report = report;
    let looked = performance.now();
    this.#look = setInterval(() => {
      const now = performance.now();
      if (now - looked > STALLED_MS) this.trouble.note(now);
      looked = now;
      this.#dismissOld();
      const isIdle = this.#waiting.length === 0 && this.#underWay.size === 0;
      if (this.oddities.size > 0 && isIdle) void this.#flush();
    }, LOOK_MS);
    this.#look.unref();
  }

  /** Messages that this process has stored and refused since its start, and the heartbeats among those, each once. */
  get counts(): Readonly<Record<'stored' | 'refused' | 'heartbeats' | 'waiting', number>> {
    const [stored, refused, heartbeats] = [this.#stored, this.#refused, this.#heartbeats];
    return { stored, refused, heartbeats, waiting: this.#waiting.length };
  }

  /** What was wrong since its start, as it was stored. */
  oddCount(kind: Oddity['kind']): number {
    return this.#odd.get(kind) ?? 0;
  }

  /** Throws `Busy` where there is no room for one more message: before it is read. */
  mustHaveRoom(): void {
    const isFull = this.#waiting.length >= WAITING || this.#waitingBytes >= WAITING_BYTES;
    if (!isFull && !this.#oldest().some(isOld)) return;
    this.noteRefused();
    throw new Busy('too many messages wait, or for too long');
  }

  /** A message was refused, here or before it came here: the database was away, or too much waits. */
  noteRefused(): void {
    this.#refused += 1;
    this.trouble.note();
  }

  /**
   * Resolves when the message, which came in so many bytes, is committed. Rejects with `Busy` where it may not be; it may
   * have been stored all the same, and then comes again in vain.
   */
  async offer(message: Message, bytes: number): Promise<void> {
    this.mustHaveRoom();
    const { node } = message.message;
    const others = this.#ofNode.get(node) ?? 0;
    if (others >= OF_ONE_NODE) throw new Busy('so many messages of this node wait');
    this.#ofNode.set(node, others + 1);
    try {
      await new Promise<void>((done, failed) => {
        this.#waiting.push({ message, bytes, since: performance.now(), isAnswered: false, done, failed });
        this.#waitingBytes += bytes;
        this.#schedule();
      });
    } finally {
      const left = (this.#ofNode.get(node) ?? 1) - 1;
      if (left === 0) this.#ofNode.delete(node);
      else this.#ofNode.set(node, left);
    }
  }

  /** The first of those that wait, and of each batch that is under way. */
  #oldest(): Waiting[] {
    return [this.#waiting, ...this.#underWay].flatMap(([first]) => first ?? []);
  }

  /** Answers those whose sender is about to hang up. Whether one that is under way is stored is then not known. */
  #dismissOld(): void {
    for (const batch of this.#underWay) this.#refuse(batch.filter(isOld));
    const old = this.#waiting.filter(isOld);
    this.#waiting = this.#waiting.slice(old.length);
    this.#waitingBytes -= bytesOf(old);
    this.#refuse(old);
  }

  #refuse(messages: readonly Waiting[], detail = 'not stored'): void {
    for (const each of messages) {
      if (each.isAnswered) continue;
      each.isAnswered = true;
      this.noteRefused();
      each.failed(new Busy(detail));
    }
  }

  /** Stores what waits. */
  async close(): Promise<void> {
    clearInterval(this.#look);
    while (this.#waiting.length > 0 || this.#underWay.size > 0) {
      if (this.#waiting.length > 0) await this.#flush();
      else await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    }
  }

  #schedule(): void {
    if (this.#underWay.size >= this.#database.parallel) return;
    if (this.#waiting.length >= BATCH) void this.#flush();
    else this.#timer ??= setTimeout(() => void this.#flush(), WAIT_MS);
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#waiting.slice(0, BATCH);
    this.#waiting = this.#waiting.slice(BATCH);
    this.#waitingBytes -= bytesOf(batch);
    this.#underWay.add(batch);
    try {
      await this.#store(batch);
    } finally {
      this.#underWay.delete(batch);
      if (this.#waiting.length > 0) this.#schedule();
    }
  }

  async #store(batch: readonly Waiting[]): Promise<void> {
    const counted = this.oddities.take();
    try {
      const messages = batch.map(({ message }) => message);
      const stored = await inSpan(
        { name: 'ingest batch', kind: 'internal', attributes: { 'fleet.messages': batch.length }, isRoot: true },
        () => store(this.#database, messages, counted),
      );
      this.#count(stored);
      this.#stored += batch.length;
      for (const each of batch) {
        each.isAnswered = true;
        each.done();
      }
    } catch (error) {
      if (isOfData(error)) return this.#storeParts(batch, counted, error as Error);
      this.#report(error as Error);
      for (const each of counted) this.oddities.add(each);
      this.#refuse(batch, error instanceof Full ? 'the disk of the fleet is full' : undefined);
    }
  }

  #count({ heartbeats, oddities }: Stored): void {
    this.#heartbeats += heartbeats;
    for (const [kind, count] of oddities) this.#odd.set(kind, this.oddCount(kind) + count);
  }

  /** One message that the database does not take is no trouble of this process, and must not keep the others out. */
  async #storeParts(batch: readonly Waiting[], counted: readonly CountedOddity[], error: Error): Promise<void> {
    if (counted.length > 0) {
      // Where it is these, they are gone: kept, they would keep out all that comes.
      await store(this.#database, [], counted).then(
        (stored) => this.#count(stored),
        (error: unknown) => this.#report(error as Error),
      );
      return this.#store(batch);
    }
    const [first] = batch;
    if (first === undefined) return;
    if (batch.length > 1) {
      const half = Math.ceil(batch.length / 2);
      await this.#store(batch.slice(0, half));
      return this.#store(batch.slice(half));
    }
    this.#report(error);
    const { node } = first.message.message;
    this.oddities.add({
      kind: 'bad_body',
      node,
      address: first.message.address,
      detail: 'a value that no database takes',
    });
    if (first.isAnswered) return;
    first.isAnswered = true;
    first.failed(new Refusal('invalid_request', 'a value that no database takes'));
  }
}

const isOld = ({ since }: Waiting): boolean => performance.now() - since > OLD_MS;
const bytesOf = (messages: readonly Waiting[]): number => messages.reduce((sum, { bytes }) => sum + bytes, 0);

/** Whether the database refused a value (SQLSTATE class 22, data exception; 54, too long or too deep), and not the whole transaction. */
const isOfData = (error: unknown): boolean => /^(22|54)/.test(String((error as { code?: unknown }).code));
