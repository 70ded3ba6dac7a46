/** A million beacons that nobody sent, and what the node weighs after them. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { start } from '../child.ts';
import { type Entry, rssOf } from './measure.ts';

const PORT = 9101;
const BEACONS = 1_000_000;
const SOURCES = 512;
/** Datagrams on their way at once, and between two looks at what was dropped. */
const BATCH = 64;
const LOOK = 128 * BATCH;

/** Datagrams that the kernel dropped for want of room, by the port they were for. */
function dropped(): number {
  const port = PORT.toString(16).toUpperCase();
  return readFileSync('/proc/net/udp', 'utf8')
    .split('\n')
    .filter((line) => line.includes(`:${port} `))
    .reduce((sum, line) => sum + Number(line.trim().split(/\s+/).at(-1)), 0);
}

async function sources(): Promise<readonly Socket[]> {
  const sockets: Socket[] = [];
  for (let index = 0; index < SOURCES; index += 1) {
    const socket = createSocket('udp4').bind(0, `127.${1 + (index >> 8)}.1.${index & 255}`);
    await once(socket, 'listening');
    socket.connect(PORT, '127.0.0.1');
    await once(socket, 'connect');
    sockets.push(socket);
  }
  return sockets;
}

/** Sends until so many beacons arrived, each with an id and a name of its own. */
async function flood(sockets: readonly Socket[], count: number): Promise<void> {
  const before = dropped();
  for (let sent = 0; sent - (dropped() - before) < count; ) {
    for (const until = sent + LOOK; sent < until; sent += BATCH) await sendBatch(sockets, sent);
  }
}

function sendBatch(sockets: readonly Socket[], first: number): Promise<void> {
  return new Promise((done) => {
    for (let index = first; index < first + BATCH; index += 1) {
      const id = (index & 0xffffff).toString(16).padStart(8, '0');
      const rest = { name: `n${index}`, variant: 'wifi', firmwareVersion: '1.0.0', httpPort: 80 };
      const datagram = JSON.stringify({ type: 'node_beacon', id, ...rest });
      sockets[index % sockets.length]?.send(datagram, index === first + BATCH - 1 ? () => done() : undefined);
    }
  });
}

export async function beaconBench(bundles: string): Promise<Entry[]> {
  const sockets = await sources();
  const node = start(`${bundles}/beacon-server.mjs`);
  const port = (await node.line('ready')).split(':').at(-1);
  const peers = async () => {
    const answer = (await (await fetch(`http://127.0.0.1:${port}/peers`)).json()) as { peers: unknown[] };
    return answer.peers.length;
  };
  await peers();
  const before = rssOf(node.pid);
  await flood(sockets, BEACONS);
  const seats = await peers();
  const after = rssOf(node.pid);
  await node.end();
  for (const socket of sockets) socket.close();
  if (seats === 0) throw new Error('no beacon arrived');
  const MB = 2 ** 20;
  return [{ name: 'beacon.flood', ratio: after / before, ours: after / MB, theirs: before / MB, unit: 'MB' }];
}
