/** CloudPRNT of Star's own plugin for WooCommerce (`cloudprnt.php`): it looks at no poll but of Star's printers, and has no `jobToken`. */
import { beforeEach, expect, it } from 'vitest';
import { type PrintingNode, startPrintingNode, until } from '../node.ts';
import { startPull } from './pulling.ts';
import { serve, type TestServer } from './servers.ts';

const MAC = '00:11:62:00:00:01';
const isTaken = (mac: unknown) => typeof mac === 'string' && /^00:11(?::..){4}$/.test(mac);

let node: PrintingNode;
let shop: TestServer;
let queue: string[];
let polls: Record<string, unknown>[];
/** Whether the plugin has asked this printer what it is. */
let isKnown: boolean;
beforeEach(async () => {
  node = await startPrintingNode();
  queue = ['<A>', '<B>'];
  polls = [];
  isKnown = false;
  shop = await serve((request, body, { searchParams: query }) => {
    const json = (value: unknown) => ({ body: JSON.stringify(value) });
    if (request.method === 'POST') {
      const asked = JSON.parse(body) as Record<string, unknown>;
      polls.push(asked);
      const { printerMAC, statusCode, status, clientAction } = asked;
      if ([statusCode, status].some((each) => typeof each !== 'string') || !isTaken(printerMAC)) return {};
      const wasKnown = isKnown;
      isKnown ||= clientAction !== null;
      if (clientAction !== null) return json({ jobReady: false });
      if (!wasKnown) return json({ jobReady: false, clientAction: [{ request: 'GetPollInterval' }] });
      return json({ jobReady: queue.length > 0, mediaTypes: ['text/plain'], deleteMethod: 'GET' });
    }
    if (!isTaken(query.get('mac'))) return {};
    if (!query.has('delete')) return { headers: { 'Content-Type': 'text/plain' }, body: queue[0] ?? '' };
    if (query.get('code')?.startsWith('2')) queue.shift();
    return {};
  });
  return async () => {
    await shop.close();
    await node.stop();
  };
});

const options = () => ({ server: shop.url, node: node.url, protocol: 'cloudprnt' });

it('with a MAC address of Star the program prints what the plugin has', async () => {
  const { log } = await startPull(options(), ['--mac', MAC]);
  await until(() => queue.length === 0);
  const paper = Buffer.from(node.printer.paperBytes()).toString('latin1');
  expect(paper.match(/<.>/g)).toEqual(['<A>', '<B>']);
  // Of a printer that is ready: no bit of the bytes behind the first two.
  expect(polls[0]).toMatchObject({ printerMAC: MAC, status: '23 6 0 0 0 0 0 0 0 ' });
  expect(log).toEqual([`server: it asks as printerMAC ${MAC}, uniqueID local_printer`]);
});

it('without one the log says once why nothing may come', async () => {
  const { log } = await startPull(options());
  await until(() => polls.length > 2);
  expect(queue).toHaveLength(2);
  expect(log.filter((line) => line.includes('answers a poll with nothing'))).toEqual([
    expect.stringContaining('--mac'),
  ]);
});

it('a printer whose cover is open says so in its status bytes, too', async () => {
  node.printer.set({ cover: 'open' });
  await node.unplug();
  await node.replug();
  const seen = async () => (await node.get<{ printers: { coverOpen: boolean }[] }>('/status')).body.printers[0];
  await until(async () => (await seen())?.coverOpen === true);
  await startPull(options(), ['--mac', MAC]);
  expect(polls[0]).toMatchObject({ status: expect.stringMatching(/^23 6 28 0 0 \d 0 0 0 $/) });
});
