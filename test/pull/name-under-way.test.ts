/** A job whose name the node has under way already, of somebody else. */
import { expect, it, onTestFinished } from 'vitest';
import { startPrintingNode, until } from '../node.ts';
import { twinPlugins } from '../plugins.ts';
import { startPull } from './pulling.ts';
import { odooServer } from './servers.ts';
import { receipt } from './till.ts';

it('a job that the node refuses while one of its name is under way is sent again, and printed once', async () => {
  const [node, server] = [await startPrintingNode({}, twinPlugins), await odooServer()];
  onTestFinished(() => node.stop());
  onTestFinished(() => server.close());
  const paper = () => Buffer.from(node.printer.paperBytes()).toString('latin1');
  const refused = async () =>
    (await node.get<{ jobs: { id: string; error?: string }[] }>('/jobs')).body.jobs.some(
      ({ id, error }) => id === 'a' && error === 'conflict',
    );
  node.printer.set({ nak: true });
  const other = node.print([{ type: 'text', value: 'of somebody else' }], { id: 'a' });
  server.queue.push(receipt('a'));
  const { log } = await startPull({ server: server.url, node: node.url, protocol: 'sdp' });
  await until(refused);
  node.printer.set({ nak: false });
  expect((await other).status).toBe(200);
  await until(() => server.heard.length > 0);
  expect([server.heard, log]).toEqual([[{ id: 'a', success: true, code: '', detail: undefined }], []]);
  expect(paper().split('<a>')).toHaveLength(2);
});
