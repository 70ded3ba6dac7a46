/** Server Direct Print between a server with Odoo's semantics and a node. */

import { mkdirSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type SdpJob, sdpJobs } from '../../codecs/epos-sdp.ts';
import { NodeClient } from '../../runtime/client/client.ts';
import { type JobCommands, Journal, type Outcome } from '../../runtime/pull/journal.ts';
import { LONG_ANSWER_BYTES, LongAnswer } from '../../runtime/pull/long-answer.ts';
import { poll } from '../../runtime/pull/poll.ts';
import { StateError } from '../../runtime/pull/pull.ts';
import { sdp } from '../../runtime/pull/sdp.ts';
import { until } from '../node.ts';
import { startPull, stateFolder, stateOf } from './pulling.ts';
import { eposPrint, odooServer, requestInfo, resultsIn } from './servers.ts';
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

it('the program prints all receipts of an answer in their order, and reports each', async () => {
  server.queue.push(receipt('a'), receipt('b'), receipt('c'));
  await startPull(options);
  await until(() => server.heard.length === 3);
  expect(server.heard).toEqual(['a', 'b', 'c'].map((id) => ({ id, success: true, code: '', detail: undefined })));
  expect(paper()).toMatch(/<a>.*<b>.*<c>/s);
});

it('the program asks again at once while there are jobs, and else as often as it was told', async () => {
  await startPull(options);
  server.queue.push(receipt('a'));
  await until(() => server.heard.length === 1);
  const [first, ...rest] = server.asked.slice(server.asked.indexOf('SetResponse') - 1);
  expect([first, ...rest.slice(0, 1)]).toEqual(['GetRequest', 'SetResponse']);
  expect(server.forms[0]?.get('ID')).toBe('local_printer');
});

describe('what is not printed is reported:', () => {
  it('a printer that is gone', async () => {
    await node.unplug();
    server.queue.push(receipt('a'));
    await startPull(options);
    await until(() => server.heard.length === 1);
    expect(server.heard).toMatchObject([{ id: 'a', success: false, code: 'EX_BADPORT' }]);
  });

  it('what is printed otherwise than asked for, with the result and in the log', async () => {
    server.queue.push(receipt('a', '<text align="center">a</text><text em="true">b&#10;</text>'));
    const { log } = await startPull(options);
    await until(() => server.heard.length === 1);
    expect(server.heard).toMatchObject([{ id: 'a', success: true, detail: expect.stringContaining('several looks') }]);
    expect(log.filter((words) => words.includes('otherwise than asked for: text: '))).toHaveLength(1);
  });

  it.each(['', ' '])(
    'an empty printjobid is none: the receipt is printed, and reported without one: %j',
    async (id) => {
      server.queue.push(receipt(id, '<text>&lt;a&gt;&#10;</text>'));
      await startPull(options);
      await until(() => server.heard.length === 1);
      expect([server.heard, times('a')]).toMatchObject([[{ id: undefined, success: true }], 1]);
    },
  );

  it.each(['order:12', '{6a1b-4c}', 'K\u00fcche 7', '7'.repeat(400)])(
    'an id that Epson does not know, under that id: %s',
    async (id) => {
      server.queue.push(receipt(id, '<text>a</text>'));
      await startPull(options);
      await until(() => server.heard.length === 1);
      expect(server.heard).toMatchObject([{ id, code: 'SchemaError', detail: expect.stringMatching(/^printjobid: /) }]);
    },
  );

  it('an element that a node cannot print, by its name, and what stands behind it is printed', async () => {
    server.queue.push(receipt('a', '<logo/>'), receipt('b'));
    await startPull(options);
    await until(() => server.heard.length === 2);
    expect(server.heard).toMatchObject([
      { id: 'a', success: false, code: 'SchemaError', detail: expect.stringContaining('logo: ') },
      { id: 'b', success: true },
    ]);
  });
});

