import { request } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { LiveStream } from '../../runtime/http/streams.ts';
import type { NodeEvent } from '../../runtime/kernel/registry.ts';
import { Broadcast } from '../../runtime/services/events/broadcast.ts';
import events from '../../runtime/services/events/index.ts';
import { bodyOf, echo, exchange, openSocket, startFront, statusOf, type TestFront } from '../http/kernel.ts';

const start = () => startFront({ plugins: [echo, events] });
const ask = 'GET /events HTTP/1.1\r\nHost: node\r\n';

/** A subscriber, once its stream has begun. `text` is everything it received. */
async function subscribe({ port }: TestFront, fields = '') {
  const socket = openSocket(port);
  const reader = { socket, text: '' };
  socket.on('data', (chunk) => {
    reader.text += chunk;
  });
  socket.write(`${ask}${fields}\r\n`);
  await vi.waitFor(() => expect(reader.text).toContain('retry: 3000\n'));
  return reader;
}
const free = ({ kernel }: TestFront, count: number) =>
  vi.waitFor(() => expect(kernel.offered('events')?.free).toBe(count));
const idsIn = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
const result = (commandId: string): NodeEvent => ({ type: 'command_result', ok: true, commandId, endpoint: 'receipt' });

describe('GET /events', () => {
  it('begins with how soon to come back, and gives each event its type, number and JSON', async () => {
    const front = await start();
    const reader = await subscribe(front);
    expect(reader.text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    // A reverse proxy is to pass it on as it comes; what is no message does not end with an empty line.
    expect(reader.text).toMatch(/^X-Accel-Buffering: no\r$/m);
    expect(reader.text).not.toContain('\n\n');
    expect(reader.text).toContain('Content-Type: text/event-stream; charset=utf-8\r\n');
    expect(reader.text).toContain('Cache-Control: no-store\r\n');
    front.kernel.event(result('a\nb\u2028c'));
    const frame =
      'event: command_result\nid: 1\ndata: {"type":"command_result","ok":true,"commandId":"a\\nb\u2028c","endpoint":"receipt"}\n\n';
    await vi.waitFor(() => expect(reader.text).toContain(frame));
  });

  it('replays to a returning reader what the ring still holds', async () => {
    const front = await start();
    for (let n = 1; n <= 70; n++) front.kernel.event(result(`${n}`));
    const returning = await subscribe(front, 'Last-Event-ID: 68\r\n');
    const stranger = await subscribe(front, 'Last-Event-ID: 9000\r\n');
    const longer = await subscribe(front, `Last-Event-ID: ${'9'.repeat(400)}\r\n`);
    const fresh = await subscribe(front, 'Last-Event-ID: none\r\n');
    front.kernel.event(result('last'));
    await vi.waitFor(() => expect(idsIn(fresh.text)).toEqual([71]));
    expect(idsIn(returning.text)).toEqual([69, 70, 71]);
    for (const { text } of [stranger, longer]) expect(idsIn(text)).toEqual(Array.from({ length: 65 }, (_, n) => n + 7));
  });

  it('replays the newest that fit, and keeps the reader', async () => {
    const front = await start();
    for (let n = 1; n <= 64; n++) front.kernel.event(result('x'.repeat(2000)));
    const reader = await subscribe(front, 'Last-Event-ID: 0\r\n');
    front.kernel.event(result('newest'));
    await vi.waitFor(() => expect(reader.text).toContain('newest'));
    const ids = idsIn(reader.text);
    expect(ids).toEqual(Array.from({ length: ids.length }, (_, n) => 66 - ids.length + n));
    expect(ids.length).toBeLessThan(64);
  });

  it('HEAD says what it is and takes no slot', async () => {
    const front = await start();
    const answer = await fetch(`${front.url}/events`, { method: 'HEAD' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(front.kernel.offered('events')?.free).toBe(4);
  });

  it('ends every stream when the node stops', async () => {
    const front = await start();
    const reader = await subscribe(front);
    await front.kernel.stop();
    await vi.waitFor(() => expect(reader.text).toMatch(/\r\n0\r\n\r\n$/));
    await free(front, 4);
  });
});

describe('the four slots', () => {
  it('refuse a fifth subscriber in complete JSON, with no preamble', async () => {
    const front = await start();
    for (let n = 0; n < 4; n++) await subscribe(front);
    const answer = await exchange(front.port, `${ask}Connection: close\r\n\r\n`);
    expect([statusOf(answer), bodyOf(answer)]).toEqual([503, { ok: false, error: 'no_slots' }]);
    expect(answer).not.toContain('retry');
    expect((await fetch(`${front.url}/events`, { method: 'HEAD' })).status).toBe(503);
  });

  it.each(['end', 'resetAndDestroy', 'destroy'] as const)(
    'are given back when the reader leaves by %s',
    async (leave) => {
      const front = await start();
      const readers = [await subscribe(front), await subscribe(front)];
      await free(front, 2);
      for (const { socket } of readers) socket[leave]();
      await free(front, 4);
      await subscribe(front);
    },
  );

  it('go to exactly four of fifty who ask at once', async () => {
    const front = await start();
    const statuses = await Promise.all(
      Array.from(
        { length: 50 },
        () => new Promise((resolve) => request(`${front.url}/events`, (answer) => resolve(answer.statusCode)).end()),
      ),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(4);
    expect(statuses.filter((status) => status === 503)).toHaveLength(46);
  });

  it('are not taken by a page of another origin', async () => {
    const front = await start();
    const answer = await exchange(front.port, `${ask}Origin: http://evil.example\r\nConnection: close\r\n\r\n`);
    expect(statusOf(answer)).toBe(403);
    expect(front.kernel.offered('events')?.free).toBe(4);
  });
});

it('a reader who does not read is dropped, and the others miss nothing', async () => {
  const front = await start();
  const [slow, quick] = [await subscribe(front), await subscribe(front)];
  slow.socket.pause();
  const big = 'x'.repeat(30_000);
  let sent = 0;
  while (front.kernel.offered('events')?.free === 2) {
    front.kernel.event(result(big));
    sent++;
    const last = `id: ${sent}\n`;
    await vi.waitFor(() => expect(quick.text.slice(-31_000)).toContain(last), { interval: 1, timeout: 10_000 });
    quick.text = '';
  }
  expect(front.kernel.offered('events')?.free).toBe(3);
  front.kernel.event(result('after'));
  await vi.waitFor(() => expect(quick.text).toContain('after'));
});

it('GET /events sends a comment every 15 s and telemetry every 10 s while somebody listens', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const front = await start();
    const reader = await subscribe(front);
    vi.advanceTimersByTime(30_000);
    await vi.waitFor(() => expect(reader.text.match(/^:$/gm)).toHaveLength(2));
    const data = [...reader.text.matchAll(/^event: telemetry\nid: \d+\ndata: (.*)$/gm)].map(([, json]) =>
      JSON.parse(json ?? ''),
    );
    expect(data).toHaveLength(3);
    expect(data[0]).toEqual({ type: 'telemetry', uptimeSeconds: expect.any(Number), rssBytes: expect.any(Number) });
  } finally {
    vi.useRealTimers();
  }
});

it('no event, whatever it holds, ends its frame early', () => {
  const frames: string[] = [];
  const reader = { once() {}, send: (frame: Uint8Array) => frames.push(Buffer.from(frame).toString()) };
  const broadcast = new Broadcast();
  broadcast.subscribe(reader as unknown as LiveStream, undefined);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (type, value) => {
      frames.length = 0;
      const event = { type, value };
      broadcast.publish(event);
      const lines = frames.join('').split(/\r\n|\r|\n/);
      expect(lines.map((line) => line.split(':')[0])).toEqual(['event', 'id', 'data', '', '']);
      expect(JSON.parse(lines[2]?.slice('data: '.length) ?? '')).toEqual({ type, value });
    }),
    { numRuns: 2000 },
  );
});
