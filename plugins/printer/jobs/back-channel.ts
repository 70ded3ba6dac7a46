/**
 * The back-channel: the bytes that a printer sends. One IN transfer always waits on the bulk IN pipe. Answers to the
 * requests of the node (DLE EOT, GS ( H) are recognised by their fixed bits (codecs/escpos-status.ts); all other bytes go
 * to the job that has the turn.
 */
import { endOfPrintId } from '../../../codecs/escpos.ts';
import {
  answersIn,
  type BackChannelItem,
  type BackChannelState,
  initialBackChannel,
  isNoise,
} from '../../../codecs/escpos-status.ts';
import type { UsbDevice, UsbPipe } from '../../../runtime/bindings/usb.ts';
import { type PipeReading, readPipe } from '../../../runtime/bindings/usb-transfers.ts';

const READ_BYTES = 512;
/** After a query without an answer, the next one waits so long for a surplus byte, which shows that an answer was late. */
const LATE_MS = 30;

/** Waits for one end-of-print echo. Call `forget` in the end, also when the echo has come. */
export interface Echo {
  /** True where the echo has come since `listen`, or comes within this time. */
  within(timeoutMs: number): Promise<boolean>;
  forget(): void;
}

interface StatusQuery {
  readonly count: number;
  readonly replies: number[];
  /** An answer of before may still come, or noise: with one byte too many, this query has no result. */
  readonly cautious: boolean;
  garbled: boolean;
  readonly finish: () => void;
}

/** The back-channel of one printer. `onReply` gets what is no answer to the node. */
export class BackChannel {
  readonly #device: UsbDevice;
  readonly #pipe: UsbPipe;
  readonly #onReply: (reply: BackChannelItem) => void;
  /** Callbacks that wait for an echo, by process id. */
  readonly #processes = new Map<string, (echoed: boolean) => void>();
  #state: BackChannelState = initialBackChannel;
  #query: StatusQuery | undefined;
  /** The last query had no answer, which may still come. */
  #answersOverdue = false;
  /** Bytes came that nobody asked for, since the last query. */
  #unasked = false;
  #garbled = false;
  #reading: PipeReading | undefined;

  constructor(device: UsbDevice, pipe: UsbPipe, onReply: (reply: BackChannelItem) => void) {
    this.#device = device;
    this.#pipe = pipe;
    this.#onReply = onReply;
  }

  /** Whether noise came with the answers to the last query: bytes that are no answer, or more than were asked for. */
  get isGarbled(): boolean {
    return this.#garbled;
  }

  start(): void {
    this.#reading = readPipe(this.#device, this.#pipe, READ_BYTES, (bytes) => this.#take(bytes));
  }

  async stop(): Promise<void> {
    const stopped = this.#reading?.stop();
    this.#query?.finish();
    for (const over of this.#processes.values()) over(false);
    await stopped;
  }

  /**
   * Calls `send` and gives the next `count` status bytes, in order, after it has called `sending`: the request may wait for
   * the end of a command. Undefined where they did not come in time, where more came than were asked for, or bytes that are no
   * answer: an old answer is never taken for a new one, nor noise for a state. One query at a time.
   */
  async status(
    count: number,
    timeoutMs: number,
    send: (sending: () => void) => Promise<void>,
  ): Promise<readonly number[] | undefined> {
    const replies: number[] = [];
    let query: StatusQuery | undefined;
    let timer: NodeJS.Timeout | undefined;
    let finish = () => {};
    const answered = new Promise<void>((resolve) => {
      finish = resolve;
    });
    try {
      await send(() => {
        query = { count, replies, cautious: this.#answersOverdue || this.#unasked, garbled: false, finish };
        this.#query = query;
        this.#unasked = false;
      });
      timer = setTimeout(() => this.#query?.finish(), timeoutMs);
      await answered;
    } finally {
      clearTimeout(timer);
      this.#query = undefined;
    }
    this.#answersOverdue = replies.length < count;
    this.#garbled = query?.garbled === true || replies.length > count;
    return replies.length === count && !this.#garbled ? replies : undefined;
  }

  /** Waits for the echo of this GS ( H process id, from now on. */
  listen(id: string): Echo {
    let over: (echoed: boolean) => void = () => {};
    const echoed = new Promise<boolean>((resolve) => {
      over = resolve;
    });
    this.#processes.set(id, over);
    return {
      async within(timeoutMs) {
        const timer = setTimeout(over, timeoutMs, false);
        return echoed.finally(() => clearTimeout(timer));
      },
      forget: () => void this.#processes.delete(id),
    };
  }

  #answer(query: StatusQuery, reply: number): void {
    query.replies.push(reply);
    if (query.replies.length < query.count) return;
    if (query.cautious && query.replies.length === query.count) setTimeout(query.finish, LATE_MS);
    else query.finish();
  }

  #distrust(query: StatusQuery | undefined): void {
    this.#unasked = true;
    if (query === undefined) return;
    query.garbled = true;
    query.finish();
  }

  #take(bytes: Uint8Array): void {
    const query = this.#query;
    const expected = query === undefined ? 0 : query.count - query.replies.length + (query.cautious ? 1 : 0);
    const { state, items } = answersIn(this.#state, bytes, expected);
    this.#state = state;
    for (const item of items) {
      if (isNoise(item)) this.#distrust(query);
      if (item.type === 'status') {
        if (query !== undefined) this.#answer(query, item.bytes[0] ?? 0);
      } else if (item.type === 'processId') {
        const done = this.#processes.get(endOfPrintId(item.bytes) ?? '');
        if (done === undefined) this.#onReply(item);
        else done(true);
      } else {
        this.#onReply(item);
      }
    }
  }
}
