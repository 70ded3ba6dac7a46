/**
 * The system of a disk that does not run, written by the service tillnode-system of that disk (runtime/disk/system), which
 * alone may: the node has no access to the disk. The node checks what it sends as it checks every image, and that service
 * checks it again.
 */
import { existsSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { SlotWriter, SystemSlots } from '../boot.ts';
import { type Installed, onTrial, TRIAL } from '../system-trial.ts';

const SOCKET = '/run/tillnode/system.sock';
/** Longest time from the last byte to the answer: the service copies and syncs to a medium that may be slow. */
const ANSWER_MS = 300_000;
/** Longest time that the service has to end, when nothing more is sent to it. */
const END_MS = 30_000;
/** More than the manifest and the signature at the end of a bundle can have. */
const TAIL_BYTES = 128 * 1024;

/** The slots of this machine; undefined if it was not made of a disk image. */
export function systemSlots(): SystemSlots | undefined {
  if (!existsSync(SOCKET)) return undefined;
  const [, running] = /(?:^| )tillnode\.root=([ab]):/.exec(readFileSync('/proc/cmdline', 'utf8')) ?? [];
  if (running === undefined) return undefined;
  const slot = running === 'a' ? 'a' : 'b';
  let open: SystemWriter | undefined;
  return {
    slot,
    onTrial,
    failed: failedVersions(slot),
    begin: async ({ anyVariant }) => {
      if (open?.closed === false) throw new Error('the system is being written');
      open = new SystemWriter(await call(`install ${anyVariant ? 'any' : 'own'}\n`));
      return open;
    },
    restart: async () => {
      const socket = await call('restart\n');
      await inTime(answerOf(socket)).finally(() => socket.destroy());
    },
  };
}

/** The version that was installed last, if the machine runs another system: it was no good. */
function failedVersions(running: string): string[] {
  try {
    const { slot, version, isEntered } = JSON.parse(readFileSync(TRIAL, 'utf8')) as Installed;
    return slot === running || !isEntered ? [] : [version];
  } catch {
    return [];
  }
}

/** Sends bytes, and resolves when they were taken: memory does not grow with what is sent. */
const send = (socket: Socket, bytes: Uint8Array | string): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.write(bytes, (error) => (error ? reject(error) : resolve()));
  });

async function call(command: string): Promise<Socket> {
  const socket = connect(SOCKET);
  // An error ends what waits for it; later ones have nobody to tell.
  socket.on('error', () => {});
  await send(socket, command);
  return socket;
}

/** The line that the service answers with. Rejects with the error in it, or if the connection ends before. */
function answerOf(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.on('data', (data) => {
      text += String(data);
      if (!text.includes('\n')) return;
      const { error } = JSON.parse(text.slice(0, text.indexOf('\n'))) as { readonly error?: string };
      if (error === undefined) resolve();
      else reject(new Error(error));
    });
    socket.on('close', () => reject(new Error('the system service ended without an answer')));
  });
}

/** The same, or a rejection when it takes too long. */
async function inTime(answer: Promise<void>): Promise<void> {
  const over = new AbortController();
  const late = delay(ANSWER_MS, undefined, { signal: over.signal, ref: false }).then(() => {
    throw new Error('the system service does not answer');
  });
  late.catch(() => {});
  await Promise.race([answer, late]).finally(() => over.abort());
}

/** One call of that service. */
export class SystemWriter implements SlotWriter {
  closed = false;
  readonly #socket: Socket;
  readonly #answer: Promise<void>;
  readonly #ended: Promise<unknown>;
  /** The end of what was sent, and where it begins. */
  #tail = Buffer.alloc(0);
  #sent = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#answer = answerOf(socket);
    this.#ended = new Promise((resolve) => socket.on('close', resolve));
    // Looked at when something fails, and at the end.
    this.#answer.catch(() => {});
  }

  async write(chunk: Uint8Array): Promise<void> {
    // A refusal of the service says more than the broken connection that it leaves.
    await send(this.#socket, chunk).catch(() => this.#answer);
    this.#sent += chunk.length;
    this.#tail = Buffer.concat([this.#tail, chunk]);
    if (this.#tail.length > 2 * TAIL_BYTES) this.#tail = Buffer.from(this.#tail.subarray(-TAIL_BYTES));
  }

  /** The manifest and the signature alone can be read: the end of what was written. */
  async read(position: number, length: number): Promise<Uint8Array> {
    const at = position - (this.#sent - this.#tail.length);
    if (at < 0) throw new Error('only the end of a bundle can be read again');
    return this.#tail.subarray(at, at + length);
  }

  async commit(): Promise<void> {
    await send(this.#socket, 'commit\n').catch(() => this.#answer);
    await inTime(this.#answer);
    await this.discard();
  }

  /** Resolves when the service has ended, so that it never works on two calls. */
  async discard(): Promise<void> {
    this.#socket.end();
    await Promise.race([this.#ended, delay(END_MS, undefined, { ref: false })]);
    this.#socket.destroy();
    this.closed = true;
  }
}
