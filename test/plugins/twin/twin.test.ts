/** The twin's bench and the codes that only it gives. */
import { afterEach, describe, expect, it } from 'vitest';
import { GadgetRoom } from '../../kernel/hotplug-gadget.ts';
import { type PrintingNode, startPrintingNode } from '../../node.ts';
import { twinPlugins, wifiPlugins } from '../../plugins.ts';

let node: PrintingNode;
afterEach(() => node.stop());
const start = async () => {
  node = await startPrintingNode({}, twinPlugins);
};
const bench = (change: object) => node.send('PUT', '/twin/printer', change);
const line = (value: string) => [{ type: 'text', value }];

describe('the twin', () => {
  it('shows the paper as text, as bytes and as SVG, and tears it off', async () => {
    await start();
    await node.send('DELETE', '/twin/paper', undefined);
    const { body } = await node.print(line('Käse 3,20 €'));
    const paper = (name: string) => fetch(`${node.url}/twin/${name}`);
    expect(await (await paper('paper.txt')).text()).toContain('Käse 3,20 €');
    expect((await (await paper('paper.bin')).arrayBuffer()).byteLength).toBe(body['bytes']);
    const svg = await paper('paper');
    expect(svg.headers.get('content-type')).toContain('image/svg+xml');
    expect(await svg.text()).toMatch(/^<svg[\s\S]*Käse[\s\S]*<\/svg>\s*$/);
    await node.send('DELETE', '/twin/paper', undefined);
    expect(await (await paper('paper.txt')).text()).not.toContain('Käse');
  });

  it('gives back the text of drawn rows, each in the order in which it is read', async () => {
    await start();
    await node.send('DELETE', '/twin/paper', undefined);
    const cells = [{ value: 'สวัสดี' }, { value: '12,50', align: 'right' }];
    const { body } = await node.print([...line('مقهى الزاوية'), { type: 'columns', cells }, ...line('a नमस्ते b 😀')]);
    expect(body).toMatchObject({ ok: true });
    expect(body['detail']).toBeUndefined();
    const text = await (await fetch(`${node.url}/twin/paper.txt`)).text();
    expect(text.split('\n').map((row) => row.trim().split(/\s{2,}/))).toEqual([
      ['مقهى الزاوية'],
      ['สวัสดี', '12,50'],
      ['a नमस्ते b 😀'],
      [''],
    ]);
  });

  it.each([
    [{ cover: 'open' }, 'cover_open'],
    [{ paper: 'out' }, 'paper_out'],
  ])('with %j refuses to print with %s and writes nothing', async (change, error) => {
    await start();
    await bench(change);
    await node.send('DELETE', '/twin/paper', undefined);
    expect(await node.print(line('x'))).toMatchObject({ status: 409, body: { ok: false, error } });
    expect(node.printer.paperBytes()).toHaveLength(0);
    await bench({ cover: 'closed', paper: 'ok' });
    expect((await node.print(line('x'))).status).toBe(200);
  });

  it.each([
    ['/print', { type: 'print', lines: line('x') }],
    ['/raw', { type: 'raw', data: 'eA==' }],
    ['/drawer/kick', { type: 'drawer_kick' }],
  ])('tells an endpoint of another kind from one that is not there: POST %s', async (path, body) => {
    const gadgets = new GadgetRoom().plugin;
    node = await startPrintingNode({}, [...twinPlugins, gadgets]);
    const at = (endpoint: string) => node.send('POST', path, { ...body, id: endpoint, endpoint });
    expect(await at('gadget')).toMatchObject({ status: 422, body: { error: 'wrong_endpoint_kind' } });
    expect(await at('nowhere')).toMatchObject({ status: 422, body: { error: 'unknown_endpoint' } });
    await node.stop();
    node = await startPrintingNode({}, [...wifiPlugins, gadgets]);
    expect(await at('gadget')).toMatchObject({ status: 422, body: { error: 'unknown_endpoint' } });
  });

  it.each([
    ['gadget', 'wrong_endpoint_kind'],
    ['nowhere', 'unknown_endpoint'],
    ['', 'unknown_endpoint'],
  ])('has no paper and no cover at the endpoint %j: %s', async (endpoint, error) => {
    node = await startPrintingNode({}, [...twinPlugins, new GadgetRoom().plugin]);
    for (const path of ['paper', 'paper.txt', 'paper.bin']) {
      const response = await fetch(`${node.url}/twin/${path}?endpoint=${endpoint}`);
      expect([response.status, await response.json()]).toEqual([422, expect.objectContaining({ error })]);
    }
    const opened = await node.send('PUT', `/twin/printer?endpoint=${endpoint}`, { cover: 'open' });
    expect(opened).toMatchObject({ status: 422, body: { ok: false, error } });
    const torn = await node.send('DELETE', `/twin/paper?endpoint=${endpoint}`, undefined);
    expect(torn).toMatchObject({ status: 422, body: { ok: false, error } });
    expect(node.printer.state.cover).toBe('closed');
  });

  it('refuses an id that is still in flight, and takes it again afterwards', async () => {
    await start();
    await bench({ slow: 2000 });
    const first = node.print(line('x'.repeat(1000)), { id: 'same' });
    const second = await node.print(line('y'), { id: 'same' });
    expect(second).toMatchObject({ status: 409, body: { error: 'conflict' } });
    expect((await node.print(line('y'), { id: 'same', endpoint: 'nowhere' })).status).toBe(422);
    expect((await node.print([{ type: 'hologram' }], { id: 'same' })).status).toBe(422);
    expect(await node.print(line('y'), { id: 'same' })).toMatchObject({ status: 409, body: { error: 'conflict' } });
    await bench({ slow: 0 });
    expect((await first).status).toBe(200);
    expect((await node.print(line('z'), { id: 'same' })).status).toBe(200);
  });

  it('answers 413 body_too_large where a node answers 400 invalid_body', async () => {
    await start();
    const huge = `{"type":"print","id":"x","endpoint":"receipt","lines":[{"type":"text","value":"${'x'.repeat(300_000)}"}]}`;
    expect(await node.send('POST', '/print', huge)).toMatchObject({ status: 413, body: { error: 'body_too_large' } });
    await node.stop();
    node = await startPrintingNode();
    expect(await node.send('POST', '/print', huge)).toMatchObject({ status: 400, body: { error: 'invalid_body' } });
  });

  it('pulls the plug and puts it back', async () => {
    await start();
    expect((await bench({ attached: false })).body).toMatchObject({ ok: true, attached: false });
    expect(await node.print(line('x'))).toMatchObject({ status: 409, body: { error: 'no_printer' } });
    await bench({ attached: true });
    expect((await node.print(line('x'))).status).toBe(200);
  });

  it.each([{ cover: 'ajar' }, { slow: -1 }, { colour: 'red' }])('refuses %j', async (change) => {
    await start();
    expect(await bench(change)).toMatchObject({ status: 422, body: { error: 'invalid_config' } });
  });

  it('has routes that no other variant has', async () => {
    node = await startPrintingNode();
    expect((await node.get('/twin/paper')).status).toBe(404);
  });
});

