/** POST /twin/button. */
import { describe, expect, it } from 'vitest';
import { wifiPlugins } from '../../plugins.ts';
import { KEY, startLockedNode, startNode, twinPlugins, until } from '../../services/custody/node.ts';

describe('the button of the twin', () => {
  it('clears the keys of a node whose key was lost, without a key and without waiting', async () => {
    const node = await startLockedNode({ plugins: twinPlugins });
    expect((await node.put({ apiMode: 'open' })).body).toMatchObject({ error: 'api_locked' });
    expect(await node.send('POST', '/twin/button', { name: 'b', holdMs: 15_000 })).toEqual({
      status: 200,
      body: { ok: true },
    });
    await until(() => node.boot.restarts === 1);
    expect(await node.config()).toMatchObject({ apiMode: 'open', apiKeySet: false });
    expect((await node.put({ apiKey: `${KEY} again` })).status).toBe(200);
  });

  it('forgets the network when it is held for 5 seconds', async () => {
    const node = await startNode({ plugins: twinPlugins });
    let forgotten = 0;
    node.kernel.offered('custody')?.forgetNetwork.tapPromise('test', async () => {
      forgotten += 1;
    });
    await node.send('POST', '/twin/button', { name: 'b', holdMs: 5000 });
    await until(() => forgotten === 1);
    expect(node.boot.restarts).toBe(0);
  });

  it('is not held by a body of another shape', async () => {
    const node = await startNode({ plugins: twinPlugins });
    const bodies = [
      {},
      { name: 'b' },
      { holdMs: 15_000 },
      { name: 'power', holdMs: 15_000 },
      { name: 'b', holdMs: '15000' },
      { name: 'b', holdMs: -1 },
      { name: 'b', holdMs: 0.5 },
      { name: 'b', holdMs: 60_001 },
      { name: 'b', holdMs: 15_000, times: 2 },
    ];
    for (const body of bodies) {
      expect(await node.send('POST', '/twin/button', body), JSON.stringify(body)).toMatchObject({
        status: 422,
        body: { ok: false, error: 'invalid_command' },
      });
    }
  });

  it('is there on no other variant', async () => {
    const node = await startNode({ plugins: wifiPlugins });
    expect(await node.send('POST', '/twin/button', { name: 'b', holdMs: 15_000 })).toMatchObject({
      status: 404,
      body: { error: 'not_found' },
    });
  });
});
