/** Answers of Server Direct Print that are too long to hold: on the disk, as far as there is room. */
import { readdirSync } from 'node:fs';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Journal } from '../../runtime/pull/journal.ts';
import { LongAnswer } from '../../runtime/pull/long-answer.ts';
import { sdp } from '../../runtime/pull/sdp.ts';
import { until } from '../node.ts';
import { type Pulling, startPull, stateFolder, stateOf } from './pulling.ts';
import { eposPrint, odooServer, requestInfo, resultsIn, serve } from './servers.ts';
import { receipt, startTill, type Till } from './till.ts';

let node: Till['node'];
let server: Till['server'];
let options: Till['options'];
let paper: Till['paper'];
let times: Till['times'];
beforeEach(async () => {
  const till = await startTill();
  ({ node, server, options, paper, times } = till);
  return till.stop;
});

describe('an answer that is too long to hold', () => {
  /** A megabyte that is not printed. */
  const PADDING = `<!--${'x'.repeat(1_000_000)}-->`;
  const ids = Array.from({ length: 12 }, (_, n) => `r-${n + 1}`);
  const order = () => [...paper().matchAll(/<(r-\d+)>/g)].map(([, id]) => id);
  const fill = (till = server) => {
    for (const id of ids) till.queue.push(receipt(id, `<text>&lt;${id}&gt;&#10;</text>${PADDING}`));
  };

  it('is printed whole and in its order, and each receipt reported', async () => {
    fill();
    const { state } = await startPull(options);
    await until(() => server.heard.length === ids.length);
    expect(server.heard.map(({ id, success }) => [id, success])).toEqual(ids.map((id) => [id, true]));
    expect(order()).toEqual(ids);
    server.queue.push(receipt('next'));
    await until(() => times('next') === 1);
    expect(readdirSync(stateOf(state, options))).toEqual(['journal.ndjson']);
  });

  it('is printed to its end by the next start, and nothing of it twice', async () => {
    let first: Pulling | undefined;
    const before = () => void (till.asked.at(-1) === 'SetResponse' && first?.stop());
    const till = await odooServer({ before });
    onTestFinished(() => till.close());
    fill(till);
    first = await startPull({ ...options, server: till.url });
    const { state, stop } = first;
    await until(() => till.asked.includes('SetResponse'));
    await stop();
    expect(order().length).toBeLessThan(ids.length);
    first = undefined;
    await startPull({ ...options, server: till.url }, [], state);
    await until(() => new Set(till.heard.map(({ id }) => id)).size === ids.length);
    expect(order()).toEqual(ids);
  });

  it('is of the encoding that its media type alone says', async () => {
    const answer = Buffer.from(
      requestInfo(ids.map((id) => eposPrint(id, `<text>&lt;${id}&gt;Caf\u00e9&#10;</text>${PADDING}`))),
      'latin1',
    );
    let isAsked = false;
    const heard: ReturnType<typeof resultsIn> = [];
    const till = await serve((_request, body) => {
      heard.push(...resultsIn(new URLSearchParams(body)));
      if (isAsked) return {};
      isAsked = true;
      return { body: answer, headers: { 'Content-Type': 'text/xml; charset=iso-8859-1' } };
    });
    onTestFinished(() => till.close());
    await startPull({ ...options, server: till.url });
    await until(() => heard.length === ids.length);
    expect(heard.map(({ success }) => success)).toEqual(ids.map(() => true));
    expect(node.printer.paperText()).toContain('<r-12>Caf\u00e9');
  });

  it('and that cannot be read to its end is printed up to there, and the rest is reported', async () => {
    fill();
    server.queue.push(receipt('bad', '</text>'), receipt('last'));
    await startPull(options);
    await until(() => server.heard.length === ids.length + 2);
    expect(server.heard.map(({ id, code }) => [id, code])).toEqual([
      ...ids.map((id) => [id, '']),
      ...['bad', 'last'].map((id) => [id, 'SchemaError']),
    ]);
    expect(order()).toEqual(ids);
  });
});

