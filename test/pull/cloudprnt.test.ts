/** CloudPRNT between a server with the semantics of WooCommerce POS's and a node. */
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type PrintingNode, startPrintingNode, until } from '../node.ts';
import { pngOf } from '../pictures.ts';
import { startPull } from './pulling.ts';
import { type Answer, serve } from './servers.ts';
import { type Offered, type StarServer, starServer } from './star.ts';

interface Status {
  readonly printers: readonly { readonly online: boolean }[];
}

let node: PrintingNode;
let star: StarServer;
let options: { server: string; node: string; protocol: string; id: string };
beforeEach(async () => {
  node = await startPrintingNode();
  star = await starServer();
  options = { server: star.url, node: node.url, protocol: 'cloudprnt', id: 'till-1' };
  return async () => {
    await star.close();
    await node.stop();
  };
});

const paper = () => Buffer.from(node.printer.paperBytes()).toString('latin1');
const times = (what: string) => paper().split(what).length - 1;
const cuts = () => times('\x1dV');
const text = (token: string, headers?: Record<string, string>): Offered => ({
  ...{ token, types: ['application/vnd.star.starprnt', 'text/plain'], body: `<${token}>\r\nline 2\n` },
  ...(headers !== undefined && { headers }),
});

it('a text opens no drawer, whatever control characters are in it', async () => {
  const pulse = '\x1bp\x00\x19\xfa';
  const signs = [pulse, '\x1b', pulse.slice(1), '\x10\x14\x01\x00\x01', '\x07', `\x1d:${pulse}\x1d:\x1d^\x01\x00\x01`];
  const charsets = ['windows-1252', 'shift_jis', 'gb18030'];
  const typed = charsets.flatMap((charset) =>
    signs.map((body) => ({ types: [`text/plain; charset=${charset}`], body })),
  );
  star.queue.push(...typed.map((each, n) => ({ ...each, body: Buffer.from(each.body, 'latin1'), token: `${n}` })));
  await startPull(options);
  await until(() => star.codes.length === typed.length);
  expect(star.codes.filter((code) => code.startsWith('2')).length).toBeGreaterThan(signs.length);
  expect(node.printer.pulses).toEqual([]);
});

it('the program prints what it is offered in a type that it knows, says so, and asks again at once', async () => {
  star.queue.push(text('1'), text('2'));
  await startPull(options);
  await until(() => star.codes.length === 2);
  expect(star.codes).toEqual(['200 OK', '200 OK']);
  expect(star.asked.slice(0, 6)).toEqual(['POST', 'GET', 'DELETE', 'POST', 'GET', 'DELETE']);
  expect(paper()).toMatch(/<1>\nline 2\n.*<2>\nline 2\n/s);
  expect(star.polls[0]).toMatchObject({ statusCode: '200%20OK', uniqueID: 'till-1', printingInProgress: false });
});

describe('a receipt of CloudPRNT', () => {
  it.each([
    [undefined, 1],
    ['none', 0],
    ['partial; feed=true', 1],
    ['full; feed=false', 1],
  ])('with X-Star-Cut %s is cut %d times', async (cut, expected) => {
    star.queue.push(text('1', cut === undefined ? {} : { 'X-Star-Cut': cut }));
    await startPull(options);
    await until(() => star.codes.length === 1);
    expect(cuts()).toBe(expected);
  });

  it('with a drawer kick is not printed, and the drawer stays shut, unless the operator allowed it', async () => {
    star.queue.push(text('1', { 'X-Star-CashDrawer': 'start' }));
    const first = await startPull(options);
    await until(() => star.codes.length === 1);
    expect(star.codes[0]).toMatch(/^511 .*drawer is not allowed/);
    expect([times('<1>'), times('\x1bp')]).toEqual([0, 0]);
    // It asks for more once it has written down what the server has heard.
    await until(() => star.asked.at(-1) === 'POST');
    await first.stop();
    star.queue.push(text('2', { 'X-Star-CashDrawer': 'end' }));
    await startPull(options, ['--allow-drawer'], first.state);
    await until(() => star.codes.length === 2);
    expect([times('<2>'), times('\x1bp'), star.codes[1]]).toEqual([1, 1, '200 OK']);
  });
});

