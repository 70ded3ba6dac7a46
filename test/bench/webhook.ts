/** What a receiver that hangs costs a print, and how fast events leave, beside the least a client can be. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Delivery } from '../../runtime/http/delivery.ts';
import { Outbound } from '../../runtime/http/outbound.ts';
import { silentLogger } from '../../runtime/kernel/log.ts';
import { start } from '../child.ts';
import { alternate, type Entry, median, open, percentile, post } from './measure.ts';
import { printCommand } from './receipt.ts';
import { startTwin } from './twin.ts';

const PRINTS = 1500;
const EVENTS = 3000;
const ROUNDS = 11;
/** A tail of one round is noisy. */
const ISOLATION_ROUNDS = 41;
const SECRET = 'a secret of the usual length';
const EVENT = { type: 'scan_read', endpoint: 'scanner', value: '4006381333931', seq: 1 };

/** A client that prints on one connection, and how many ms each print takes. */
async function printing(port: number) {
  const socket = await open(port);
  const command = post('/print', printCommand());
  const print = async (): Promise<number> => {
    const asked = performance.now();
    socket.write(command);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    if (!answer.includes('HTTP/1.1 200')) throw new Error(`unexpected answer: ${answer}`);
    return performance.now() - asked;
  };
  return { print, end: () => socket.destroy() };
}

/**
 * The p99 of prints on two nodes, in ms, as the median of the rounds. They take turns from print to print, so that what else
 * the machine does holds up both.
 */
export async function isolated(ourPort: number, theirPort: number): Promise<{ ours: number; theirs: number }> {
  const clients = [await printing(ourPort), await printing(theirPort)] as const;
  const tails = clients.map((): number[] => []);
  // The first round warms up.
  for (let round = 0; round <= ISOLATION_ROUNDS; round += 1) {
    const times = clients.map((): number[] => []);
    for (let print = 0; print < PRINTS; print += 1)
      for (const side of [print & 1, 1 - (print & 1)]) times[side]?.push(await clients[side]!.print());
    if (round > 0) times.forEach((side, index) => void tails[index]?.push(percentile(side, 99)));
  }
  for (const client of clients) client.end();
  const [ours, theirs] = tails.map(median);
  return { ours: ours!, theirs: theirs! };
}

async function isolation(): Promise<Entry> {
  const held: Socket[] = [];
  const receiver = createServer((socket) => held.push(socket.on('error', () => {}).resume()));
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const twins = [await startTwin(), await startTwin()] as const;
  const [hooked, plain] = twins;
  try {
    const patch = { webhook: { url, secret: SECRET, events: ['command_result', 'printer_status'] } };
    const config = `http://127.0.0.1:${hooked.port}/config`;
    if (!(await fetch(config, { method: 'PUT', body: JSON.stringify(patch) })).ok) throw new Error('no webhook');
    const p99 = await isolated(hooked.port, plain.port);
    if (held.length === 0) throw new Error('nothing was sent to the receiver');
    return { name: 'webhook.isolation', ratio: p99.ours / p99.theirs, ...p99, unit: 'ms' };
  } finally {
    for (const { child } of twins) await child.end();
    for (const socket of held) socket.destroy();
    receiver.close();
  }
}

const perSecond = async (events: () => Promise<void>): Promise<number> => {
  const started = performance.now();
  await events();
  return EVENTS / ((performance.now() - started) / 1000);
};

/** Each event is offered when the one before it was answered: none waits, and none is dropped. */
const delivering = (url: string) => () =>
  perSecond(async () => {
    const outbound = new Outbound({ refuses: () => false });
    const startedAt = performance.now();
    const delivery: Delivery = new Delivery({
      webhook: () => ({ url, secret: SECRET, events: ['scan_read'] }),
      node: '0badcafe',
      uptimeMs: () => performance.now() - startedAt,
      outbound: {
        post: async (outgoing) => {
          const status = await outbound.post(outgoing);
          if (delivery.status().seq < EVENTS) delivery.offer(EVENT);
          return status;
        },
        close: () => outbound.close(),
      },
      log: silentLogger,
    });
    delivery.offer(EVENT);
    while (delivery.status().seq < EVENTS) await new Promise((resolve) => setTimeout(resolve, 1));
    await delivery.stop(5000);
    const { delivered } = delivery.status();
    if (delivered !== EVENTS) throw new Error(`${delivered} of ${EVENTS} events were delivered`);
  });

const posting = (url: string) => () =>
  perSecond(async () => {
    const agent = new Agent({ keepAlive: true });
    for (let seq = 1; seq <= EVENTS; seq += 1) {
      const body = JSON.stringify({ node: '0badcafe', seq, uptimeMs: Math.floor(performance.now()), event: EVENT });
      const headers = {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        'X-NODE-Node': '0badcafe',
        'X-NODE-Seq': seq,
        'X-NODE-Signature': `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`,
      };
      const sent = request(url, { method: 'POST', agent, headers });
      sent.end(body);
      const [response] = (await once(sent, 'response')) as [NodeJS.ReadableStream];
      response.resume();
      await once(response, 'end');
    }
    agent.destroy();
  });

async function rate(bundles: string): Promise<Entry> {
  const receiver = start(`${bundles}/receiver-server.mjs`);
  try {
    const url = `http://127.0.0.1:${await receiver.line('port')}/`;
    const [ours, theirs] = [delivering(url), posting(url)];
    await ours();
    await theirs();
    const events = await alternate(ROUNDS, ours, theirs);
    return { name: 'webhook.rate', ratio: events.ours / events.theirs, ...events, unit: 'events/s' };
  } finally {
    await receiver.end();
  }
}

export const webhookBench = async (bundles: string): Promise<Entry[]> => [await isolation(), await rate(bundles)];
