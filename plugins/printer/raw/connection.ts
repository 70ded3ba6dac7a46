/** One connection on port 9100, from its first byte to the end of its job. */
import type { Socket } from 'node:net';
import { setImmediate as nextRound } from 'node:timers/promises';
import type { Dropped } from '../../../codecs/escpos-stream-sink.ts';
import { isTelling, prefaceOf } from '../../../codecs/raw-preface.ts';
import { addressOf } from '../../../runtime/http/peer.ts';
import type { Node } from '../../../runtime/kernel/node.ts';
import type { Client, Job } from '../jobs/job.ts';
import type { Printer } from '../jobs/printer.ts';
import { WriteFailed } from '../jobs/write-failed.ts';
import { askedAmongBlanks, askedFirst, requestOf } from './bytes.ts';
import { Early } from './early.ts';
import { Listing } from './listing.ts';
import { type ClientReading, Questions } from './questions.ts';

/** Bytes that are read while the printer accepts none, so that a status request among them is answered. */
const MAX_AHEAD = 65_536;
/** Bytes that are read before an answer to the one that prints: of a receipt in one piece, whatever it does with its socket then. */
const MAX_BEFORE_ANSWER = 1024 * 1024;
/** Milliseconds that bytes are held back which could still become a request line or the head of a document. */
const PREFACE_MS = 1000;
/** And those that can be little else: a slow link brings a head in pieces. Its connection has no turn yet, and keeps nobody from the printer. */
const TELLING_MS = 5000;
/** Milliseconds without a byte after which a connection makes room for others where the port is full. */
const IDLE_MS = 5000;
const NOTHING = new Uint8Array(0);

/** Counters of port 9100 in GET /status, since the start of the node. */
export interface RawCounters {
  connections: number;
  bytes: number;
  pulsesDropped: number;
  realtimeDropped: number;
  settingsDropped: number;
  refused: number;
}

const COUNTERS = { pulse: 'pulsesDropped', realtime: 'realtimeDropped', settings: 'settingsDropped' } as const;

/** One client of port 9100. Status requests are answered at once; other bytes wait for the turn of its job. */
export class RawConnection implements Client {
  readonly #socket: Socket;
  readonly #printer: Printer;
  readonly #node: Node;
  readonly #counters: RawCounters;
  /** Address of the client. */
  readonly from: string;
  readonly #job: Job;
  readonly #listing: Listing;
  readonly #questions: Questions;
  /** The first bytes, until they are known to be a print job and no other protocol or document. */
  #opening: Uint8Array | undefined = NOTHING;
  /** The beginning of an incomplete status request. */
  #asked: Uint8Array = NOTHING;
  #timer: NodeJS.Timeout | undefined;
  /** Chunks, time-outs and the end are handled one after the other. */
  #steps: Promise<void> = Promise.resolve();
  #stepsToCome = 0;
  /** When it was last busy, in ms of `performance.now()`. */
  #lastBusy = performance.now();
  #ended = false;
  /** A write to the printer is going on; bytes that were read meanwhile. */
  #writing = false;
  #ahead = 0;
  /** Pieces that came, and bytes of those that wait for the ones before them. */
  #pieces = 0;
  #waiting = 0;
  #served = false;
  /** While it waits for its turn behind another one: what has come. */
  #early: Early | undefined;
  /** Status requests that were answered by then, of those that the filter is to find. */
  #answered = 0;
  /** Something that it sent was larger than what goes to a printer, and was left out. */
  #lost = false;

