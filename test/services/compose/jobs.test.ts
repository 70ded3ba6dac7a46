/** A composed receipt is one job, from the question to the cloud to the printer's last byte. */
import { describe, expect, it } from 'vitest';
import type { RecentJob } from '../../../runtime/services/jobs/contract.ts';
import { startReceiver } from '../../http/receiver.ts';
import { type CloudNode, reply, routes, startCloudNode, TOKEN } from '../cloud/node.ts';

const ASK = { id: 'c-1', endpoint: 'receipt', prompt: 'Say that Mrs Miller is back at noon' };
const LINES = [{ type: 'text', value: 'Mrs Miller: back at noon' }, { type: 'cut' }];
const mine = { id: 'c-1', kind: 'compose', endpoint: 'receipt', from: '127.0.0.1' };

async function start(answer = reply(200, { lines: LINES })): Promise<CloudNode> {
  const cloud = await startReceiver(routes({ '/compose': answer }));
  const node = await startCloudNode();
  await node.call('PUT', '/cloud', { url: cloud.url, token: TOKEN });
  return node;
}

const jobsOf = async ({ call }: CloudNode) => (await call('GET', '/jobs')).body['jobs'] as RecentJob[];

describe('a composed receipt', () => {
  it('is listed once, with what the printer took of it', async () => {
    const node = await start();
    const { body } = await node.call('POST', '/compose', { ...ASK, print: true });
    const { bytes } = body['result'] as { bytes: number };
    expect(await jobsOf(node)).toMatchObject([{ ...mine, outcome: 'accepted', bytes }]);
    expect(JSON.stringify(await jobsOf(node))).not.toMatch(/Miller|noon/);
  });

  it('has no bytes where nobody asked to print it', async () => {
    const node = await start();
    await node.call('POST', '/compose', ASK);
    expect(await jobsOf(node)).toMatchObject([{ ...mine, outcome: 'accepted', bytes: 0 }]);
  });

  it('is listed with the reason where the cloud gave none, and where there was no printer', async () => {
    const node = await start(reply(500));
    await node.call('POST', '/compose', { ...ASK, print: true });
    expect(await jobsOf(node)).toMatchObject([{ ...mine, outcome: 'failed', error: 'compose_failed', bytes: 0 }]);
    const without = await start();
    without.bench.usb.unplug(without.printer);
    await without.kernel.hotplug.settled();
    await without.call('POST', '/compose', { ...ASK, print: true });
    expect(await jobsOf(without)).toMatchObject([{ ...mine, outcome: 'failed', error: 'no_printer', bytes: 0 }]);
  });
});