describe('exactly once,', () => {
  it('a job that comes again after a lost DELETE is not printed again', async () => {
    let lost = 0;
    star.failing = (method) => {
      if (method !== 'DELETE' || lost === 2) return undefined;
      lost += 1;
      return { status: 0 };
    };
    star.queue.push(text('1'));
    await startPull(options);
    await until(() => star.codes.length === 1);
    expect([times('<1>'), star.codes]).toEqual([1, ['200 OK']]);
  });

  it('a job that the server does not hand out a second time is given back without another look', async () => {
    let deletes = 0;
    let gets = 0;
    star.failing = (method) => {
      if (method === 'GET') gets += 1;
      if (method === 'GET' && gets > 1) return { status: 404 };
      if (method === 'DELETE') deletes += 1;
      return method === 'DELETE' && deletes <= 3 ? { status: 500 } : undefined;
    };
    star.queue.push(text('1'));
    await startPull(options);
    await until(() => star.codes.length === 1);
    expect([times('<1>'), star.codes, gets]).toEqual([1, ['200 OK'], 1]);
  });

  it('a job that comes again though its DELETE was taken is not printed again, either', async () => {
    star.queue.push(text('1'));
    await startPull(options);
    await until(() => star.codes.length === 1);
    star.queue.push(text('1'));
    await until(() => star.codes.length === 2);
    expect([times('<1>'), star.codes]).toEqual([1, ['200 OK', '200 OK']]);
  });

  it('jobs without a token are told by their content, until their DELETE is taken', async () => {
    const job = { types: ['text/plain'], body: '<same>\n' };
    star.queue.push(job, job);
    await startPull(options);
    await until(() => star.codes.length === 2);
    expect(times('<same>')).toBe(2);
  });
});

describe('where something cannot be printed', () => {
  it('a media type is refused by its name', async () => {
    star.queue.push({ token: '1', types: ['application/vnd.star.starprntcore'], body: '' });
    const { log } = await startPull(options);
    await until(() => star.codes.length === 1);
    expect(star.codes).toEqual(['510 Incompatible media type: application/vnd.star.starprntcore']);
    expect(log.join()).toContain('application/vnd.star.starprntcore');
  });

  it.each<[string, Partial<Offered>, RegExp]>([
    ['another type than was asked for', { headers: { 'Content-Type': 'text/html' } }, /^510 .*text\/html/],
    ['a picture that is damaged', { types: ['image/png'], body: 'no' }, /^511 /],
    ['text that is not UTF-8', { body: Buffer.from([0x61, 0xff]) }, /^511 /],
    [
      'an answer of gigabytes',
      { headers: { 'Content-Length': '3000000000' }, body: 'x'.repeat(9_000_000) },
      /^521 .*too large/,
    ],
    ['text of more than any paper', { body: Buffer.alloc(300_000, '\n') }, /^521 /],
  ])('%s is given back with its code', async (_, change, code) => {
    star.queue.push({ ...text('1'), ...change });
    await startPull(options);
    await until(() => star.codes.length === 1);
    expect(star.codes[0]).toMatch(code);
    expect(times('<1>')).toBe(0);
  });

  it('while the cover is open, no job is fetched, and the server is told', async () => {
    node.printer.set({ cover: 'open' });
    await node.unplug();
    await node.replug();
    const isOnline = async () => (await node.get<Status>('/status')).body.printers[0]?.online;
    await until(async () => (await isOnline()) === false);
    star.queue.push(text('1'));
    await startPull(options);
    await until(() => star.polls.length > 2);
    expect(star.polls.at(-1)).toMatchObject({ statusCode: '420%20Cover%20open' });
    expect(star.asked).not.toContain('GET');
    node.printer.set({ cover: 'closed' });
    await node.unplug();
    await node.replug();
    await until(() => star.codes.length === 1);
    expect(times('<1>')).toBe(1);
  });
});