it('a picture that is wider than the paper is printed as wide as it', async () => {
  // Black but for its last dots, which a printer would leave out.
  const row = Buffer.concat([Buffer.alloc(90, 0xff), Buffer.alloc(10)]);
  const image = `<image width="800" height="16">${Buffer.concat(Array.from({ length: 16 }, () => row)).toString('base64')}</image>`;
  server.queue.push(receipt('a', image));
  await startPull(options);
  await until(() => server.heard.length === 1);
  expect(server.heard).toMatchObject([{ id: 'a', success: true }]);
  const head = Buffer.from(node.printer.paperBytes()).indexOf(Buffer.from('1d763000', 'hex'));
  const raster = Buffer.from(node.printer.paperBytes()).subarray(head, head + 8 + 72 * 12);
  expect(raster.subarray(4, 8).toString('hex')).toBe('48000c00');
  expect([raster[8], raster.at(-1)]).toEqual([0xff, 0x00]);
});

describe('the drawer', () => {
  const kicks = () => paper().split('\x1bp').length - 1;

  it.each([
    ['pulse', '<pulse/>'],
    ['command', '<command>1b70003232</command>'],
    ['command', '<command>1014010005</command>'],
    ['command', '<command>4107</command>'],
  ])('stays shut for a %s, and nothing of that job is printed', async (element, body) => {
    server.queue.push(receipt('a', `<text>&lt;a&gt;&#10;</text>${body}`));
    await startPull(options);
    await until(() => server.heard.length === 1);
    expect(server.heard).toMatchObject([
      { code: 'SchemaError', detail: expect.stringContaining(`${element}: the drawer is not allowed`) },
    ]);
    expect([kicks(), times('a')]).toEqual([0, 0]);
  });

  it('opens where the operator allowed it to this server', async () => {
    server.queue.push(receipt('a', '<pulse drawer="drawer_2"/><text>&lt;a&gt;&#10;</text>'));
    await startPull(options, ['--allow-drawer']);
    await until(() => server.heard.length === 1);
    expect(server.heard).toMatchObject([{ success: true }]);
    expect([kicks(), times('a')]).toEqual([1, 1]);
  });

  it('is left alone by bytes that are printed', async () => {
    server.queue.push(receipt('a', '<command>1b403c613e0a</command>'));
    await startPull(options);
    await until(() => server.heard.length === 1);
    expect([server.heard[0]?.success, times('a')]).toEqual([true, 1]);
  });
});

describe('exactly once,', () => {
  it('a receipt that comes again is reported again, not printed again', async () => {
    server.queue.push(receipt('a'));
    await startPull(options);
    await until(() => server.heard.length === 1);
    server.queue.push(receipt('a'));
    await until(() => server.heard.length === 2);
    expect(server.heard.map(({ id, success }) => [id, success])).toEqual([
      ['a', true],
      ['a', true],
    ]);
    expect(times('a')).toBe(1);
  });

  it('a receipt that is twice in one answer is printed once', async () => {
    server.queue.push(receipt('a'), receipt('a'), receipt('b'));
    await startPull(options);
    await until(() => server.heard.length >= 2);
    expect(server.heard.map(({ id }) => id)).toEqual(['a', 'b']);
    expect([times('a'), times('b')]).toEqual([1, 1]);
  });

  it('another receipt under the same id is printed, and so is one that was not', async () => {
    server.queue.push(receipt('a'), receipt('b', '<text>&lt;b&gt;</text><pulse/>'));
    const first = await startPull(options);
    await until(() => server.heard.length === 2);
    // It asks for more once it has written down what the server has heard.
    await until(() => server.asked.at(-1) === 'GetRequest');
    await first.stop();
    server.queue.push(receipt('a', '<text>&lt;other&gt;&#10;</text>'), receipt('b', '<text>&lt;b&gt;</text><pulse/>'));
    await startPull(options, ['--allow-drawer'], first.state);
    await until(() => server.heard.length === 4);
    expect([times('a'), times('other'), times('b')]).toEqual([1, 1, 1]);
  });

  it('results are kept until the server takes them, over a restart', async () => {
    let down = false;
    const grumpy = await odooServer({ before: () => (down ? { status: 503 } : undefined) });
    onTestFinished(() => grumpy.close());
    grumpy.queue.push(receipt('a'));
    const first = await startPull({ ...options, server: grumpy.url });
    // The answer is out; from here on the server is down.
    down = true;
    await until(() => times('a') === 1);
    await first.stop();
    down = false;
    grumpy.heard.length = 0;
    await startPull({ ...options, server: grumpy.url }, [], first.state);
    await until(() => grumpy.heard.length === 1);
    expect([grumpy.heard[0]?.success, times('a')]).toEqual([true, 1]);
  });

  it('a job that is too old is reported, not printed', async () => {
    const state = stateFolder();
    const journal = new Journal(stateOf(state, options));
    const lines = [{ type: 'text' as const, value: '<old>' }];
    const about = { version: '2.00', device: 'local_printer' };
    const came = { at: Date.now() - 700_000 };
    journal.take([{ id: 'old', about, commands: [{ type: 'print', lines }] }], { came });
    journal.take([{ id: 'begun', about, commands: [{ type: 'print', lines }] }], { came });
    journal.begin(journal.open()[1]!);
    journal.close();
    await startPull(options, [], state);
    await until(() => server.heard.length === 2);
    expect(server.heard).toMatchObject([
      { id: 'old', success: false, code: 'PrintSystemError', detail: expect.stringContaining('nothing was printed') },
      { id: 'begun', success: false, code: 'EX_TIMEOUT', detail: expect.stringContaining('may have printed') },
    ]);
    expect(times('old')).toBe(0);
  });
});

