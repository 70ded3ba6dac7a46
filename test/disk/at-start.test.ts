/** What `tillnode.txt` has printed at each start comes out of the printer of a node, once a start. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { printAtStart } from '../../runtime/disk/system/at-start.ts';
import { type PrintingNode, startPrintingNode, until } from '../node.ts';

const JOB = { text: 'Good morning' };
const SOON = { timeoutMs: 10_000, patienceMs: 60_000, pauseMs: 1 };
const KEY = '0123456789abcdef';

async function started(printer: Parameters<typeof startPrintingNode>[0] = {}): Promise<PrintingNode> {
  const node = await startPrintingNode(printer);
  onTestFinished(() => node.stop());
  return node;
}
const printed = ({ printer }: PrintingNode) => printer.paperText().split('Good morning').length - 1;

/** What stands before the node at this address, and does `beside` in place of handing an answer to a print on, the first time. */
async function inFrontOf(url: string, beside: (response: ServerResponse) => void) {
  const prints: IncomingMessage['headers'][] = [];
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const { url: path = '', method = 'GET', headers } = request;
    const body = await text(request);
    const asked = {
      'Content-Type': 'application/json',
      'Idempotency-Key': `${headers['idempotency-key']}`,
    };
    const answer = await fetch(new URL(path, url), method === 'GET' ? {} : { method, body, headers: asked });
    const answered = await answer.text();
    if (path === '/print' && prints.push(headers) === 1) return beside(response);
    response.writeHead(answer.status).end(answered);
  };
  const server = createServer((request, response) => void pass(request, response)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return { prints, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('what a disk prints at each start', () => {
  it('comes out once in a start, however often it is asked for, and again in the next', async () => {
    const node = await started();
    expect(await printAtStart(JOB, node.url, 'one', SOON)).toBeUndefined();
    expect(await printAtStart(JOB, node.url, 'one', SOON)).toBeUndefined();
    expect(printed(node)).toBe(1);
    expect(await printAtStart(JOB, node.url, 'two', SOON)).toBeUndefined();
    expect(printed(node)).toBe(2);
  });

  it('is sent again with its key where the answer was lost, and comes out once', async () => {
    const node = await started();
    const front = await inFrontOf(node.url, (response) => void response.destroy());
    expect(await printAtStart(JOB, front.url, 'one', SOON)).toBeUndefined();
    expect(front.prints).toHaveLength(2);
    expect(printed(node)).toBe(1);
  });

  it('waits for a printer that is plugged in later', async () => {
    const node = await started();
    await node.unplug();
    const done = printAtStart(JOB, node.url, 'one', SOON);
    await node.replug();
    expect(await done).toBeUndefined();
    expect(printed(node)).toBe(1);
  });

  it('is printed by a printer that never answers', async () => {
    const node = await started({ writeOnly: true });
    await until(() => (node.kernel.status()['printers'] as [{ condition: string }])[0].condition === 'silent');
    expect(await printAtStart(JOB, node.url, 'one', SOON)).toBeUndefined();
    expect(printed(node)).toBe(1);
  });

  it('waits for a printer whose cover is open, and asks it for nothing until then', async () => {
    const node = await started();
    const state = () => (node.kernel.status()['printers'] as [{ coverOpen: boolean }])[0];
    // What it is like is read as it is plugged in.
    const pluggedIn = async (cover: 'open' | 'closed') => {
      await node.unplug();
      node.printer.set({ cover });
      await node.replug();
      await until(() => state().coverOpen === (cover === 'open'));
    };
    await pluggedIn('open');
    const left = await printAtStart(JOB, node.url, 'one', { ...SOON, patienceMs: 50 });
    expect(left).toBe('no printer was ready');
    const done = printAtStart(JOB, node.url, 'one', SOON);
    await pluggedIn('closed');
    expect(await done).toBeUndefined();
    expect((await node.get<{ jobs: unknown[] }>('/jobs')).body.jobs).toHaveLength(1);
  });

  it('is left out, with the reason, where no printer comes in time: later it would stand among receipts', async () => {
    const node = await started();
    await node.unplug();
    expect(await printAtStart(JOB, node.url, 'one', { ...SOON, patienceMs: 50 })).toBe('no printer was ready');
    await node.replug();
    expect(printed(node)).toBe(0);
    expect((await node.get<{ jobs: unknown[] }>('/jobs')).body.jobs).toEqual([]);
  });

  it('is left out, with the reason, where nobody answers in time', async () => {
    const node = await started();
    await node.stop();
    expect(await printAtStart(JOB, node.url, 'one', { ...SOON, patienceMs: 50 })).toMatch(/./);
  });

  it('is printed with the API key of a node that asks for it; what is refused is not sent again', async () => {
    const node = await started();
    await node.send('PUT', '/config', { apiKey: KEY, apiMode: 'strict' });
    expect(await printAtStart({ ...JOB, key: KEY }, node.url, 'one', SOON)).toBeUndefined();
    expect(await printAtStart({ ...JOB, key: 'another one of it' }, node.url, 'two', SOON)).toMatch(/^401 /);
    expect(printed(node)).toBe(1);
  });
});