describe('an answer for which the disk has no room', () => {
  const full = () => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  const PADDING = `<!--${'x'.repeat(100_000)}-->`;
  const answer = (count: number) =>
    Buffer.from(
      requestInfo(Array.from({ length: count }, (_, n) => eposPrint(`r-${n}`, `<text>r-${n}&#10;</text>${PADDING}`))),
    );

  /** A client whose disk has so many bytes free; `answers` come one after the other, in pieces as of a network. */
  function client(freeBytes: number, answers: Buffer[]) {
    const folder = stateFolder();
    let up = 0;
    const journal = new Journal(folder, { run: 'one', upMs: () => up, isClockSet: () => true });
    const passes = (ms: number) => {
      up += ms;
    };
    onTestFinished(() => journal.close());
    const long = new LongAnswer(
      folder,
      journal,
      () => {},
      () => freeBytes,
    );
    const asked: string[] = [];
    const told: ReturnType<typeof resultsIn> = [];
    const log: string[] = [];
    const request = async (
      _method: string,
      asking: { readonly body?: string; readonly overflow?: (bytes: Uint8Array, mediaType: string) => void },
    ) => {
      const form = new URLSearchParams(asking.body);
      asked.push(form.get('ConnectionType') ?? '');
      told.push(...resultsIn(form));
      const body = form.get('ConnectionType') === 'GetRequest' ? (answers.shift() ?? Buffer.alloc(0)) : Buffer.alloc(0);
      if (body.length <= 1024 * 1024) return { status: 200, headers: {}, body };
      for (let at = 0; at < body.length; at += 64_000) asking.overflow?.(body.subarray(at, at + 64_000), '');
      return { status: 200, headers: {}, body: Buffer.alloc(0) };
    };
    const parts = {
      id: 'a',
      state: async () => undefined,
      staleMs: 60_000,
      log: (words: string) => void log.push(words),
    };
    const protocol = sdp({ request }, journal, { ...parts, url: new URL('http://till.test/'), long });
    return { folder, journal, protocol, asked, told, log, passes };
  }
  const idsOf = (journal: Journal) => journal.open().map(({ id, commands }) => [id, 'fault' in commands]);

  it('is printed as far as a third of that takes it, and the server is told of each other job', async () => {
    const { journal, protocol, asked, log, folder } = client(4_500_000, [answer(20)]);
    while (!asked.slice(1).includes('GetRequest')) await protocol.ask();
    // The fifteenth one begins in that third.
    expect(new Map(idsOf(journal) as [string, boolean][])).toEqual(
      new Map(Array.from({ length: 20 }, (_, n) => [`r-${n}`, n >= 14])),
    );
    expect(journal.open()).toHaveLength(20);
    expect(log).toEqual([expect.stringContaining('6 of its jobs are not printed')]);
    expect(readdirSync(folder)).toEqual(['journal.ndjson']);
  });

  it('that takes nothing at all is told whole, and the next one is taken', async () => {
    const { journal, protocol, told } = client(0, [
      answer(12),
      Buffer.from(requestInfo([eposPrint('next', '<cut/>')])),
    ]);
    const take = vi.spyOn(journal, 'take').mockImplementationOnce(() => {
      throw full();
    });
    await protocol.ask();
    expect(told.map(({ id, code }) => [id, code])).toEqual(
      Array.from({ length: 12 }, (_, n) => [`r-${n}`, 'PrintSystemError']),
    );
    await protocol.ask();
    expect([take.mock.calls.length, idsOf(journal)]).toEqual([2, [['next', false]]]);
  });

  it('any more, while its jobs wait, goes on once there is room; what is too old by then is told', async () => {
    const { journal, protocol, told, asked, passes } = client(1e9, [answer(30)]);
    const take = vi.spyOn(journal, 'take').mockImplementation(() => {
      throw full();
    });
    await expect(protocol.ask()).rejects.toThrow('ENOSPC');
    await expect(protocol.ask()).rejects.toThrow('ENOSPC');
    expect([asked, told]).toEqual([['GetRequest'], []]);
    take.mockRestore();
    await protocol.ask();
    const taken = journal.open().length;
    expect(taken).toBeGreaterThan(0);
    passes(61_000);
    const later = vi.spyOn(journal, 'take').mockImplementation(() => {
      throw full();
    });
    while (told.length < 30 - taken) await protocol.ask().catch(() => {});
    later.mockRestore();
    await protocol.ask();
    expect(asked.filter((each) => each === 'GetRequest')).toHaveLength(2);
    expect(told.every(({ code }) => code === 'PrintSystemError')).toBe(true);
    expect(new Set([...journal.open(), ...told].map(({ id }) => id)).size).toBe(30);
  });
});
