/** What goes back to a client of port 9100: the answers to its status requests, and the replies of the printer to its job. */
import type { Socket } from 'node:net';
import type { Printer } from '../jobs/printer.ts';

/** Bytes of answers that a client may leave unread; with more it is disconnected. */
const MAX_UNREAD_BYTES = 4096;

/** The status requests of one connection. One reading of the printer answers all that came until then. */
export class Questions {
  readonly #socket: Socket;
  readonly #printer: Pick<Printer, 'readForClient' | 'statusReply'>;
  /** Numbers n of the status requests that are not answered yet. */
  #open: number[] = [];
  #answering: Promise<void> | undefined;

  constructor(socket: Socket, printer: Pick<Printer, 'readForClient' | 'statusReply'>) {
    this.#socket = socket;
    this.#printer = printer;
  }

  /** Settles when every status request so far is answered; undefined while none waits. */
  get answering(): Promise<void> | undefined {
    return this.#answering;
  }

  /** Answers DLE EOT n (1 to 4) when the printer was read, where it says anything. */
  ask(n: number): void {
    if (this.#socket.destroyed) return;
    this.#open.push(n);
    if (this.#open.length > MAX_UNREAD_BYTES) this.#socket.resetAndDestroy();
    else this.#answering ??= this.#answerAll();
  }

  /** Sends bytes to the client; one that reads none of them is disconnected. */
  answer(bytes: Uint8Array): void {
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
