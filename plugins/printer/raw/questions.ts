/** What goes back to a client of port 9100: the answers to its status requests, and the replies of the printer to its job. */
import type { Socket } from 'node:net';
import { setImmediate as nextRound } from 'node:timers/promises';
import type { Printer } from '../jobs/printer.ts';

/** Bytes of answers that a client may leave unread; with more it is disconnected. */
const MAX_UNREAD_BYTES = 4096;
/** Milliseconds without a byte after which no more of what a client has sent is on its way. */
const QUIET_MS = 25;

/** What a client has sent, as far as it was read. */
export interface ClientReading {
  /** How many pieces of it came. */
  readonly pieces: number;
  /** No more of it is read before an answer. */
  readonly isEnough: boolean;
  /** Reads on, until that is enough. True where some of it had to wait unread. */
  go(): boolean;
}

/** The status requests of one connection. One reading of the printer answers all that came until then. */
export class Questions {
  readonly #socket: Socket;
  readonly #printer: Pick<Printer, 'readForClient' | 'statusReply'>;
  readonly #reading: ClientReading;
  /** Answers that wait for the end of what the client has sent. */
  #held: Uint8Array[] = [];
  #releasing: Promise<void> | undefined;
  /** Numbers n of the status requests that are not answered yet. */
  #open: number[] = [];
  #answering: Promise<void> | undefined;

  constructor(socket: Socket, printer: Pick<Printer, 'readForClient' | 'statusReply'>, reading: ClientReading) {
    this.#socket = socket;
    this.#printer = printer;
    this.#reading = reading;
  }

  /** Settles when every status request so far is answered, and every answer has left; undefined while none waits. */
  get answering(): Promise<unknown> | undefined {
    if (this.#answering === undefined) return this.#releasing;
    return this.#answering.then(() => this.#releasing);
  }

  /** True while an answer waits for the end of what the client has sent. */
  get holds(): boolean {
    return this.#held.length > 0;
  }

  /** Answers DLE EOT n (1 to 4) when the printer was read, where it says anything. */
  ask(n: number): void {
    if (this.#socket.destroyed) return;
    this.#open.push(n);
    if (this.#open.length > MAX_UNREAD_BYTES) this.#socket.resetAndDestroy();
    else this.#answering ??= this.#answerAll();
  }

  /**
   * Sends bytes to the client, behind all that it has sent: where it has closed its socket, they make a reset of that, and what was not
   * read by then is lost. One that reads none of them is disconnected.
   */
  answer(bytes: Uint8Array): void {
    if (this.#reading.isEnough && !this.holds) this.#send(bytes);
    else {
      this.#held.push(bytes);
      this.#releasing ??= this.#release();
    }
  }

  async #release(): Promise<void> {
    let hasWaited = this.#reading.go();
    for (let pieces = -1; !this.#reading.isEnough && pieces !== this.#reading.pieces; ) {
      pieces = this.#reading.pieces;
      if (hasWaited) await new Promise((quiet) => setTimeout(quiet, QUIET_MS));
      // A round of the event loop to begin reading, and one for the data to arrive.
      else for (let round = 0; round < 2; round += 1) await nextRound();
      hasWaited ||= pieces !== this.#reading.pieces;
    }
    this.#releasing = undefined;
    for (const bytes of this.#held.splice(0)) this.#send(bytes);
  }

  #send(bytes: Uint8Array): void {
    if (this.#socket.writableLength > MAX_UNREAD_BYTES) this.#socket.resetAndDestroy();
    else if (this.#socket.writable) this.#socket.write(bytes);
  }

  async #answerAll(): Promise<void> {
    try {
      while (this.#open.length > 0 && !this.#socket.destroyed) {
        await this.#printer.readForClient();
        const replies = this.#open.splice(0).map((n) => this.#printer.statusReply(n));
        const known = replies.filter((reply) => reply !== undefined);
        if (known.length > 0) this.answer(Uint8Array.from(known));
      }
    } finally {
      this.#answering = undefined;
    }
  }
}
