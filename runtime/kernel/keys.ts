/**
 * Keys of idempotency (draft-ietf-httpapi-idempotency-key-header): a request that is sent again with its key is done once.
 * What began is on the disk before its first byte leaves, and what came of it before the answer; both are lines at the end
 * of one file. Between them stands that a byte is about to leave, which is not waited for until it is on the disk: a process that
 * was killed before had sent nothing, which is known as long as the machine runs on. A line that a crash cut off is skipped. Keys age by the time that the node runs, over all its runs: a clock that
 * is set forward, as one without a battery is after each start, must not make the node forget what it printed. The oldest are forgotten
 * first, so a client that heard which was the newest before it sent its own hears from the node whether that may be forgotten.
 */
import { createHash, randomBytes } from 'node:crypto';
import { toUSVString } from 'node:util';
import { defined } from '../base/defined.ts';
import { inTime } from '../base/in-time.ts';
import { messageOf } from '../base/thrown.ts';
import type { Bindings } from '../bindings/bindings.ts';
import type { Command } from './command.ts';
import { ApiError, type ErrorRow } from './errors.ts';
import { Journal, lineOf } from './journal.ts';
import { IDEMPOTENCY_REPLAYED, STORED } from './key-names.ts';
import type { StoredKey } from './keys-schema.ts';
import type { Logger } from './log.ts';
import { Reply } from './reply.ts';
import type { Contract } from './validator.ts';

const FILE = 'keys';
const KEYS = 1000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** What is kept takes at most so much of the file, which is read back up to 1 MiB; it is written anew at the second. */
const KEPT_BYTES = 640 * 1024;
const FILE_BYTES = 896 * 1024;
const FORGOTTEN =
  'keys behind the mark are forgotten, this one perhaps: it may have printed before; nothing was done now';
/** How long who asks for the mark waits for the disk. */
const PLANTING_MS = 1000;
/** A clock that says less was not set yet. */
const CLOCK_IS_SET = Date.UTC(2025, 0, 1);

interface Kept {
  readonly stored: StoredKey;
  /** Length of its line. */
  readonly bytes: number;
  /** Set while this run of the node serves its request: nothing has left yet, or something may have. */
  readonly underWay?: 'taken' | 'begun' | undefined;
}

/** A request with a key. */
export interface KeyedRequest {
  readonly key: string;
  /** The mark from before it was sent first, where it may have been sent before. */
  readonly mark?: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** Address of the client. */
  readonly from: string;
}

/** What the keys are made of. */
export interface KeyParts {
  readonly bindings: Pick<Bindings, 'storage'>;
  readonly contract: Contract;
  readonly errors: ReadonlyMap<string, ErrorRow>;
  readonly log: Logger;
}

/** A command of an earlier run that began and never ended, as far as its key tells. */
export type InterruptedCommand = Required<Pick<StoredKey, 'command'>> & Pick<StoredKey, 'key' | 'at'>;

/** The last 1,000 keys, of 24 hours in which the node runs. */
export class Keys {
  readonly #parts: KeyParts;
  /** In the order in which they were first used. */
  readonly #kept = new Map<string, Kept>();
  #keptBytes = 0;
  /** The last key whose end became known; it may be forgotten. */
  #newest = '';
  /** Stands where no request does, and is not on the disk yet. */
  #seed: StoredKey | undefined;
  #planting: Promise<void> | undefined;
  /** Keys of earlier runs that are free again. */
  #freed: ReadonlySet<string> = new Set();
  readonly #journal: Journal<StoredKey>;
  /** When the time of `ran` began, by the monotonic clock of this run, in ms. */
  #epoch = performance.now();