it('a receipt without a name that is the same as one in doubt right before it is the next try of its server: it is told again, not printed', () => {
  let up = 0;
  const journal = new Journal(stateFolder(), { run: 'one', upMs: () => up, isClockSet: () => true });
  onTestFinished(() => journal.close());
  const job = { id: 'content', nameless: true, commands: [{ type: 'print' as const, lines: [] }] };
  const takenWith = (outcome: Outcome) => {
    const fresh = journal.take([job]);
    for (const each of journal.open()) journal.end(each, outcome);
    const told = journal.unreported().map((each) => each.outcome);
    for (const each of journal.unreported()) journal.markReported(each);
    return [fresh, told];
  };
  const inDoubt = { error: 'write_failed', inDoubt: true };
  expect(takenWith({ error: 'no_printer' })).toEqual([1, [{ error: 'no_printer' }]]);
  expect(takenWith(inDoubt)).toEqual([1, [inDoubt]]);
  expect(takenWith({})).toEqual([0, [inDoubt]]);
  // Somebody has looked at the paper since, and wants it.
  up += 11 * 60_000;
  expect(takenWith({})).toEqual([1, [{}]]);
});

it('the program remembers a job without the answer that it came in', () => {
  const journal = new Journal(stateFolder());
  onTestFinished(() => journal.close());
  const used = () => {
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
    setFlagsFromString('--no-expose-gc');
    return process.memoryUsage().heapUsed;
  };
  const take = (n: number) => {
    const answer = requestInfo([eposPrint(`order-${n}-of-the-shop`, `<text>${'a'.repeat(200_000)}</text>`)]);
    const [{ id, device, commands } = {} as SdpJob] = sdpJobs(answer).jobs;
    journal.take([{ id, about: { version: '2.00', device }, commands: commands as JobCommands }]);
    const [job] = journal.open();
    journal.end(job!, {});
    journal.markReported(job!);
  };
  take(0);
  const before = used();
  for (let n = 1; n <= 50; n += 1) take(n);
  expect(used() - before).toBeLessThan(5_000_000);
});

it('a clock that is set while a receipt waits makes it neither too old nor new', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const state = stateFolder();
  const journal = new Journal(state);
  journal.take([{ id: 'a', commands: [] }]);
  const [job] = journal.open();
  vi.setSystemTime(Date.now() + 3_600_000);
  expect(journal.ageMs(job!)).toBeLessThan(60_000);
  journal.close();
  // Over a start of the program, too.
  const later = new Journal(state);
  onTestFinished(() => later.close());
  expect(later.ageMs(job!)).toBeLessThan(60_000);
});