  constructor(socket: Socket, printer: Printer, node: Node, endpoint: string, counters: RawCounters) {
    this.#socket = socket;
    this.#printer = printer;
    this.#node = node;
    this.from = addressOf(socket);
    this.#counters = counters;
    this.#job = printer.filteredJob(this, this.from, node.config.get('raw').protect === 'settings');
    this.#listing = new Listing(node, endpoint, this.from, this.#job);
    this.#questions = new Questions(socket, printer, this.#reading());
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      this.#pieces += 1;
      if (this.#early !== undefined && this.#stepsToCome === 1) {
        this.#count(chunk);
        this.#takeEarly(this.#early, chunk);
        return;
      }
      // Not ahead of bytes that came while the job waited for its turn: these are a step that is still to come.
      if (this.#writing && this.#stepsToCome === 1 && this.#ahead + chunk.length <= MAX_AHEAD) {
        this.#ahead += chunk.length;
        this.#count(chunk);
        this.#job.readAhead(chunk);
        return;
      }
      this.#waiting += chunk.length;
      if (!this.#questions.holds || this.#waiting >= MAX_BEFORE_ANSWER) socket.pause();
      this.#step(async () => {
        await this.#receive(chunk).finally(() => {
          this.#waiting -= chunk.length;
        });
        socket.resume();
      });
    });
    socket.on('end', () =>
      this.#step(async () => {
        if (this.#opening !== undefined) await this.#begin();
        const whole = this.#job.lacking === 0 && !this.#lost;
        await this.#end(true);
        // Only after the last byte was written to the printer: a client may take the FIN as a confirmation. And one that
        // has closed its own side after a status request still reads the answer.
        await this.#questions.answering;
        if (whole) socket.end();
        else socket.resetAndDestroy();
      }),
    );
    socket.on('close', () => this.#step(() => this.#end(false)));
  }

  /**
   * Resets the connection, unless its job is finished. It counts as refused where the job never had the turn. `why`: a code of
   * the error table, for the list of recent jobs.
   */
  cut(why: string): void {
    if (this.#socket.destroyed || this.#socket.writableEnded) return;
    if (!this.#served) this.#refuse(why);
    this.#listing.end(this.#listing.written > 0 && !this.#isAtRest ? 'write_failed' : why);
    this.#socket.resetAndDestroy();
  }

  /** True where the printer took all that the client sent, and expects no more of it. */
  get #isAtRest(): boolean {
    return this.#stepsToCome === 0 && this.#opening === undefined && this.#job.lacking === 0;
  }

  /** `language`: of the document that it sent. */
  #refuse(why: string, language?: string): void {
    this.#counters.refused += 1;
    this.#listing.begin();
    this.#listing.end(why, { language });
  }

  /** The code for what ended the job. */
  #errorOf(thrown: unknown): string {
    if (this.#listing.written > 0) return 'write_failed';
    if (!(thrown instanceof WriteFailed)) return 'internal';
    return thrown.fault === 'disconnected' ? 'no_printer' : 'write_failed';
  }

  /** True where its job has had the turn. */
  get served(): boolean {
    return this.#served;
  }

  /** True where it has had nothing to print for a while: no byte that it sent is still to be printed. */
  get idle(): boolean {
    const busy = this.#stepsToCome > 0 || this.#job.hasTurn;
    return !busy && performance.now() - this.#lastBusy > IDLE_MS;
  }

  /** True where the client pauses inside a command: what the printer still expects of it will not come. */
  get pausesInCommand(): boolean {
    return !this.#writing && this.#job.hasTurn && this.#job.lacking > 0;
  }

  status(n: number): void {
    if (this.#answered === 0) this.#questions.ask(n);
    else this.#answered -= 1;
  }

  dropped(what: Dropped): void {
    if (what === 'oversized') {
      this.#lost = true;
      return;
    }
    this.#counters[COUNTERS[what]] += 1;
    if (what === 'pulse') this.#listing.pulseDropped();
  }

  #step(step: () => Promise<void>): void {
    this.#stepsToCome += 1;
    this.#steps = this.#steps
      .then(step)
      .catch((error: unknown) => {
        this.#node.log.warn({ error: String(error) }, 'job on port 9100 was cut short');
        clearTimeout(this.#timer);
        this.#ended = true;
        this.#job.abandon();
        const why = this.#errorOf(error);
        this.cut(why);
        this.#listing.end(why);
        void this.#printer.refresh();
      })
      .finally(() => {
        this.#stepsToCome -= 1;
        this.#lastBusy = performance.now();
      });
  }

  async #receive(chunk: Buffer): Promise<void> {
    if (this.#ended) return;
    clearTimeout(this.#timer);
    if (this.#opening === undefined) return this.#pass(chunk);
    // A program that looks after its printers asks them first, and sends whatever it sends to any port then.
    const { numbers, rest: opening } = askedAmongBlanks(Buffer.concat([this.#opening, chunk]));
    for (const n of numbers) {
      this.#count(requestOf(n));
      this.#questions.ask(n);
    }
    this.#opening = opening;
    if (opening.length === 0) return;
    const kind = prefaceOf(opening);
    if (kind === 'job') return this.#begin();
    if (kind === 'more') {
      // A client that stops inside a request line or a head has sent text: the bytes are a job.
      const ms = isTelling(opening) ? TELLING_MS : PREFACE_MS;
      this.#timer = setTimeout(() => this.#step(() => this.#begin()), ms);
      return;
    }
    this.#ended = true;
    if ('protocol' in kind) {
      this.#refuse('invalid_command');
      this.#socket.destroy();
    } else {
      // A spooler must not take it for printed.
      this.#refuse('unsupported_command_set', kind.document);
      this.#socket.resetAndDestroy();
    }
  }

  async #begin(): Promise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    if (opening !== undefined && opening.length > 0 && !this.#ended) await this.#pass(opening);
  }

  /**
   * The filter follows the state of the printer, so bytes pass it in the order in which they are printed: when this job has
   * the turn. A client that only asks for the status never takes the turn.
   */
  async #pass(chunk: Uint8Array): Promise<void> {
    this.#count(chunk);
    let rest = chunk;
    if (!this.#job.hasTurn) {
      const asked = askedFirst(this.#asked.length === 0 ? chunk : Buffer.concat([this.#asked, chunk]));
      this.#asked = asked.begun;
      for (const n of asked.numbers) this.#questions.ask(n);
      rest = asked.rest;
      if (rest.length === 0) return;
      this.#listing.begin();
      const waits = this.#printer.heldBy !== undefined;
      // The reader of what comes early begins with a command.
      const early = waits && this.#job.lacking === 0 ? new Early() : undefined;
      if (early !== undefined) this.#takeEarly(early, rest);
      this.#early = early;
      await this.#job.begin();
      const hasGone = waits && (await this.#hasGone());
      this.#early = undefined;
      if (hasGone) return this.#job.leave();
      rest = early?.bytes ?? rest;
      this.#answered = early?.asked ?? 0;
      this.#served = true;
      this.#job.onReply = (bytes) => this.#questions.answer(bytes);
    }
    this.#writing = true;
    this.#ahead = 0;
    this.#socket.resume();
    const written = this.#job.write(rest);
    // It has filtered these by now.
    this.#answered = 0;
    await written.finally(() => {
      this.#writing = false;
    });
    this.#watchIdle();
  }

  /** Nothing is read before an answer to a client that waits for its turn: each of many could have as much in the memory of the node. */
  #reading(): ClientReading {
    const connection = this;
    const socket = this.#socket;
    return {
      get pieces() {
        return connection.#pieces;
      },
      get isEnough() {
        return (
          !connection.#job.hasTurn ||
          connection.#waiting >= MAX_BEFORE_ANSWER ||
          socket.readableEnded ||
          socket.destroyed
        );
      },
      go: () => {
        const waited = socket.isPaused();
        socket.resume();
        return waited;
      },
    };
  }

  #takeEarly(early: Early, chunk: Uint8Array): void {
    for (const n of early.take(chunk)) this.#questions.ask(n);
    if (early.isFull) this.#socket.pause();
    else this.#socket.resume();
  }

  #count(bytes: Uint8Array): void {
    this.#counters.bytes += bytes.length;
    const { hooks, recording } = this.#node;
    if (recording) hooks.transfer.call({ channel: 'raw', direction: 'in', data: bytes });
  }

  /**
   * True where the client has reset the connection, and may have sent the job to another printer. A socket reports that only
   * while it is read.
   */
  async #hasGone(): Promise<boolean> {
    this.#socket.resume();
    // One round of the event loop to begin reading, and one for the data to arrive.
    for (let round = 0; round < 2; round += 1) await nextRound();
    return this.#socket.destroyed;
  }

  get idleMs(): number {
    return this.#node.config.get('raw').idleTimeoutSeconds * 1000;
  }

  #watchIdle(): void {
    this.#timer = setTimeout(() => this.#step(() => this.#letIn()), this.idleMs);
  }

  giveWay(): void {
    this.#step(async () => {
      if (this.#job.isOverdue) await this.#letIn();
    });
  }

  /** Others may print; where they would land inside a command, the connection is reset. */
  async #letIn(): Promise<void> {
    if (!this.#job.hasTurn) return;
    clearTimeout(this.#timer);
    if (this.#job.mayYield) {
      await this.#job.yield();
      this.#listing.end();
    } else {
      await this.#end(false);
      this.#socket.resetAndDestroy();
    }
  }

  async #end(inOrder: boolean): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    const missing = this.#job.lacking;
    await this.#job.end(inOrder);
    // What ends the connection otherwise is the client, in the middle of its job.
    const why = inOrder && missing === 0 ? undefined : 'invalid_body';
    this.#listing.end(this.#lost ? 'render_too_large' : why, { missingBytes: missing });
  }
}
