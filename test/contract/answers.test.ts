/** Every route's answer to a request that it takes, and every event, held against the document: no field more, none less. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { VirtualPrinter } from '../../plugins/printer/virtual/device.ts';
import type { NodeEvent } from '../../runtime/kernel/registry.ts';
import { startReceiver } from '../http/receiver.ts';
import { until } from '../node.ts';
import { reply, routes, TOKEN } from '../services/cloud/node.ts';
import { TestRadio } from '../services/network/radio.ts';
import { documents, faultOf, operationOf } from './document.ts';
import { GOOD, imageFor, LINES, upload } from './requests.ts';
import { jsonOf, type Shop, send, startShop } from './shop.ts';
import { routesOf } from './tables.ts';

const START = ['POST /twin/attach', 'POST /print'];
/** What changes the node most comes last. */
const LAST = ['PUT /twin/printer', 'POST /update', 'POST /restart'];
const STREAMS = ['GET /events', 'GET /camera/stream'];

async function startWithCloud(): Promise<Shop> {
  const cloud = await startReceiver(routes({ '/compose': reply(200, { lines: LINES }), '/heartbeat': reply(204) }));
  const node = await startShop({ variant: 'twin' });
  await send(node, 'PUT /cloud', { body: { url: cloud.url, token: TOKEN } });
  await send(node, 'PUT /config', GOOD['PUT /config']);
  return node;
}

/** What is wrong with the answer; '' for nothing. */
async function faultIn(node: Shop, route: string): Promise<string> {
  const ask = route === 'POST /update' ? upload(imageFor('twin')) : GOOD[route];
  const answer = await send(node, route, ask);
  const [media = '', { schema }] = Object.entries(operationOf('twin', route)?.responses['200']?.content ?? {})[0] ?? [
    '',
    {},
  ];
  if (answer.status !== 200) return `${answer.status} ${answer.text.slice(0, 200)}`;
  if (answer.type.split(';')[0] !== media.split(';')[0]) return `${answer.type} instead of ${media}`;
  if (media === 'application/json') return faultOf('twin', schema, jsonOf(answer));
  if (media !== 'application/x-ndjson') return answer.text.length > 0 ? '' : 'nothing came';
  const lines = answer.text.split('\n').filter((line) => line !== '');
  return lines.length === 0 ? 'no line came' : lines.map((line) => faultOf('twin', schema, JSON.parse(line))).join('');
}

describe('the answer to a good request', () => {
  it('has the type and the fields of the document, and no others: every route', async () => {
    const node = await startWithCloud();
    const own = routesOf('twin').map(({ method, path }) => `${method} ${path}`);
    const asked = own.filter((route) => ![...LAST, ...STREAMS, ...START, 'POST /provision'].includes(route));
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

  it('on the setup network, too', async () => {
    const radio = new TestRadio();
    const node = await startShop({ variant: 'twin', radio });
    await until(() => radio.is('setup'));
    await until(async () => (await send(node, 'GET /nothing-here')).status === 302);
    expect(await faultIn(node, 'POST /provision')).toBe('');
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
    node.bench.usb.unplug(node.camera);
    await node.settled();
    const faults = [];
    for (const route of ['GET /status', 'GET /peripherals', 'GET /devices/unknown', 'GET /camera', 'GET /scale']) {
      faults.push(await faultIn(node, route));
    }
    expect(faults).toEqual(['', '', '', '', '']);
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
    for (const route of ['POST /print', 'POST /twin/scan', 'PUT /twin/scale']) await send(node, route, GOOD[route]);
    const [printer] = node.kernel.status()['printers'] as [NodeEvent & { type: 'printer_status' }];
    node.kernel.event(printer);
    const frame = send(node, 'GET /camera/frame');
    await until(() => {
      vi.advanceTimersByTime(100);
      return Object.keys(types).every((type) => seen.has(type));
    });
    expect((await frame).status).toBe(200);
    expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(Object.keys(types).map((type) => [type, ''])));
  });

  it('goes to a receiver in the body and with the header fields of the document', async () => {
    const receiver = await startReceiver();
    const node = await startShop({ variant: 'twin' });
    const events = ['command_result', 'scan_read'];
    await send(node, 'PUT /config', { body: { webhook: { url: receiver.url, secret: 'sesame', events } } });
    await send(node, 'POST /print', GOOD['POST /print']);
    await send(node, 'POST /twin/scan', GOOD['POST /twin/scan']);
    await until(() => receiver.received.length === 2);
    const { parameters, requestBody } = documents.twin.webhooks['event']?.post ?? expect.fail();
    for (const { headers, body } of receiver.received) {
      expect(faultOf('twin', requestBody?.content['application/json']?.schema, JSON.parse(body))).toBe('');
      for (const { name, schema } of parameters) {
        expect(faultOf('twin', schema, headers[name.toLowerCase()])).toBe('');
      }
    }
  });
});
