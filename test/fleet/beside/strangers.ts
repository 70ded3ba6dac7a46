/** What strangers do to a fleet, in a process of its own: `node strangers.mjs KIND MANY TOKEN SHA256 URL...`; until it is killed. */
import { randomBytes } from 'node:crypto';
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';

const [kind = '', many = '', token = '', sha256 = '', ...urls] = process.argv.slice(2);
const targets = urls.map((url) => new URL(url));
/** All are behind one address. */
const FROM = '127.0.2.1';
/** A connection that was closed is opened again after this time. */
const AGAIN_MS = 50;

const head = (shown: string, length: number) =>
  `POST /heartbeat HTTP/1.1\r\nHost: fleet\r\n${shown}Content-Length: ${length}\r\n\r\n`;
const bearer = (shown: string) => `Authorization: Bearer ${shown}\r\n`;
const anyToken = () => bearer(randomBytes(32).toString('base64url'));

/** What is sent as a connection is open: all that comes of it. */
const KINDS: Readonly<Record<string, (socket: Socket) => void>> = {
  nothing: () => {},
  'half a head': (socket) => void socket.write('POST /heartbeat HTTP/1.1\r\nHost: fl'),
  'half a handshake': (socket) => void socket.write(Buffer.from('1603010200010001fc0303', 'hex')),
  'no token and no body': (socket) => void socket.write(head('', 500)),
  'a wrong token and no body': (socket) => void socket.write(head(anyToken(), 500)),
  'the token of a node and no body': (socket) => void socket.write(head(bearer(token), 500)),
  'a body that drips': (socket) => {
    socket.write(head(anyToken(), 16_000));
    const drip = setInterval(() => socket.write(' '), 1000);
    socket.once('close', () => clearInterval(drip));
  },
};

function come(at: number): void {
  const { hostname, port } = targets[at % targets.length] as URL;
  const socket = connect({ host: hostname, port: Number(port), localAddress: FROM });
  socket.on('error', () => {}).on('data', () => {});
  socket.once('connect', () => KINDS[kind]?.(socket));
  socket.once('close', () => setTimeout(come, AGAIN_MS, at));
}

/** One download after the other. */
function download(at: number): void {
  const url = new URL(`/firmware/${sha256}`, targets[at % targets.length]);
  const again = () => void setTimeout(download, AGAIN_MS, at);
  get(url, { agent: false, localAddress: FROM, headers: bearerOf() }, (response) =>
    response.resume().once('close', again),
  ).once('error', again);
}
const bearerOf = () => ({ Authorization: `Bearer ${token}` });

for (let at = 0; at < Number(many); at += 1) setTimeout(kind === 'downloads' ? download : come, at, at);