  constructor(parts: KeyParts) {
    this.#parts = parts;
    this.#journal = new Journal({
      node: parts,
      file: FILE,
      schema: STORED,
      limitBytes: FILE_BYTES,
      kept: () => [...this.#kept.values()].flatMap(({ stored, underWay }) => (underWay === 'taken' ? [] : stored)),
    });
  }

  /** Reads what an earlier run stored. Never rejects. */
  async load(): Promise<void> {
    try {
      const found = await this.#journal.load();
      this.#epoch = performance.now() - found.reduce((longest, { ran }) => Math.max(longest, ran), 0);
      for (const stored of found) this.#keep(stored);
      const free = [...this.#kept.values()].filter(({ stored }) => this.#hadNotLeft(stored));
      // On the disk, too: behind the next start of the machine nobody would know.
      for (const { stored } of free) await this.#end(endOf(stored, undefined), true);
      const freed = [...found.filter((stored) => stored.free === true), ...free.map(({ stored }) => stored)];
      this.#freed = new Set(freed.map(({ key }) => key));
    } catch (error) {
      this.#parts.log.error({ error: messageOf(error) }, 'the keys of idempotency cannot be read');
    }
  }

  /** The commands that began in an earlier run and never ended, oldest first. */
  interrupted(): readonly InterruptedCommand[] {
    return [...this.#kept.values()].flatMap(({ stored: { key, at, command, status }, underWay }) =>
      underWay === undefined && status === undefined && command !== undefined ? { key, at, command } : [],
    );
  }

  /** Whether it is known what came of a request of an earlier run: its answer, or that nothing of it left. */
  isKnown(key: string): boolean {
    const stored = this.#kept.get(key)?.stored;
    return stored === undefined ? this.#freed.has(key) : !isInDoubt(stored);
  }

  /**
   * Names a request that the node holds, in a place before all that come from now on: as long as the node holds it, none of those is
   * forgotten. It names another as soon as there is one, and is the same over restarts.
   */
  mark(): string {
    this.#forget();
    const newest = this.#kept.get(this.#newest)?.stored;
    if (newest !== undefined) return markOf(newest);
    const key = randomBytes(16).toString('hex');
    const seed = { key, print: digestOf(key), at: Date.now(), ran: this.#ran(), status: 200 };
    this.#seed = seed;
    this.#keep(seed);
    return markOf(seed);
  }

  /**
   * Resolves once what `mark` tells is on the disk: a node that is killed then takes it for what it was, and no receipt that never came for one
   * that may have printed. Never rejects, and waits for a disk that takes nothing no longer than a second.
   */
  async planted(): Promise<void> {
    this.mark();
    const seed = this.#seed;
    if (seed === undefined) return;
    this.#planting ??= this.#journal
      .append(seed)
      .then(() => {
        if (this.#seed === seed) this.#seed = undefined;
      })
      .finally(() => {
        this.#planting = undefined;
      });
    await inTime(this.#planting, PLANTING_MS).catch(() => {});
  }

  /**
   * Somebody looked at what came of a request of which the node does not know it: `reply` is its answer from now on; undefined,
   * nothing came of it: the key may be used again. Nothing happens to a key whose end is known. Rejects where the disk takes
   * nothing.
   */
  async settle(key: string, reply: Reply | undefined): Promise<void> {
    const { stored, underWay } = this.#kept.get(key) ?? {};
    if (stored === undefined || underWay !== undefined || !isInDoubt(stored)) return;
    const last = endOf(stored, reply);
    // Before it is on the disk, as others may write the file anew.
    this.#keep(last);
    await this.#journal.append(last).catch((error: unknown) => {
      if (reply !== undefined || !this.#kept.has(key)) this.#keep(stored);
      throw error;
    });
  }

  /**
   * Does `work` unless the key was used before: then the stored answer, with `Idempotency-Replayed`. A key of which nothing
   * was done may be used again. Rejects with the ApiError `idempotency_mismatch`, `key_in_use`, `write_failed` where the
   * work began in an earlier run of the node and never ended, or may be forgotten; `persist_failed` where the disk takes no key; or as
   * `work`.
   */
  async once(request: KeyedRequest, work: (begin: () => Promise<void>) => Promise<Reply>): Promise<Reply> {
    const { key, mark } = request;
    const print = fingerprintOf(request);
    this.#forget();
    const known = this.#kept.get(key);
    if (known !== undefined) return replayed(known, print);
    if (mark !== undefined && ![...this.#kept.values()].some((each) => markOf(each.stored) === mark))
      throw new ApiError('write_failed', FORGOTTEN);

    const { machineRun } = this.#parts.bindings.storage;
    const stored: StoredKey = {
      ...{ key, print, at: Date.now(), ran: this.#ran() },
      ...commandOf(request),
      ...defined({ machineRun }),
    };
    this.#keep(stored, 'taken');
    let began: Promise<void> | undefined;
    let mayBeStored = false;
    const begin = (): Promise<void> => {
      const begins = this.#kept.get(key)?.stored ?? stored;
      this.#keep(begins, 'begun');
      mayBeStored = true;
      began ??= this.#store(begins).catch((error: unknown) => {
        began = undefined;
        throw new ApiError('persist_failed', `the key cannot be stored (${messageOf(error)}); nothing was done`);
      });
      return began;
    };
    let reply: Reply | undefined;
    try {
      reply = await work(begin);
    } catch (error) {
      // A refusal is one of before it began; of any other error nobody knows.
      if (!(error instanceof ApiError)) reply = new Reply(500, { ok: false, error: 'internal' });
      throw error;
    } finally {
      const ending = reply !== undefined && this.#didNothing(reply, began !== undefined) ? undefined : reply;
      await this.#end(endOf(stored, ending), mayBeStored);
    }
    return reply;
  }

  /** What the request with its key came to be. One that began before is noted again: a node that is killed says what it was. */
  isFor({ key = '', type, id, endpoint, from = 'node' }: Command): void {
    const { stored, underWay } = this.#kept.get(key) ?? {};
    if (stored === undefined || underWay === undefined) return;
    const named: StoredKey = { ...stored, command: { type, id, endpoint, from } };
    this.#keep(named, underWay);
    if (underWay === 'begun') void this.#journal.note(named).catch(() => {});
  }

  /** Resolves when its first byte may leave. */
  async #store(stored: StoredKey): Promise<void> {
    const seed = this.#seed;
    await this.#journal.append(...(seed !== undefined && this.#kept.has(seed.key) ? [seed] : []), stored);
    if (this.#seed === seed) this.#seed = undefined;
    const left: StoredKey = { ...(this.#kept.get(stored.key)?.stored ?? stored), left: true };
    this.#keep(left, 'begun');
    await this.#journal.note(left);
  }

  /** Whether an earlier run was killed before a byte of it left. */
  #hadNotLeft({ status, left, machineRun }: StoredKey): boolean {
    return (
      status === undefined &&
      left !== true &&
      machineRun !== undefined &&
      machineRun === this.#parts.bindings.storage.machineRun
    );
  }

  /** `mayBeStored`: its beginning may be on the disk, also where that was refused: others write the file anew meanwhile. */
  async #end(last: StoredKey, mayBeStored: boolean): Promise<void> {
    this.#keep(last);
    if (last.free === true && !mayBeStored) return;
    // The answer is known, and goes out whether the disk takes it or not; what began there, did.
    await this.#journal.append(last).catch((error: unknown) => {
      this.#parts.log.error({ error: messageOf(error) }, 'what came of a key cannot be stored');
    });
  }

  /** Whether the request may be sent again as it is: nothing left for a device. */
  #didNothing({ status, body }: Reply, began: boolean): boolean {
    if (status < 300) return false;
    const { error, bytes } = body as { readonly error?: unknown; readonly bytes?: unknown };
    return !began || bytes === 0 || this.#parts.errors.get(String(error))?.retry === 'yes';
  }

  #keep(stored: StoredKey, underWay?: Kept['underWay']): void {
    const { key } = stored;
    const before = this.#kept.get(key);
    if (stored.free === true) {
      this.#drop(key);
      return;
    }
    const bytes = lineOf(stored).length;
    this.#keptBytes += bytes - (before?.bytes ?? 0);
    this.#kept.set(key, { stored, bytes, underWay });
    if (stored.status !== undefined && !isInDoubt(stored)) this.#newest = key;
    this.#forget();
  }

  #drop(key: string): void {
    this.#keptBytes -= this.#kept.get(key)?.bytes ?? 0;
    this.#kept.delete(key);
  }

  /** Drops what is too old, and the oldest where there are too many. One that is under way stays. */
  #forget(): void {
    const ran = this.#ran();
    for (const [key, { stored, underWay }] of this.#kept) {
      const isTooMany = this.#kept.size > KEYS || this.#keptBytes > KEPT_BYTES;
      if (!isTooMany && ran - stored.ran < DAY_MS) return;
      if (underWay === undefined) this.#drop(key);
    }
  }

  #ran(): number {
    return Math.floor(performance.now() - this.#epoch);
  }
}

