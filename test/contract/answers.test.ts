/** Every route's answer to a request that it takes, and every event, held against the document: no field more, none less. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { VirtualPrinter } from '../../plugins/printer/virtual/device.ts';
import type { NodeEvent } from '../../runtime/kernel/registry.ts';
import { until } from '../node.ts';
import { faultIn, startWithCloud } from './answer.ts';
import { faultOf, operationOf } from './document.ts';
import { GOOD } from './requests.ts';
import { jsonOf, type Shop, send, startShop } from './shop.ts';
import { isHere, routesOf } from './tables.ts';

/** Routes of the twin with a good request that this tree can serve. */
const OWN = routesOf('twin')
  .filter(({ moves }) => moves === undefined || isHere(moves))
  .map(({ method, path }) => `${method} ${path}`);
const own = (routes: readonly string[]) => routes.filter((route) => OWN.includes(route));
const START = ['POST /twin/attach', 'POST /print'];
/** What changes the node most comes last. */
const LAST = own(['PUT /twin/printer', 'POST /update', 'POST /restart']);
const STREAMS = own(['GET /events', 'GET /camera/stream']);

describe('the answer to a good request', () => {
  it('has the type and the fields of the document, and no others: every route', async () => {
    const node = await startWithCloud();
    const asked = OWN.filter((route) => ![...LAST, ...STREAMS, ...START, 'POST /provision'].includes(route));
    const reads = asked.filter((route) => route.startsWith('GET '));
    const writes = asked.filter((route) => !route.startsWith('GET '));
    const faults: string[] = [];
    // Read once more when everything has been written, scanned, weighed and printed.
    for (const route of [...START, ...reads, ...writes.filter((each) => !each.startsWith('DELETE ')), ...reads]) {
      const fault = await faultIn(node, route);
      if (fault !== '') faults.push(`${route} -> ${fault}`);
    }
    for (const route of [...writes.filter((each) => each.startsWith('DELETE ')), ...LAST]) {
      const fault = await faultIn(node, route);
      if (fault !== '') faults.push(`${route} -> ${fault}`);
    }
    expect(faults).toEqual([]);
  });

  it.each(STREAMS)('stays open with the type of the document: %s', async (route) => {
    const node = await startShop({ variant: 'twin' });
    const response = await open(node, route.replace('GET ', ''));
    const documented = Object.keys(operationOf('twin', route)?.responses['200']?.content ?? {});
    expect([response.status, documented]).toEqual([
      200,
      [response.headers.get('content-type')?.replace('; charset=utf-8', '')],
    ]);
  });

  it('to a status with what was refused, gone or unknown, too', async () => {
    const node = await startShop({ variant: 'twin' });
    await send(node, 'POST /twin/attach', GOOD['POST /twin/attach']);
    node.bench.usb.plug(new VirtualPrinter({ productId: 0x0e15, model: 'TM-T20II' }));
    await node.unplug(...[...node.bench.devices.keys()].filter((room) => room !== 'printer'));
    const read = own(['GET /status', 'GET /peripherals', 'GET /devices/unknown', 'GET /camera', 'GET /scale']);
    const faults = [];
    for (const route of read) faults.push(await faultIn(node, route));
    expect(faults).toEqual(read.map(() => ''));
    const { rejections, peripherals } = jsonOf(await send(node, 'GET /status'));
    expect(rejections).not.toEqual([]);
    expect(peripherals).toContainEqual(expect.objectContaining({ condition: 'gone' }));
  });
});

/** A request whose answer may stay open; given up when the test ends. */
async function open(node: Shop, path: string, headers = {}): Promise<Response> {
  const giveUp = new AbortController();
  onTestFinished(() => giveUp.abort());
  return fetch(`${node.url}${path}`, { headers, signal: giveUp.signal });
}

describe('an event', () => {
  it('is what the document says of its type, on GET /events', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const node = await startWithCloud();
    const types = operationOf('twin', 'GET /events')?.responses['200']?.['x-events'] ?? {};
    const seen = new Map<string, string>();
    // The first heartbeat may have been already.
    const response = await open(node, '/events', { 'Last-Event-ID': '0' });
    const reading = (async () => {
      let held = '';
      for await (const chunk of response.body ?? []) {
        held += Buffer.from(chunk).toString();
        for (const [, type = '', json = ''] of held.matchAll(/^event: (.*)\nid: \d+\ndata: (.*)\n\n/gm)) {
          const event = JSON.parse(json) as { type: string };
          const fault = event.type === type ? faultOf('twin', types[type], event) : `it says ${event.type}`;
          seen.set(type, fault || seen.get(type) || '');
        }
        const end = held.lastIndexOf('\n\n');
        if (end >= 0) held = held.slice(end + 2);
      }
    })();
    reading.catch(() => {});
    for (const route of own(['POST /print', 'POST /twin/scan', 'PUT /twin/scale']))
      await send(node, route, GOOD[route]);
    const [printer] = node.kernel.status()['printers'] as [NodeEvent & { type: 'printer_status' }];
    node.kernel.event(printer);
    const frames = own(['GET /camera/frame']).map((route) => send(node, route));
    await until(() => {
      vi.advanceTimersByTime(100);
      return Object.keys(types).every((type) => seen.has(type));
    });
    for (const { status } of await Promise.all(frames)) expect(status).toBe(200);
    expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(Object.keys(types).map((type) => [type, ''])));
  });
});
