/** `printOnce`: a receipt that is sent again where its answer was lost, and printed once. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { PrintCommand } from '../../plugins/printer/client.ts';
import { NodeClient, NodeError } from '../../runtime/client/client.ts';
import { startPrintingNode } from '../node.ts';

const command: PrintCommand = {
  ...{ type: 'print', id: 'sale', endpoint: 'receipt' },
  lines: [{ type: 'text', value: 'Coffee' }],
};

async function start(via: (send: () => Promise<Response>, nth: number) => Promise<Response>) {
  const node = await startPrintingNode();
  onTestFinished(() => node.stop());
  let sent = 0;
  const client = new NodeClient({
    url: node.url,
    fetch: (input, init) => {
      sent += 1;
      return via(() => fetch(input, init), sent);
    },
  });
  const copies = () => Buffer.from(node.printer.paper('text')).toString().split('Coffee').length - 1;
  return { ...node, client, copies, sent: () => sent };
}
const broken = () => Promise.reject(new TypeError('fetch failed'));

describe('printOnce()', () => {
  it('prints once where answers are lost behind the receipt, and gives the result', async () => {
    const { client, copies, sent } = await start(async (send, nth) => {
      const response = await send();
      return nth < 3 ? broken() : response;
    });
    expect(await client.printOnce(command)).toMatchObject({ ok: true, commandId: 'sale' });
    expect([copies(), sent()]).toEqual([1, 3]);
  });

  it('waits for a node that restarts', async () => {
    let letGo = () => {};
    const node = await start((send, nth) => {
      if (nth === 2) letGo();
      return send();
    });
    letGo = node.kernel.hold();
    expect(await node.client.printOnce(command)).toMatchObject({ ok: true });
    expect(node.copies()).toBe(1);
  });

  it('says that it may have printed where nobody can be asked any more', async () => {
    const { client } = await start((send, nth) => (nth === 1 ? send().then(broken) : broken()));
    const error = await client.printOnce(command, { timeoutMs: 400 }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NodeError);
    expect(error).toMatchObject({ code: 'unreachable', mayHavePrinted: true });
  });

  it('is over at once where the receipt is refused', async () => {
    const { client, sent } = await start((send) => send());
    const strange = { ...command, endpoint: 'bar' };
    await expect(client.printOnce(strange)).rejects.toMatchObject({ code: 'unknown_endpoint', mayHavePrinted: false });
    expect(sent()).toBe(1);
  });

  it('sends the key that print was given', async () => {
    const { client, copies } = await start((send) => send());
    const first = await client.print(command, { key: 'sale 1' });
    expect(await client.print(command, { key: 'sale 1' })).toEqual(first);
    expect(copies()).toBe(1);
  });
});
