/** Sends mail to a server, by nodemailer (SMTP, RFC 5321, with STARTTLS, or TLS from the start, and whichever AUTH is offered). */
import { connect, type Socket } from 'node:net';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { defined } from '../../base/defined.ts';
import { messageOf } from '../../base/thrown.ts';
import type { Refuses } from '../../http/targets.ts';

/** Where to send, and as whom. */
export interface MailServer {
  /** `smtp://host:port` or `smtps://host:port`. */
  readonly server: string;
  /** '' for none. */
  readonly user: string;
  readonly password: string;
  readonly timeoutMs: number;
  /** Whether nothing may be sent to an address. */
  readonly refuses?: Refuses;
  /** Breaks off where it is aborted. */
  readonly signal?: AbortSignal;
  /** Certificates that are trusted in place of those of the system, for tests. */
  readonly ca?: string;
}

/** A message that its receiver refuses for itself: others may be taken. */
export class RefusedMessage extends Error {}

/** The longest reply of a server to one command. */
const REPLY_BYTES = 64 * 1024;
/** A password goes there without TLS: nobody else hears it. */
const THIS_MACHINE = ['127.0.0.1', '::1', 'localhost'];

/**
 * Resolves when the server has taken the mail, with what it said against some of the addresses. Rejects with what it said
 * where it took the mail for none of them.
 */
export async function sendMail(
  { server, user, password, timeoutMs, refuses, signal, ca }: MailServer,
  mail: SendMailOptions,
): Promise<string | undefined> {
  const { protocol, hostname, port } = new URL(server);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const secure = protocol === 'smtps:';
  const deadline = AbortSignal.timeout(timeoutMs);
  const either = signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
  const transport = createTransport({
    ...{ host, secure, maxResponseSize: REPLY_BYTES, forceAuth: true },
    ...(user !== '' && { auth: { user, pass: password }, requireTLS: !secure && !THIS_MACHINE.includes(host) }),
    tls: defined({ ca }),
    // Before the server has said a word, and anything is sent.
    getSocket: (_options, callback) => {
      const socket = connect({ host, port: Number(port || (secure ? 465 : 25)), signal: either });
      socket.once('error', callback);
      socket.once('connect', () => {
        socket.off('error', callback);
        if (isRefused(socket, refuses)) callback(new Error('nothing is sent to this address'));
        else callback(null, { connection: socket });
      });
    },
  });
  try {
    const { rejectedErrors = [] } = await transport.sendMail({ ...mail, signal: either });
    const refusals = rejectedErrors.map(messageOf);
    return refusals.length === 0 ? undefined : refusals.join('; ').slice(0, 200);
  } catch (error) {
    if (deadline.aborted) throw new Error('the mail server took too long');
    if (signal?.aborted) throw new Error('called off');
    throw isOfMessage(error) ? new RefusedMessage(messageOf(error)) : error;
  }
}

/** A reply to the message itself that says it will not be another time (RFC 5321, 4.2.1: 5yz), as nodemailer tells it. */
const isOfMessage = (error: unknown): boolean => {
  const { command, responseCode = 0 } = error as { readonly command?: string; readonly responseCode?: number };
  return command === 'DATA' && responseCode >= 500;
};

function isRefused(socket: Socket, refuses: Refuses | undefined): boolean {
  const { remoteAddress = '', remotePort = 0, localAddress } = socket;
  const isSo = refuses?.(remoteAddress, remotePort, localAddress) ?? false;
  if (isSo) socket.destroy();
  return isSo;
}
