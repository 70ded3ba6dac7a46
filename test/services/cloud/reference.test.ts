import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encodeHeader } from '../../../runtime/image/format.ts';
import { until } from '../../node.ts';
import { startCloudNode, TOKEN, updateRoom } from './node.ts';
import { folder, startCloud } from './reference.ts';

const image = (version: string, variant = 'twin') =>
  Buffer.concat([
    encodeHeader({ type: 'node', variant, version, floor: 1, length: 300, manifestLength: 0 }),
    Buffer.alloc(300 - 128),
  ]);

describe('the reference cloud', () => {
  it('lists the nodes whose heartbeats it took', async () => {
    const { url, get } = await startCloud();
    const node = await startCloudNode();
    await node.call('PUT', '/cloud', { url, token: TOKEN });
    await until(() => node.events.some(({ type }) => type === 'heartbeat'));
    expect(node.events.find(({ type }) => type === 'heartbeat')).toMatchObject({ status: 204 });
    const { nodes } = (await (await get('/nodes')).json()) as { nodes: Record<string, unknown>[] };
    const { identity } = (await node.call('GET', '/status')).body as { identity: { deviceId: string } };
    expect(nodes).toMatchObject([{ node: identity.deviceId, seq: 1, variant: 'twin', ageSeconds: 0 }]);
  });

  it('asks for the token on every route', async () => {
    const { url, get } = await startCloud();
    for (const path of ['/nodes', '/recipes', '/firmware', '/x']) {
      expect((await get(path, {})).status).toBe(401);
      expect((await get(path, { Authorization: `Bearer ${TOKEN}x` })).status).toBe(401);
    }
    expect((await fetch(`${url}/heartbeat`, { method: 'POST', body: '{"node":"a"}' })).status).toBe(401);
  });

  it('serves a recipe table that a node takes, and 304 after that', async () => {
    const row = {
      id: 'a',
      vendorId: 'abcd',
      productId: '0042',
      make: 'A',
      model: 'B',
      kind: 'printer',
      codec: 'escpos',
    };
    const recipes = join(folder({ 'table.json': JSON.stringify({ rows: [row] }) }), 'table.json');
    const { url, get } = await startCloud({ recipes });
    const node = await startCloudNode();
    await node.call('PUT', '/cloud', { url, token: TOKEN });
    await until(() => node.kernel.recipes.resolve(row)?.tier === 'cloud');
    const etag = (await get('/recipes')).headers.get('etag') ?? '';
    // fetch() adds a field that asks for a fresh copy.
    const headers = { Authorization: `Bearer ${TOKEN}`, 'If-None-Match': etag };
    const [again] = (await once(httpGet(`${url}/recipes`, { headers }), 'response')) as [IncomingMessage];
    expect(again.resume().statusCode).toBe(304);
  });

  it('offers the newest image of a variant, and serves it', async () => {
    const firmware = folder({
      'a.img': image('1.9.0'),
      'b.img': image('1.10.0'),
      'c.img': image('2.0.0', 'wifi'),
      'notes.txt': 'x',
    });
    const { url, get } = await startCloud({ firmware });
    const node = await startCloudNode({ also: [updateRoom()] });
    await node.call('PUT', '/cloud', { url, token: TOKEN });
    expect(await node.kernel.offered('update')?.source.call()?.look({ apply: false })).toBe('1.10.0');
    const offer = (await (await get('/firmware?variant=twin&version=1')).json()) as { url: string };
    expect(Buffer.from(await (await get(`/${offer.url}`)).arrayBuffer())).toEqual(image('1.10.0'));
    expect((await get('/firmware?variant=camera')).status).toBe(204);
    expect((await get('/firmware/..%2Fb.img')).status).toBe(404);
  });
});
