import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { eventIdOf, NodeClient } from '../../runtime/client/client.ts';
import { startPrintingNode } from '../node.ts';
import { collectGarbage, nowhere, serve } from './server.ts';

afterEach(() => void vi.useRealTimers());

const begin = (response: ServerResponse) =>
  response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
const scan = (id: number) => `event: scan_read\nid: ${id}\ndata: {"type":"scan_read","value":"${id}"}\n\n`;

/** The values of the next scans. */
async function values(events: AsyncGenerator<{ readonly type: string }>, count: number): Promise<string[]> {
  const found: string[] = [];
  while (found.length < count) {
    const { value } = await events.next();
    if (value === undefined) break;
    if (value.type === 'scan_read') found.push((value as unknown as { value: string }).value);
  }
  return found;
}

describe('events()', () => {
  it('gives the events of a node, each with its number', async () => {
    const node = await startPrintingNode();
    const client = new NodeClient({ url: node.url });
    const events = client.events({ lastEventId: '0' });
    await client.print({ type: 'print', id: 'slip', endpoint: 'receipt', lines: [{ type: 'cut' }] });
    for await (const event of events) {
      if (event.type !== 'command_result') continue;
      expect([event.commandId, event.ok]).toEqual(['slip', true]);
      expect(Number(eventIdOf(event))).toBeGreaterThan(0);
      break;
    }
    await node.stop();
  });

  it('tells a refusal at the first connect, and that nobody is there', async () => {
    const node = await startPrintingNode();
    const controller = new AbortController();
    const taken = Array.from({ length: 4 }, () => new NodeClient({ url: node.url }).events(controller));
    await Promise.all(taken.map((events) => events.next()));
    await expect(new NodeClient({ url: node.url }).events().next()).rejects.toMatchObject({
      code: 'no_slots',
      status: 503,
      retry: 'yes',
    });
    controller.abort();
    // What came before may still be told.
    const ends = taken.map(async (events) => {
      let told = await events.next();
      while (!told.done) told = await events.next();
      return told;
    });
    expect(await Promise.all(ends)).toEqual(Array(4).fill({ done: true, value: undefined }));
    await node.stop();
    await expect(new NodeClient({ url: await nowhere() }).events().next()).rejects.toMatchObject({
      code: 'unreachable',
    });
  });

  it('ends when it is aborted, also after what fetch had in memory was collected', async () => {
    const server = await serve((_, response) => {
      begin(response);
      response.write(scan(1));
    });
    const controller = new AbortController();
    const events = new NodeClient({ url: server.url }).events(controller);
    await events.next();
    const next = events.next();
    await collectGarbage();
    controller.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it('takes the stream in whatever pieces it comes', async () => {
    const text = `retry: 5\r\n\r\n: a comment\r\n\r\n${scan(1)}data: no JSON\n\n${scan(2).replaceAll('\n', '\r')}data:{"type":"scan_read",\ndata:"value":"é€😀"}\n\n`;
    const server = await serve((_, response) => {
      begin(response);
      const bytes = Buffer.from(text);
      let at = 0;
      const next = () => {
        if (at === bytes.length) return;
        response.write(bytes.subarray(at, at + 1));
        at += 1;
        setImmediate(next);
      };
      next();
    });
    const events = new NodeClient({ url: server.url }).events();
    expect(await values(events, 3)).toEqual(['1', '2', 'é€😀']);
    await events.return();
  });

  it('connects again after a break, when the node said, from the last event on; also past a refusal that passes', async () => {
    const server = await serve((request, response) => {
      switch (server.requests.length) {
        case 1:
          begin(response).write(`retry: 20\n\n${scan(7)}`, () => setImmediate(() => request.socket.destroy()));
          break;
        case 2:
          response.writeHead(503).end('{"ok":false,"error":"no_slots"}');
          break;
        default:
          begin(response).write(scan(8));
      }
    });
    const events = new NodeClient({ url: server.url }).events();
    expect(await values(events, 2)).toEqual(['7', '8']);
    expect(server.requests.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '7', '7']);
    await events.return();
  });

  it('ends with a later refusal that waiting does not change', async () => {
    const server = await serve((_, response) => {
      if (server.requests.length === 1) begin(response).end(`retry: 1\n\n${scan(1)}`);
      else response.writeHead(421).end('{"ok":false,"error":"host_refused"}');
    });
    const events = new NodeClient({ url: server.url }).events();
    await values(events, 1);
    await expect(events.next()).rejects.toMatchObject({ code: 'host_refused' });
  });

  it('ends with its connection where it is not to connect again, and tells a break', async () => {
    const server = await serve((request, response) => {
      if (server.requests.length === 1) begin(response).end(`retry: 1\n\n${scan(1)}`);
      else begin(response).write(scan(2), () => setImmediate(() => request.socket.destroy()));
    });
    const client = new NodeClient({ url: server.url });
    expect(await values(client.events({ reconnect: false }), 2)).toEqual(['1']);
    const broken = client.events({ reconnect: false });
    expect(await values(broken, 1)).toEqual(['2']);
    await expect(broken.next()).rejects.toThrow();
    expect(server.requests).toHaveLength(2);
  });

  it('gives up a stream that has been silent for 45 s, and connects again', async () => {
    const server = await serve((_, response) => {
      begin(response).write(`retry: 20\n\n${scan(server.requests.length)}`);
    });
    const events = new NodeClient({ url: server.url }).events();
    expect(await values(events, 1)).toEqual(['1']);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const next = values(events, 1);
    await vi.advanceTimersByTimeAsync(44_900);
    expect(server.requests).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(200);
    while (server.requests.length < 2) await vi.advanceTimersByTimeAsync(10);
    expect(await next).toEqual(['2']);
    await events.return();
  });

  it('waits longer and longer for a node that is gone, half a minute at most, and ends at once when aborted', async () => {
    const server = await serve((request, response) => {
      if (server.requests.length === 1) begin(response).end(`retry: 1000\n\n${scan(1)}`);
      else request.socket.destroy();
    });
    const controller = new AbortController();
    const events = new NodeClient({ url: server.url }).events(controller);
    await values(events, 1);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const ended = events.next();
    const gaps: number[] = [];
    for (let waited = 0; gaps.length < 7; waited += 1000) {
      const before = server.requests.length;
      await vi.advanceTimersByTimeAsync(1000);
      for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
      if (server.requests.length === before) continue;
      gaps.push(waited + 1000);
      waited = -1000;
    }
    expect(gaps).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    controller.abort();
    expect(await ended).toEqual({ done: true, value: undefined });
  });

  it('refuses a line without an end, and what is no event stream', async () => {
    const endless = await serve((_, response) => {
      begin(response).write(`data: ${'x'.repeat(300_000)}`);
    });
    await expect(new NodeClient({ url: endless.url }).events().next()).rejects.toMatchObject({
      code: 'bad_answer',
      detail: 'a line over 262144 characters',
    });
    const many = await serve((_, response) => {
      begin(response).write(`data: ${'x'.repeat(1000)}\n`.repeat(300));
    });
    await expect(new NodeClient({ url: many.url }).events().next()).rejects.toMatchObject({ code: 'bad_answer' });
    const page = await serve((_, response) => response.end('<html>'));
    await expect(new NodeClient({ url: page.url }).events().next()).rejects.toMatchObject({ code: 'bad_answer' });
  });
});
