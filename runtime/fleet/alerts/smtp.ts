/** Sends one mail to a server (RFC 5321), with STARTTLS (RFC 3207), TLS from the start (RFC 8314) and AUTH PLAIN (RFC 4954). */
import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { connect as connectTls } from 'node:tls';
import { defined } from '../../base/defined.ts';
import type { Refuses } from '../../http/targets.ts';

/** Where to send, and as whom. */
export interface MailServer {
  /** `smtp://host:port` or `smtps://host:port`. */
  readonly server: string;
  /** '' for none. */
  readonly user: string;
  readonly password: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly timeoutMs: number;
  /** Whether nothing may be sent to an address. */
  readonly refuses?: Refuses;
  /** Breaks off where it is aborted. */
  readonly signal?: AbortSignal;
  /** Certificates that are trusted in place of those of the system, for tests. */
  readonly ca?: string;
}

/**
 * Resolves when the server has taken the mail, with what it said against some of the addresses. Rejects with what it said
 * where it took it for none.
 */
export async function sendMail(
  { server, user, password, from, to, timeoutMs, refuses, signal, ca }: MailServer,
  mail: string,
): Promise<string | undefined> {
  const { protocol, hostname: host, port } = new URL(server);
  // An address is no name for a certificate to be asked for (RFC 6066, 3).
  const tls = { host, ...(isIP(host) === 0 && { servername: host }), ...defined({ ca }) };
  const socket =
    protocol === 'smtps:'
      ? connectTls({ ...tls, port: Number(port || 465) })
      : connect({ host, port: Number(port || 25) });
  const session = new Session(socket);
  // Before the server has said a word, and anything is sent.
  socket.once('connect', () => {
    const { remoteAddress = '', remotePort = 0, localAddress } = socket;
    if (refuses?.(remoteAddress, remotePort, localAddress)) session.end(new Error('nothing is sent to this address'));
  });
  const deadline = setTimeout(() => session.end(new Error('the mail server took too long')), timeoutMs);
  const callOff = () => session.end(new Error('called off'));
  signal?.addEventListener('abort', callOff);
  try {
    await session.expect(220);
    let offers = await session.say(`EHLO ${hostname()}`, 250);
    if (protocol === 'smtp:' && /^STARTTLS$/im.test(offers)) {
      await session.say('STARTTLS', 220);
      const secure = connectTls({ ...tls, socket });
      session.over(secure);
      await once(secure, 'secureConnect', { signal: AbortSignal.timeout(timeoutMs) });
      offers = await session.say(`EHLO ${hostname()}`, 250);
    }
    if (user !== '') {
      // A password goes over TLS, or to this very machine.
      if (!session.isSecure && !['127.0.0.1', '[::1]', 'localhost'].includes(host))
        throw new Error('the mail server offers no TLS for the password');
      await session.say(`AUTH PLAIN ${Buffer.from(`\0${user}\0${password}`).toString('base64')}`, 235);
    }
    await session.say(`MAIL FROM:<${from}>`, 250);
    const refusals: string[] = [];
    for (const address of to)
      await session
        .say(`RCPT TO:<${address}>`, 250)
        .catch((error: Error) => refusals.push(`${address}: ${error.message}`));
    const refused = refusals.length === 0 ? undefined : refusals.join('; ').slice(0, 200);
    if (refusals.length === to.length) throw new Error(refused);
    await session.say('DATA', 354);
    // A line that begins with a dot gets another one (4.5.2).
    await session.say(`${mail.replace(/^\./gm, '..')}.`, 250);
    await session.say('QUIT', 221).catch(() => {});
    return refused;
  } finally {
    clearTimeout(deadline);
    signal?.removeEventListener('abort', callOff);
    session.end();
  }
}

const REPLY_BYTES = 64 * 1024;

/** The dialogue: one command, one reply of one or more lines. */
class Session {
  #socket: Socket;
  #held = '';
  #wake: (() => void) | undefined;
  #fault: Error | undefined;
  isSecure = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.isSecure = 'encrypted' in socket;
    this.#listen();
  }

  /** Goes on over TLS. */
  over(socket: Socket): void {
    this.#socket.removeAllListeners('data');
    this.#socket = socket;
    this.isSecure = true;
    this.#held = '';
    this.#listen();
  }

  async say(command: string, code: number): Promise<string> {
    this.#socket.write(`${command}\r\n`);
    return this.expect(code);
  }

  /** The text of the next reply. Rejects where its code is another one. */
  async expect(code: number): Promise<string> {
    for (;;) {
      const reply = /^(?:\d{3}-.*\r\n)*\d{3}(?: .*)?\r\n/.exec(this.#held)?.[0];
      if (reply !== undefined) {
        this.#held = this.#held.slice(reply.length);
        if (Number(reply.slice(0, 3)) !== code) throw new Error(`the mail server said ${reply.trim().slice(0, 150)}`);
        return reply.replace(/^\d{3}[ -]?/gm, '').replaceAll('\r', '');
      }
      if (this.#fault !== undefined) throw this.#fault;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  end(fault = new Error('the mail server closed the connection')): void {
    this.#fault ??= fault;
    this.#socket.destroy();
    this.#wake?.();
  }

  #listen(): void {
    this.#socket.on('data', (chunk: Buffer) => {
      this.#held += chunk.toString('latin1');
      if (this.#held.length > REPLY_BYTES) this.end(new Error('the mail server says too much'));
      this.#wake?.();
    });
    this.#socket.on('error', (error) => this.end(error));
    this.#socket.on('close', () => this.end());
  }
}