describe('a job that only the printer cannot print now', () => {
  const isOnline = async () => (await node.get<Status>('/status')).body.printers[0]?.online;

  it('is not fetched while the printer is off, and printed when it is back', async () => {
    await node.unplug();
    await until(async () => (await isOnline()) === false);
    star.queue.push(text('1'));
    await startPull(options);
    await until(() => star.polls.length > 2);
    expect(star.polls.at(-1)).toMatchObject({ statusCode: '400%20Printer%20offline' });
    expect(star.asked).not.toContain('GET');
    await node.replug();
    await until(() => star.codes.length === 1);
    expect([times('<1>'), star.codes]).toEqual([1, ['200 OK']]);
  });

  it('stays with the server where the printer goes off in between, and is not asked for without end', async () => {
    let fetched = 0;
    star.failing = async (method) => {
      // Behind the poll.
      if (method === 'GET' && ++fetched === 1) await node.unplug();
      return undefined;
    };
    star.queue.push(text('1'));
    await startPull(options);
    await until(() => star.polls.length > 4);
    expect([star.codes, times('<1>')]).toEqual([[], 0]);
    expect(fetched).toBeLessThan(star.polls.length);
    await node.replug();
    await until(() => star.codes.length === 1);
    expect([times('<1>'), star.codes]).toEqual([1, ['200 OK']]);
  });
});

describe('a job that cannot be fetched', () => {
  it.each([
    [404, '520 Timeout'],
    [410, '520 Timeout'],
    [413, '521 Job too large'],
    [415, '510 Incompatible media type'],
    [302, '520 Timeout: the server answered 302, a redirect, which is not followed'],
    [405, '520 Timeout'],
    [422, '520 Timeout'],
  ])('is given back where the answer is %d', async (status, code) => {
    star.failing = (method) => (method === 'GET' ? { status } : undefined);
    star.queue.push(text('1'));
    await startPull(options);
    await until(() => star.codes.length === 1);
    expect(star.codes[0]).toContain(code);
  });

  it.each([400, 401, 403, 408, 429, 500, 503])(
    'stays with the server where the answer is %d, which is none about the job',
    async (status) => {
      let failed = 0;
      star.failing = (method) => (method === 'GET' && ++failed <= 2 ? { status } : undefined);
      star.queue.push(text('1'));
      await startPull(options);
      await until(() => star.codes.length === 1);
      expect([times('<1>'), star.codes]).toEqual([1, ['200 OK']]);
    },
  );

  it.each([403, 500, 0])(
    'is given back when it could not be fetched five times in a row, and those behind it are printed: %d',
    async (status) => {
      let fetched = 0;
      star.failing = (method, url) => {
        if (method !== 'GET' || url.searchParams.get('token') !== '1') return undefined;
        fetched += 1;
        return { status };
      };
      star.queue.push(text('1'), text('2'));
      await startPull(options);
      await until(() => star.codes.length === 2);
      expect(star.codes).toEqual([expect.stringMatching(/^520 Timeout: /), '200 OK']);
      expect([fetched, times('<2>')]).toEqual([5, 1]);
    },
  );

  it.each<Answer>([
    { headers: { 'Content-Type': 'application/json; charset=UTF-8' }, body: '{"jobReady":false}' },
    { status: 204 },
  ])('stays with the server where another printer has it: %j', async (answer) => {
    let other = true;
    star.failing = (method) => {
      if (method !== 'GET' || !other) return undefined;
      other = false;
      return answer;
    };
    star.queue.push(text('1'));
    await startPull(options);
    await until(() => star.codes.length === 1);
    expect([times('<1>'), star.codes]).toEqual([1, ['200 OK']]);
  });
});

it('the program gives a job back by the token that it has, a number of 64 bits, too', async () => {
  const asked: string[] = [];
  const server = await serve((request) => {
    asked.push(`${request.method} ${/token=\d+/.exec(request.url ?? '')?.[0]}`);
    if (request.method === 'GET') return { headers: { 'Content-Type': 'text/plain' }, body: 'a' };
    const isOver = request.method === 'DELETE' || asked.some((each) => each.startsWith('DELETE'));
    return {
      body: isOver
        ? '{}'
        : '{"last": {"jobToken": 1}, "jobReady": true, "jobToken": 12345678901234567891, "mediaTypes": ["text/plain"]}',
    };
  });
  onTestFinished(() => server.close());
  await startPull({ ...options, server: server.url });
  await until(() => asked.length > 3);
  expect(asked.slice(1, 3)).toEqual(['GET', 'DELETE'].map((method) => `${method} token=12345678901234567891`));
});

