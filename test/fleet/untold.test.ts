/** Alerts that do not get to who is to be told: a message that its receiver refuses, a receiver that is away. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { answer, startReceiver } from '../http/receiver.ts';
import { until } from '../node.ts';
import { databases, ENGINES, fleetOn, heartbeat } from './fleet.ts';

const database = databases(ENGINES.at(-1)!);

/** A fleet, its tables, and what it tells of its channels. */
async function started() {
  const where = await database();
  const on = await openDatabase(where);
  onTestFinished(() => on.close());
  const fleet = await fleetOn(where, { lookMs: 100 });
  const open = async () =>
    (await fleet.call('GET', '/api/alerts?open=true')).body.alerts.map(({ rule }: { rule: string }) => rule).sort();
  return {
    fleet,
    open,
    isHeld: (node: string, seq: number, custodyHold = true) => fleet.beat(heartbeat({ node, seq, custodyHold })),
    /** The time to the next try is over. */
    again: () => on.query('UPDATE delivery SET next_at = now() WHERE done_at IS NULL'),
    /** Has what waits wait for so many minutes more. */
    later: (minutes: number) =>
      on.query(`UPDATE delivery SET made_at = made_at - interval '${minutes} minutes' WHERE done_at IS NULL`),
  };
}

/** A mail server of a few replies, by the first word of a line; `.`: to the whole mail. */
async function mailServer(replies: Record<string, string>) {
  const mails: string[] = [];
  const server = createServer((socket) => {
    socket.write('220 here\r\n');
    let [held, mail] = ['', ''];
    let isData = false;
    socket.on('data', (chunk) => {
      held += chunk;
      for (let end = held.indexOf('\r\n'); end >= 0; end = held.indexOf('\r\n')) {
        const line = held.slice(0, end);
        held = held.slice(end + 2);
        mail += `${line}\n`;
        if (isData && line !== '.') continue;
        const word = line.split(' ')[0] ?? '';
        isData = word === 'DATA';
        if (word === '.') mails.push(mail);
        if (word === 'MAIL') mail = '';
        socket.write(`${replies[word] ?? (isData ? '354 go' : '250 so')}\r\n`);
      }
    });
    socket.on('error', () => {});
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const mail = { server: `smtp://127.0.0.1:${port}`, from: 'fleet@a.example', to: ['b@c.example'] };
  return { mails, mail, replies };
}

it.each([400, 413, 415, 422])(
  'a message that its receiver refuses with %i is given up at the third time, and those behind it are sent',
  async (status) => {
    const receiver = await startReceiver((socket, received) =>
      answer(received.body.includes('"refused"') ? status : 204)(socket, received),
    );
    const { fleet, isHeld, again } = await started();
    await fleet.call('PUT', '/api/settings', { alerts: { webhook: { url: receiver.url, secret: '' } } });
    await isHeld('refused', 1);
    await until(() => receiver.received.length === 1);
    await isHeld('taken', 1);
    await until(async () => {
      await again();
      return receiver.received.length === 4;
    });
    const told = receiver.received.map(({ body }) => JSON.parse(body).begun[0].subject);
    expect(told).toEqual(['refused', 'refused', 'refused', 'taken']);
  },
);

it.each([401, 404, 408, 429, 500, 503])(
  'a message is tried again for as long as the receiver answers %i, which may be of another kind tomorrow',
  async (status) => {
    let now = status;
    const receiver = await startReceiver((...call) => answer(now)(...call));
    const { fleet, isHeld, again } = await started();
    await fleet.call('PUT', '/api/settings', { alerts: { webhook: { url: receiver.url, secret: '' } } });
    await isHeld('one', 1);
    await until(async () => {
      await again();
      return receiver.received.length === 5;
    });
    now = 204;
    await again();
    await isHeld('two', 1);
    await until(async () => {
      await again();
      return JSON.parse(receiver.received.at(-1)!.body).begun[0].subject === 'two';
    });
  },
);

it('mail that the server refuses for what it is, is given up at the third time, and that is an alert which the webhook tells', async () => {
  const receiver = await startReceiver(answer(204));
  const { mail, mails, replies } = await mailServer({ '.': '554 no such words here' });
  const { fleet, isHeld, again, open } = await started();
  await fleet.call('PUT', '/api/settings', { alerts: { mail, webhook: { url: receiver.url, secret: '' } } });
  await isHeld('one', 1);
  await until(async () => {
    await again();
    return (await open()).includes('mail_fails');
  });
  expect(mails).toHaveLength(3);
  const rules = () =>
    receiver.received.flatMap(({ body }) => JSON.parse(body).begun.map(({ rule }: { rule: string }) => rule));
  await until(() => rules().includes('mail_fails'));
  replies['.'] = '250 so';
  await isHeld('two', 1);
  await until(async () => !(await open()).includes('mail_fails'));
  expect(mails).toHaveLength(4);
  expect(mails.join('')).not.toContain('mail_fails');
});

it('a receiver that is away for ten minutes is an alert, of its channel alone, until it has taken a message or is no longer set', async () => {
  let status = 503;
  const receiver = await startReceiver((...call) => answer(status)(...call));
  const { fleet, isHeld, again, later, open } = await started();
  const set = (url: string) => fleet.call('PUT', '/api/settings', { alerts: { webhook: { url, secret: '' } } });
  await set(receiver.url);
  await isHeld('one', 1);
  await until(() => receiver.received.length === 1);
  await later(9);
  const before = receiver.received.length;
  await until(async () => {
    await again();
    return receiver.received.length > before + 1;
  });
  expect(await open()).toEqual(['custody_hold']);
  await later(1);
  await until(async () => (await open()).includes('webhook_fails'));
  status = 204;
  await again();
  await until(async () => !(await open()).includes('webhook_fails'));
  status = 503;
  const { length } = receiver.received;
  await isHeld('two', 1);
  await until(() => receiver.received.length > length);
  await later(10);
  await until(async () => (await open()).includes('webhook_fails'));
  await set('');
  await until(async () => !(await open()).includes('webhook_fails'));
  // What it could not tell it does not tell of itself.
  expect(receiver.received.map(({ body }) => body).join('')).not.toContain('webhook_fails');
});