describe('POST /twin/attach', () => {
  const attach = (rest: object) => node.send('POST', '/twin/attach', { vendorId: 'abcd', productId: '0042', ...rest });
  const unknown = async () =>
    (await node.get<{ devices: Array<Record<string, unknown>> }>('/devices/unknown')).body.devices;

  it('plugs in a device that nobody knows, and takes it out again', async () => {
    await start();
    expect(await attach({ make: 'Acme', model: 'Gadget' })).toMatchObject({ status: 200, body: { ok: true } });
    expect(await unknown()).toMatchObject([{ vendorId: 'abcd', productId: '0042', make: 'Acme', model: 'Gadget' }]);
    expect(await attach({ attached: false })).toMatchObject({ status: 200, body: { attached: false } });
    expect(
      [...node.kernel.ledger.devices].filter(({ connected, identity }) => connected && identity.vendorId === 'abcd'),
    ).toEqual([]);
  });

  it('refuses a ninth device, and ids that are none', async () => {
    await start();
    for (let count = 0; count < 8; count += 1) expect((await attach({})).status).toBe(200);
    expect(await attach({})).toMatchObject({ status: 422, body: { error: 'invalid_config' } });
    expect(await attach({ vendorId: 'XYZ' })).toMatchObject({ status: 422, body: { error: 'invalid_config' } });
  });
});
