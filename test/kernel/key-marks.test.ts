/** What a node says of a request that may have been sent before, and whose key it may have forgotten. */
import { describe, expect, it, vi } from 'vitest';
import { VirtualStorage } from '../../runtime/bindings/virtual/storage.ts';
import type { Keys } from '../../runtime/kernel/keys.ts';
import { Reply } from '../../runtime/kernel/reply.ts';
import { copies, FILE, receipt, startKeyedNode as start } from './keyed-node.ts';

type KeyedNode = Awaited<ReturnType<typeof start>>;
const markOf = async ({ url }: KeyedNode): Promise<string> => {
  const status = (await (await fetch(`${url}/status`)).json()) as { idempotency: { mark: string } };
  return status.idempotency.mark;
};
/** What the disk has, of a node that is killed now. */
async function copyOf(storage: VirtualStorage): Promise<VirtualStorage> {
  const copy = new VirtualStorage();
  await copy.write(FILE, (await storage.read(FILE)) ?? new Uint8Array());
  return copy;
}
/** Does so many requests of others. */
const pass = async (keys: Pick<Keys, 'once'>, requests: number) => {
  for (let n = 0; n < requests; n += 1)
    await keys.once(
      { key: `other ${n}`, method: 'POST', path: '/print', body: {}, from: '' },
      async () => new Reply(200, {}),
    );
};
const inDoubt = { status: 409, body: { ok: false, error: 'write_failed' } };

describe('a request with the mark from before it was sent first', () => {
  it.each([
    ['a node that has had no key', 0],
    ['a node that has keys', 3],
  ])(
    'is in doubt at %s once its key may be forgotten, also behind a restart, and prints nothing again',
    async (_, had) => {
      const node = await start();
      for (let n = 0; n < had; n += 1) await node.post('/print', receipt('0', 'Tea'), `before ${n}`);
      const mark = await markOf(node);
      expect(await node.post('/print', receipt('1'), 'sale')).toMatchObject({ status: 200 });
      await pass(node.kernel.keys, 1000);
      const refused = await node.post('/print', receipt('1'), 'sale', mark);
      expect(refused).toMatchObject(inDoubt);
      expect(refused.body['detail']).toContain('may have printed');
      await node.stop();
      const second = await start(node.storage);
      expect(await second.post('/print', receipt('1'), 'sale', mark)).toMatchObject(inDoubt);
      expect([copies(node.printer), copies(second.printer)]).toEqual([1, 0]);
    },
  );

  it('is replayed, or done where its key was never used, as long as the node surely knows, also behind a restart', async () => {
    const node = await start();
    const mark = await markOf(node);
    expect(await node.post('/print', receipt('1'), 'sale')).toMatchObject({ status: 200 });
    await pass(node.kernel.keys, 998);
    await node.stop();
    const second = await start(node.storage);
    expect(await second.post('/print', receipt('1'), 'sale', mark)).toMatchObject({ status: 200, replayed: 'true' });
    expect(await second.post('/print', receipt('2', 'Tea'), 'next', mark)).toMatchObject({
      status: 200,
      replayed: null,
    });
    expect([copies(node.printer), copies(second.printer), copies(second.printer, 'Tea')]).toEqual([1, 0, 1]);
  });

  it('is done at a node that had no key and was killed before it came, as nothing of it had left', async () => {
    const node = await start();
    const mark = await markOf(node);
    const second = await start(await copyOf(node.storage));
    expect(await second.post('/print', receipt('1'), 'sale', mark)).toMatchObject({ status: 200, replayed: null });
    expect([await markOf(await start(await copyOf(second.storage))), copies(second.printer)]).toEqual([
      await markOf(second),
      1,
    ]);
  });

  it('is told although the disk takes nothing', async () => {
    const storage = new VirtualStorage();
    const node = await start(storage);
    vi.spyOn(storage, 'append').mockRejectedValue(new Error('ENOSPC'));
    expect(await markOf(node)).toMatch(/^[\da-f]{32}$/);
  });

  it('is in doubt at a node that lost its keys, or is another one', async () => {
    const node = await start();
    await node.post('/print', receipt('1'), 'sale');
    const mark = await markOf(node);
    const other = await start();
    await other.post('/print', receipt('1', 'Tea'), 'sale');
    expect(await other.post('/print', receipt('2'), 'next', mark)).toMatchObject(inDoubt);
    expect(copies(other.printer)).toBe(0);
  });
});

it('the mark tells nobody the key that it is of, stays while nothing is done, and is another behind the next request', async () => {
  const node = await start();
  const [none, same] = [await markOf(node), await markOf(node)];
  await node.post('/print', receipt('1'), 'sale');
  const first = await markOf(node);
  expect(none).toBe(same);
  expect(first).not.toBe(none);
  expect(first).not.toContain('sale');
  await node.stop();
  expect(await markOf(await start(node.storage))).toBe(first);
});
