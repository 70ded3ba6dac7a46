/** Receivers of what the node sends: kept as it came, and answered by whatever the test calls an answer. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { onTestFinished } from 'vitest';

export interface Received {
  /** As it stood in the request line. */
  readonly target: string;
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Counted from 1: which connection of this receiver it came on. */
  readonly connection: number;
}
export type Behaviour = (socket: Socket, received: Received) => void;

export interface Receiver {
  readonly port: number;
  /** http://127.0.0.1:PORT */
  readonly url: string;
  readonly received: readonly Received[];
  readonly connections: number;
  readonly sockets: readonly Socket[];
  behave: Behaviour;
}

/** An answer with an empty body, on a connection that stays open. */
export const answer =
  (status: number, ...fields: readonly string[]): Behaviour =>
  (socket) =>
    void socket.write(
      `HTTP/1.1 ${status} So\r\nContent-Length: 0\r\n${fields.map((field) => `${field}\r\n`).join('')}\r\n`,
    );

export const say =
  (text: string): Behaviour =>
  (socket) =>
    void socket.write(text);
export const hang: Behaviour = () => {};

/** Writes a piece each few milliseconds for as long as somebody is there. */
export const drip =
  (first: string, piece: string, everyMs = 5): Behaviour =>
  (socket) => {
    socket.write(first);
    const timer = setInterval(() => socket.write(piece), everyMs);
    socket.once('close', () => clearInterval(timer));
  };

/** Writes as fast as it is taken, for as long as somebody is there. */
export const pour =
  (first: string, piece: string): Behaviour =>
  (socket) => {
    const go = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', go);
    socket.write(first);
    go();
  };

export async function startReceiver(
  behave: Behaviour = answer(200),
  { tls, onConnect }: { tls?: TlsOptions; onConnect?: (socket: Socket) => void } = {},
): Promise<Receiver> {
  const received: Received[] = [];
  const sockets: Socket[] = [];
  const accept = (socket: Socket) => {
    const connection = sockets.push(socket);
    socket.on('error', () => {});
    if (onConnect !== undefined) {
      onConnect(socket);
      return;
    }
    let held = '';
    socket.on('data', (chunk) => {
      held += chunk.toString();
      for (let request = take(held); request !== undefined; request = take(held)) {
        held = request.rest;
        received.push({ ...request.received, connection });
        receiver.behave(socket, received[received.length - 1] as Received);
      }
    });
  };
  const server: Server = tls === undefined ? createServer(accept) : createTlsServer(tls, accept);
  // A handshake that fails is the client's to report.
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    port,
    url: `http://127.0.0.1:${port}`,
    received,
    sockets,
    get connections() {
      return sockets.length;
    },
    behave,
  };
  return receiver;
}

function take(text: string): { received: Omit<Received, 'connection'>; rest: string } | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [line = '', ...fields] = text.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    fields.map((field) => [
      field.slice(0, field.indexOf(':')).toLowerCase(),
      field.slice(field.indexOf(':') + 1).trim(),
    ]),
  );
  const bytes = Buffer.from(text.slice(end + 4));
  const length = Number(headers['content-length'] ?? 0);
  if (bytes.length < length) return undefined;
  const [method = '', target = ''] = line.split(' ');
  const body = bytes.subarray(0, length).toString();
  return { received: { target, method, headers, body }, rest: bytes.subarray(length).toString() };
}
