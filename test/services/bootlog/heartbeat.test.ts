/** What a heartbeat says of the run and of the last crash. */
import { describe, expect, it } from 'vitest';
import { startReceiver } from '../../http/receiver.ts';
import { heartbeat } from '../cloud/beat.ts';
import { startCloudNode } from '../cloud/node.ts';

describe('a heartbeat', () => {
  it('says which run this is', async () => {
    const [cloud, node] = [await startReceiver(), await startCloudNode()];
    const { boots } = (await node.call('GET', '/bootlog')).body as { boots: { bootId: string }[] };
    expect((await heartbeat(node, cloud)).bootId).toBe(boots[0]?.bootId);
  });

  it('names the last crash, with its time and reason, until it is cleared', async () => {
    const [cloud, before] = [await startReceiver(), await startCloudNode()];
    const { bootId } = await heartbeat(before, cloud);
    before.kernel.hooks.crash.call(new Error('one too many'));
    const node = await startCloudNode({ storage: before.storage });
    const { crash } = await heartbeat(node, cloud);
    expect(crash).toEqual({
      ...{ bootId, reason: 'uncaught_error', uptimeSeconds: expect.any(Number) },
      time: expect.stringMatching(/^\d{4}-/),
    });
    await node.call('DELETE', '/bootlog/crash');
    expect((await heartbeat(node, cloud)).crash).toBeUndefined();
  });
});
