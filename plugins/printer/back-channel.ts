/**
 * What a printer says: one IN transfer always waits on the bulk IN pipe, and every byte goes to whoever asked for it.
 * Answers to the node's own requests (DLE EOT, GS ( H) are told apart by their fixed bits from what belongs to the
 * connection that holds the printer (codecs/escpos-status.ts).
 */
import { endOfPrintId } from '../../codecs/escpos.ts';
import { type BackChannelState, classify, initialBackChannel } from '../../codecs/escpos-status.ts';
import type { UsbDevice, UsbPipe } from '../../runtime/bindings/bindings.ts';
import { type PipeReading, readPipe } from '../../runtime/bindings/usb-transfers.ts';

const READ_BYTES = 512;
/** After the last expected answer of a query that follows an unanswered one: room for a late one to show itself. */
const LATE_MS = 30;

/** Who waits for an echo. To be forgotten in the end, whether it came or not. */
export interface Echo {
  /** Whether it came since it is listened for, or comes in time. */
  within(timeoutMs: number): Promise<boolean>;
  forget(): void;
}

interface StatusQuery {
  readonly count: number;
  readonly replies: number[];
  /** The last query went unanswered, so its answers may still come: one byte too many spoils this one. */
  readonly cautious: boolean;
  readonly finish: () => void;
}

export class BackChannel {
  readonly #device: UsbDevice;
  readonly #pipe: UsbPipe;
  readonly #onReply: (bytes: Uint8Array) => void;
  /** Who waits for an echo, by process id. */
  readonly #processes = new Map<string, (echoed: boolean) => void>();
  #state: BackChannelState = initialBackChannel;
  #query: StatusQuery | undefined;
  /** The last query went unanswered, so its answers may still come. */
  #answersOwed = false;
  #reading: PipeReading | undefined;

  constructor(device: UsbDevice, pipe: UsbPipe, onReply: (bytes: Uint8Array) => void) {
    this.#device = device;
    this.#pipe = pipe;
    this.#onReply = onReply;
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
   * The next `count` status bytes, in order; undefined when they did not come in time, or when more came than were
   * asked for, so that an old answer is never taken for a new one. One query at a time.
   */
  async status(count: number, timeoutMs: number, send: () => Promise<void>): Promise<readonly number[] | undefined> {
    const replies: number[] = [];
    let timer: NodeJS.Timeout | undefined;
    const answered = new Promise<void>((finish) => {
      this.#query = { count, replies, cautious: this.#answersOwed, finish };
    });
    try {
      await send();
      timer = setTimeout(() => this.#query?.finish(), timeoutMs);
      await answered;
    } finally {
      clearTimeout(timer);
      this.#query = undefined;
    }
    this.#answersOwed = replies.length < count;
    return replies.length === count ? replies : undefined;
  }

  /** Listens for the echo of this GS ( H process id. */
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

  #take(bytes: Uint8Array): void {
    const query = this.#query;
    const expected = query === undefined ? 0 : query.count - query.replies.length + (query.cautious ? 1 : 0);
    const { state, items } = classify(this.#state, bytes, expected);
    this.#state = state;
    for (const item of items) {
      if (item.type === 'status') {
        if (query !== undefined) this.#answer(query, item.bytes[0] ?? 0);
      } else if (item.type === 'processId') {
        const done = this.#processes.get(endOfPrintId(item.bytes) ?? '');
        if (done === undefined) this.#onReply(item.bytes);
        else done(true);
      } else {
        this.#onReply(item.bytes);
      }
    }
  }
}