it.each([
  ['cannot be printed', '<logo/>', 'SchemaError'],
  ['are printed', '<text>a</text>', ''],
])(
  'a server that hands out without end what %s is told each time, and asked as often as it is to be',
  async (_, body, code) => {
    const folder = stateFolder();
    const journal = new Journal(folder);
    const long = new LongAnswer(folder, journal);
    const controller = new AbortController();
    const forms: URLSearchParams[] = [];
    const pauses: number[] = [];
    const request = async (_method: string, asking: { readonly body?: string }) => {
      const form = new URLSearchParams(asking.body);
      forms.push(form);
      const isAsked = form.get('ConnectionType') === 'GetRequest';
      return { status: 200, headers: {}, body: Buffer.from(isAsked ? requestInfo([eposPrint('a', body)]) : '') };
    };
    const about = {
      url: new URL(server.url),
      id: 'a',
      long,
      state: async () => undefined,
      staleMs: 60_000,
      log: () => {},
    };
    await poll(sdp({ request }, journal, about), journal, {
      ...{
        client: new NodeClient({ url: node.url }),
        endpoint: 'receipt',
        allowDrawer: false,
        staleMs: 60_000,
        everyMs: 5,
      },
      ...{ signal: controller.signal, log: () => {} },
      onAsked: () => {
        // Nothing is left for after the pause.
        pauses.push(journal.unreported().length + journal.open().length);
        if (pauses.length === 4) controller.abort();
      },
    });
    journal.close();
    const kinds = forms.map((form) => form.get('ConnectionType'));
    expect(kinds.filter((kind) => kind === 'GetRequest')).toHaveLength(4);
    expect(forms.flatMap(resultsIn).every((heard) => heard.code === code)).toBe(true);
    expect(forms.flatMap(resultsIn).length).toBeGreaterThanOrEqual(3);
    // The first one may be asked for more at once, and is then printed.
    expect(pauses.slice(1)).toEqual([0, 0, 0]);
  },
);

describe('a server that answers with something else', () => {
  it.each([
    ['a redirect', { status: 302, headers: { Location: 'http://127.0.0.1:1/' } }, 'a redirect, which is not followed'],
    ['a page', { body: '<html></html>' }, 'html: '],
    ['JSON', { body: '{"jobReady":true}' }, 'line 1'],
    ['a fault of its own', { status: 500 }, 'answered 500'],
    ['gigabytes', { body: Buffer.alloc(LONG_ANSWER_BYTES + 1, 'x') }, `over ${LONG_ANSWER_BYTES} bytes`],
    ['a coding', { headers: { 'Content-Encoding': 'br' }, body: 'x' }, 'content coding br is not taken'],
    ['two codings', { headers: { 'Content-Encoding': 'gzip, gzip' }, body: 'x' }, 'content coding gzip is not taken'],
    ['a coding that it is not', { headers: { 'Content-Encoding': 'gzip' }, body: '<a/>' }, 'incorrect header check'],
    [
      'gigabytes in megabytes',
      { headers: { 'Content-Encoding': 'gzip' }, body: gzipSync(Buffer.alloc(LONG_ANSWER_BYTES + 1, 'x')) },
      `over ${LONG_ANSWER_BYTES} bytes`,
    ],
  ])('is told in the log, and asked less often: %s', async (_, answer, words) => {
    const odd = await odooServer({ before: () => answer });
    onTestFinished(() => odd.close());
    const { log } = await startPull({ ...options, server: odd.url });
    await until(() => log.some((line) => line.includes(words)));
    expect(log.join('\n')).not.toContain('0123456789');
  });
});

it('the program sends the status of the printer where it was told to, and asks for jobs though the server does not know what that is', async () => {
  server.queue.push(receipt('a'));
  const { log } = await startPull({ ...options, notify: '60' });
  await until(() => times('a') === 1);
  expect(log).toEqual(['server: the status notification was not taken: the server answered 500']);
  expect(server.asked.slice(0, 2)).toEqual(['SetStatus', 'GetRequest']);
  expect(server.asked.filter((each) => each === 'SetStatus')).toHaveLength(1);
  expect(server.forms[0]?.get('Status')).toMatch(/devicename="local_printer" asbstatus="0x0F000010"/);
});

it('the program keeps a second program from its folder', async () => {
  const { state } = await startPull(options);
  await expect(startPull(options, [], state)).rejects.toThrow(/another process has .*: process \d+ on /);
});

it('the program says that its folder cannot be used, in words that are no fault of the options', async () => {
  const state = stateFolder();
  mkdirSync(`${stateOf(state, options)}/journal.ndjson`, { recursive: true });
  const started = startPull(options, [], state);
  await expect(started).rejects.toThrow('state: EISDIR');
  await expect(started).rejects.toBeInstanceOf(StateError);
});