it.each(['', null, false])('a jobToken of %j is none', async (jobToken) => {
  const tokens: boolean[] = [];
  star.failing = (method, url) => {
    if (method !== 'POST') tokens.push(url.searchParams.has('token'));
    return undefined;
  };
  star.queue.push({ ...text('1'), rest: { jobToken } });
  await startPull(options);
  await until(() => star.codes.length === 1);
  expect([star.codes, times('<1>'), tokens]).toEqual([['200 OK'], 1, [false, false]]);
});

it.each(['true', 1])('the program takes a job that is ready by %j, as some servers write it', async (jobReady) => {
  star.queue.push({ ...text('1'), rest: { jobReady } });
  await startPull(options);
  await until(() => star.codes.length === 1);
  expect(times('<1>')).toBe(1);
});

it('the program says by what the server knows it, as many know printers by their MAC address alone', async () => {
  const { log } = await startPull(options);
  expect(log).toEqual([`server: it asks as printerMAC ${star.polls[0]?.['printerMAC']}, uniqueID till-1`]);
});

it('the program fetches what a server prefers where it names no media types', async () => {
  star.queue.push({ token: '1', types: [], body: '<1>\n', headers: { 'Content-Type': 'text/plain' } });
  await startPull(options);
  await until(() => star.codes.length === 1);
  expect([times('<1>'), star.codes]).toEqual([1, ['200 OK']]);
});

it('the program prints pictures: as they are, or as wide as the paper', async () => {
  const picture = (width: number, height: number) =>
    pngOf({ width, height, data: new Uint8Array(4 * width * height).fill(0xff).fill(0, 0, width) });
  star.queue.push({ token: '1', types: ['image/png'], body: picture(16, 1200) });
  star.queue.push({ token: '2', types: ['image/png'], body: picture(1152, 100) });
  await startPull(options);
  await until(() => star.codes.length === 2);
  expect(star.codes).toEqual(['200 OK', '200 OK']);
  expect(times('\x1dv0\x00\x48\x00')).toBeGreaterThan(0);
});

it('the program does client actions at once, and names what it does not know', async () => {
  star.action = [
    { request: 'ClientType' },
    { request: 'GetPollInterval' },
    { request: 'Encodings' },
    { request: 'SetID', options: 'shop 7' },
    { request: 'Dance' },
  ];
  const { log, stop, state } = await startPull(options);
  expect(star.polls[1]?.['clientAction']).toEqual([
    { request: 'ClientType', result: 'tillnode' },
    { request: 'GetPollInterval', result: '0.02' },
    { request: 'Encodings', result: 'text/plain; image/png; image/jpeg' },
    { request: 'SetID', result: 'shop 7' },
    { request: 'Dance', result: '' },
  ]);
  expect(log.join()).toContain('Dance');
  await stop();
  await startPull(options, [], state);
  expect(star.polls.at(-1)).toMatchObject({ uniqueID: 'shop 7' });
});

it('the program confirms by GET where the server asks for it', async () => {
  star.queue.push({ ...text('1'), rest: { deleteMethod: 'GET' } });
  await startPull(options);
  await until(() => star.codes.length === 1);
  expect(star.asked.slice(0, 3)).toEqual(['POST', 'GET', 'GET']);
});

it.each([
  ['no JSON', '<html>'],
  ['a list', '[]'],
  ['a token that is no text', '{"jobReady":true,"mediaTypes":["text/plain"],"jobToken":{"a":1}}'],
  ['a token without end', JSON.stringify({ jobReady: true, jobToken: 'x'.repeat(1000) })],
])('an answer that is %s is told, and asked for less often', async (_, body) => {
  const odd = await serve(() => ({ body }));
  onTestFinished(() => odd.close());
  const { log } = await startPull({ ...options, server: odd.url });
  expect(log).toHaveLength(2);
});

it.each(['windows-1252', 'iso-8859-1'])('the program prints the euro sign of a text in %s', async (charset) => {
  const body = Uint8Array.from(Buffer.from('Caf\xe9 5 \x80\n', 'latin1'));
  star.queue.push({
    token: '1',
    types: ['text/plain'],
    headers: { 'Content-Type': `text/plain; charset=${charset}` },
    body,
  });
  await startPull(options);
  await until(() => star.codes.length === 1);
  expect(star.codes).toEqual(['200 OK']);
  // As it stands in page 1252, which this printer has first.
  expect(paper()).toContain('Caf\xe9 5 \x80');
});
