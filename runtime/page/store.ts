/**
 * The page's state of the node: status and configuration, kept up to date by one event stream while the page is
 * visible. A hidden page takes no stream slot and sends no requests (specification 6.1: there are four slots).
 */
import { type Config, eventIdOf, NodeClient, NodeError, type Status } from '../client/client.ts';
import type { PageEvent } from './kit/panel.ts';

/** State of the connection. `full`: all four stream slots are taken, so the page polls. */
export type Link = 'connecting' | 'connected' | 'full' | 'unreachable';

/** What the page knows at one time. */
export interface Snapshot {
  readonly status: Status | undefined;
  readonly config: Config | undefined;
  readonly link: Link;
  /** When the node last answered, or was first asked (Date.now()); undefined while it does. */
  readonly missedAt: number | undefined;
}

/**
 * Largest age of the status: a scale that falls asleep is no event, and a stream does not end with a node that hangs. With
 * `TICK_MS` and `ANSWER_MS` it is the time until the page says that the node does not answer: under 6 s.
 */
export const LOOK_MS = 2000;
const TICK_MS = 500;
/** Between two attempts to get a stream. */
const RETRY_MS = 5000;
/** Events within this time cause only one request. */
const GATHER_MS = 200;
const ANSWER_MS = 3000;
/** Events after which GET /status is read again. */
const TELLING: readonly string[] = ['printer_status', 'telemetry'];

type Hear = (event: PageEvent) => void;

/** The state of the node; `watch` reports every change of `snapshot`. */
export class NodeStore {
  readonly #client = new NodeClient({ url: '', timeoutMs: ANSWER_MS });
  readonly #hearers = new Map<string, Set<Hear>>();
  #changed: () => void = () => {};
  #snapshot: Snapshot = { status: undefined, config: undefined, link: 'connecting', missedAt: undefined };
  /** Aborted when the page is hidden. */
  #visit: AbortController | undefined;
  /** Aborted to open the stream anew. */
  #stream = new AbortController();
  #full = false;
  #turn = 0;
  #askedAt = 0;
  #answeredAt = Date.now();
  /** Questions that wait for their answer. */
  #asking = 0;
  #gathering = false;

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** One watcher: the page itself. */
  watch(changed: () => void): void {
    this.#changed = changed;
  }

  readonly on = (type: string, hear: Hear): (() => void) => {
    const hearers = this.#hearers.get(type) ?? new Set();
    this.#hearers.set(type, hearers.add(hear));
    return () => hearers.delete(hear);
  };

  /** Somebody looks at the page. */
  show(): void {
    if (this.#visit !== undefined) return;
    const visit = new AbortController();
    this.#visit = visit;
    const timer = setInterval(() => this.#look(), TICK_MS);
    visit.signal.addEventListener('abort', () => clearInterval(timer));
    void this.refresh();
    void this.#listen(visit.signal);
  }

  /** Nobody does: the slot is given back. */
  hide(): void {
    this.#visit?.abort();
    this.#stream.abort();
    this.#visit = undefined;
  }

  /** Never rejects: a node that does not answer is a state of the page. */
  readonly refresh = async (): Promise<void> => {
    const turn = ++this.#turn;
    const askedAt = Date.now();
    this.#askedAt = askedAt;
    this.#asking += 1;
    try {
      const [status, config] = await Promise.all([this.#client.status(), this.#client.config()]);
      this.#answeredAt = Date.now();
      if (turn !== this.#turn) return;
      const missed = this.#snapshot.missedAt !== undefined;
      this.#set({ status, config, link: this.#full ? 'full' : 'connected', missedAt: undefined });
      // Neither a stream that went silent with its node nor the pause after one is waited for.
      if (missed) this.#stream.abort();
    } catch {
      // A later question may have had its answer.
      if (this.#answeredAt > askedAt || this.#visit === undefined) return;
      this.#set({ ...this.#snapshot, link: 'unreachable', missedAt: this.#answeredAt });
    } finally {
      this.#asking -= 1;
    }
  };

  #look(): void {
    // An answer that takes long is waited for, not asked for again.
    if (this.#asking === 0 && Date.now() - this.#askedAt >= LOOK_MS) void this.refresh();
  }

  async #listen(visit: AbortSignal): Promise<void> {
    let lastEventId: string | undefined;
    while (!visit.aborted) {
      this.#stream = new AbortController();
      const { signal } = this.#stream;
      try {
        for await (const event of this.#client.events<PageEvent>({ signal, lastEventId, reconnect: false })) {
          this.#setFull(false);
          lastEventId = eventIdOf(event);
          this.#hear(event as PageEvent);
        }
      } catch (error) {
        this.#setFull(error instanceof NodeError && error.code === 'no_slots');
      }
      if (signal.aborted) continue;
      // What ended the stream may have ended the node; who says that all slots are taken is there.
      if (!this.#full) void this.refresh();
      await pause(RETRY_MS, signal);
    }
  }

  #hear(event: PageEvent): void {
    for (const hear of this.#hearers.get(event.type) ?? []) hear(event);
    if (!TELLING.includes(event.type) || this.#gathering) return;
    this.#gathering = true;
    setTimeout(() => {
      this.#gathering = false;
      if (this.#visit !== undefined) void this.refresh();
    }, GATHER_MS);
  }

  #setFull(full: boolean): void {
    if (full === this.#full) return;
    this.#full = full;
    const { link } = this.#snapshot;
    if (link !== 'unreachable') this.#set({ ...this.#snapshot, link: full ? 'full' : 'connected' });
  }

  #set(snapshot: Snapshot): void {
    this.#snapshot = snapshot;
    this.#changed();
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