/** Names a key for others than its client, in 128 bits: the same from its first line to its last; another one where the key is used again, or at another node. */
const markOf = ({ key, print, at, ran }: StoredKey): string => digestOf(`${key}\n${print}\n${at}\n${ran}`).slice(0, 32);

/** What the body says of the command, until a room says it. */
function commandOf({ path, body, from }: KeyedRequest): Pick<StoredKey, 'command'> {
  const { type, id, endpoint } = (body ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof id !== 'string' || typeof endpoint !== 'string') return {};
  return { command: { type: typeof type === 'string' ? type : path.slice(1), id, endpoint, from } };
}

/** The last line of a key: its answer, or that it is free again. */
const endOf = ({ key, print, at, ran }: StoredKey, reply: Reply | undefined): StoredKey => ({
  ...{ key, print, at, ran },
  ...(reply === undefined ? { free: true } : { status: reply.status, body: reply.body }),
});

/** Whether nobody knows what came of it: it never ended, or ended with this error. */
const isInDoubt = ({ status, body }: StoredKey): boolean =>
  status === undefined || (body as { readonly error?: unknown } | undefined)?.error === 'write_failed';

/** A longer string, as that of an image, is there by its digest: to write it as JSON would take as long as all else of a print. */
const LONG_STRING = 4096;

/** The SHA-256 of a request, by the value of its body: who serialises it anew may write the members in another order. */
const fingerprintOf = ({ method, path, body }: KeyedRequest): string =>
  digestOf(`${method} ${path}\n${JSON.stringify(body, canonical)}`);

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A replacer of JSON.stringify: the members of objects by name, as RFC 8785, 3.2.3 has it, and long strings by their digests. */
function canonical(_: string, value: unknown): unknown {
  // In UTF-8 all surrogates without another one are alike.
  if (typeof value === 'string' && value.length > LONG_STRING && toUSVString(value) === value) return [digestOf(value)];
  return typeof value !== 'object' || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function replayed({ stored, underWay }: Kept, print: string): Reply {
  const { status, body, at } = stored;
  if (stored.print !== print) throw new ApiError('idempotency_mismatch', 'the key was used for another request');
  if (underWay !== undefined) throw new ApiError('key_in_use', 'the request with this key is still under way');
  if (status === undefined) {
    const when = at < CLOCK_IS_SET ? 'before the clock was set' : `at ${new Date(at).toISOString()}`;
    throw new ApiError('write_failed', `it began ${when} and the node stopped before it ended; it may have printed`);
  }
  return new Reply(status, body, { [IDEMPOTENCY_REPLAYED]: 'true' });
}
