/** A node and a fleet: everything that a node asks for and tells, over the wire. */
import { describe, expect, it } from 'vitest';
import { tokenOf } from '../../runtime/fleet/sign-in/node-tokens.ts';
import { ERASED } from '../../runtime/kernel/settings.ts';
import { type Behaviour, hang, startReceiver } from '../http/receiver.ts';
import { until } from '../node.ts';
import { reply, routes, startCloudNode } from '../services/cloud/node.ts';
import { databases, EITHER, fleetOn, MASTER } from './fleet.ts';

const database = databases(EITHER[0]);
const row = { id: 'acme-one', vendorId: 'abcd', productId: '0042', model: 'One', kind: 'printer', codec: 'escpos' };
const table = { maker: 'Acme', rows: [{ ...row, confidence: 'low', source: 'made up' }] };

/** A node that talks to a fleet, with a token of its own. */
async function start() {
  const [fleet, node] = [await fleetOn(await database()), await startCloudNode()];
  const { deviceId: id } = node.kernel.settings.read('identity') ?? expect.fail();
  const join = () => node.call('PUT', '/cloud', { url: fleet.url, token: tokenOf(MASTER, id) });
  return { fleet, node, id, join };
}

it('heartbeats and webhooks of a node come in, and its recipes come from the fleet', async () => {
  const { fleet, node, id, join } = await start();
  await fleet.call('PUT', '/api/recipes', { text: JSON.stringify(table) });
  await join();
  await until(() => node.kernel.recipes.resolve(row)?.tier === 'cloud');
  await until(async () => (await fleet.call('GET', `/api/nodes/${id}`)).body.heartbeats === 1);
  const seen = (await fleet.call('GET', `/api/nodes/${id}`)).body;
  expect(seen).toMatchObject({ variant: 'twin', printers: [{ endpoint: 'receipt' }] });
  const webhook = { url: `${fleet.url}/events`, secret: tokenOf(MASTER, id), events: ['command_result'] };
  await node.call('PUT', '/config', { webhook });
  const print = { type: 'print', id: 'p1', endpoint: 'receipt', lines: [{ type: 'text', value: 'Hello' }] };
  expect((await node.call('POST', '/print', print)).status).toBe(200);
  await until(async () => (await fleet.call('GET', `/api/nodes/${id}`)).body.jobs[0]?.commandId === 'p1');
});

it('a node in custody hold says so', async () => {
  const { fleet, node, id } = await start();
  await node.call('PUT', '/cloud', { url: fleet.url, token: tokenOf(MASTER, id), heartbeatSeconds: 10 });
  const states = async () => (await fleet.call('GET', `/api/nodes/${id}`)).body.states;
  await until(async () => (await states())?.length === 0);
  await node.kernel.settings.update((draft) => {
    draft[ERASED] = true;
  });
  await until(async () => (await states()).join() === 'custody_hold');
});

describe('a receipt from a sentence', () => {
  const LINES = [{ type: 'text', value: 'Back at noon', align: 'center' }, { type: 'cut' }];
  const says = (content: unknown): Behaviour => reply(200, { choices: [{ message: { content } }] });
  const withModel = async (behaviour: Behaviour) => {
    const model = await startReceiver(routes({ '/v1/chat/completions': behaviour }));
    const there = await start();
    const compose = { url: `${model.url}/v1`, model: 'small', key: 'k' };
    await there.fleet.call('PUT', '/api/settings', { compose });
    await there.join();
    const ask = () =>
      there.node.call('POST', '/compose', {
        id: 'c1',
        endpoint: 'receipt',
        prompt: 'We are back at noon',
        print: true,
      });
    return { ...there, model, ask };
  };

  it('comes from the model of the settings, with the schema of lines, onto paper', async () => {
    const { node, model, ask } = await withModel(says(JSON.stringify({ lines: LINES })));
    expect(await ask()).toMatchObject({ status: 200, body: { ok: true, lines: LINES, result: { ok: true } } });
    await until(() => node.printer.paperText().includes('Back at noon'));
    const [{ body = '', headers = {} } = {}] = model.received;
    const asked = JSON.parse(body);
    expect([headers['authorization'], asked.model, asked.messages.at(-1).content]).toEqual([
      'Bearer k',
      'small',
      'We are back at noon',
    ]);
    const { schema } = asked.response_format.json_schema;
    expect(
      schema.properties.lines.items.anyOf.map((each: { properties: { type: object } }) => each.properties.type),
    ).toContainEqual({ const: 'cut', type: 'string' });
  });

  it('is not kept from one node by another that asks for many, and each may ask for two at a time', async () => {
    const { fleet, model } = await withModel(hang);
    const ask = (node: string) =>
      fleet.call(
        'POST',
        `/compose?node=${node}`,
        { prompt: 'a' },
        { Authorization: `Bearer ${tokenOf(MASTER, node)}` },
      );
    const many = Array.from({ length: 6 }, () => ask('a1'));
    // Two of them are asked, and the rest is told to come again.
    const told = Promise.all(many.map((each) => each.then(({ status }) => status)));
    await until(() => model.received.length === 2);
    const other = ask('b1');
    await until(() => model.received.length === 3);
    model.sockets.forEach((socket) => void socket.destroy());
    expect((await told).sort()).toEqual([502, 502, 503, 503, 503, 503]);
    expect((await other).status).toBe(502);
  });

  it.each<[string, Behaviour]>([
    ['prose', says('Here is your receipt: …')],
    ['lines of another kind', says('{"lines":[{"type":"drawer_kick"}]}')],
    ['no lines', says('{"lines":[]}')],
    ['no message', reply(200, { choices: [] })],
    ['an error', reply(500, 'out of memory')],
  ])('that is %s is refused, and nothing is printed', async (_what, behaviour) => {
    const { node, ask } = await withModel(behaviour);
    const { status, body } = await ask();
    expect([status, body['error']]).toEqual([502, 'compose_failed']);
    expect(node.printer.paperText()).not.toMatch(/\w/);
  });
});
