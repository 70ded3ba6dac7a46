/** What servers of Server Direct Print answer in the field, and what the network leaves of it. */
import { deflateSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type PrintingNode, startPrintingNode, until } from '../node.ts';
import { letPass, startPull, stateOf } from './pulling.ts';
import { type Answer, EPOS, eposPrint, type Heard, requestInfo, resultsIn, serve, type TestServer } from './servers.ts';

let node: PrintingNode;
beforeEach(async () => {
  node = await startPrintingNode();
  return () => node.stop();
});

const text = (name: string) => `<text>&lt;${name}&gt;&#10;</text>`;
const paper = () => Buffer.from(node.printer.paperBytes()).toString('latin1');
const times = (name: string) => paper().split(`<${name}>`).length - 1;
const options = ({ url }: TestServer) => ({ server: url, node: node.url, protocol: 'sdp' });

/** Answers once with each of these, then with what stands for nothing. */
async function answering(answers: readonly (Answer | undefined)[], idle: Answer = {}) {
  const left = [...answers];
  const heard: Heard[] = [];
  const asked: string[] = [];
  let isHeard = true;
  const server = await serve((_request, body) => {
    const form = new URLSearchParams(body);
    asked.push(form.get('ConnectionType') ?? '');
    if (form.get('ConnectionType') === 'SetResponse') {
      heard.push(...resultsIn(form));
      return isHeard ? {} : { status: 500 };
    }
    return left.length > 0 ? left.shift() : idle;
  });
  onTestFinished(() => server.close());
  const listen = (listens: boolean) => {
    isHeard = listens;
  };
  return { ...server, left, heard, asked, listen };
}

const nameless = (body: string) =>
  `<ePOSPrint><Parameter><devid>local_printer</devid><timeout>10000</timeout></Parameter><PrintData><epos-print xmlns="${EPOS}">${body}</epos-print></PrintData></ePOSPrint>`;

it('the program takes an acknowledgement for no job: nothing is at fault, and nobody hears so', async () => {
  const idle = { body: '<response success="true" code="" status=""/>' };
  const server = await answering([idle, idle, { body: requestInfo([nameless(text('a'))]) }], idle);
  const { log } = await startPull(options(server));
  await until(() => server.heard.length > 0);
  expect(server.heard).toEqual([{ id: undefined, success: true, code: '', detail: undefined }]);
  await until(() => server.asked.length > 8);
  expect(server.asked.filter((each) => each === 'SetResponse')).toHaveLength(1);
  expect([times('a'), log]).toEqual([1, []]);
});

describe('the encoding of an answer', () => {
  const declared = (encoding: string) =>
    `<?xml version="1.0" encoding="${encoding}"?>${requestInfo([eposPrint('a', '<text>&lt;Caf\u00e9&gt;&#10;</text>')])}`;
  const utf16 = (body: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(body, 'utf16le')]);
  const plain = declared('utf-8').replace(/^<.*?>/, '');

  it.each<[string, Answer]>([
    ['a byte order mark', { body: utf16(declared('utf-16')) }],
    ['its declaration', { body: Buffer.from(declared('ISO-8859-1'), 'latin1') }],
    [
      'its declaration, whatever its media type says',
      { body: declared('utf-8'), headers: { 'Content-Type': 'text/xml; charset=ISO-8859-1' } },
    ],
    ['its media type', { body: Buffer.from(plain, 'latin1'), headers: { 'Content-Type': 'text/xml;charset=latin1' } }],
    ['nothing, which is UTF-8', { body: plain }],
    ['no content coding', { body: plain, headers: { 'Content-Encoding': 'utf-8' } }],
    ['its bytes, where it was coded unasked', { body: gzipSync(plain), headers: { 'Content-Encoding': 'gzip' } }],
    ['its bytes, as zlib codes them', { body: deflateSync(plain), headers: { 'Content-Encoding': 'Deflate' } }],
  ])('is known by %s', async (_, answer) => {
    const server = await answering([answer]);
    await startPull(options(server));
    await until(() => server.heard.length > 0);
    expect(server.heard).toMatchObject([{ id: 'a', success: true }]);
    // As it stands in page 1252, which this printer has first.
    expect(times('Caf\xe9')).toBe(1);
  });

  it('that is not known here is named, and nothing printed', async () => {
    const server = await answering([{ body: declared('x-martian') }]);
    const { log } = await startPull(options(server));
    await until(() => server.heard.length > 0);
    expect(server.heard).toMatchObject([{ code: 'SchemaError', detail: expect.stringContaining('x-martian') }]);
    expect([times('Caf\xe9'), log.join()]).toEqual([0, expect.stringContaining('x-martian')]);
  });
});

describe('an answer that breaks off', () => {
  const jobs = ['a', 'b', 'c'].map((id) => eposPrint(id, text(id)));
  const whole = requestInfo(jobs);
  /** Says that it is whole, and ends before. */
  const broken = (body: string): Answer => ({
    headers: { 'Content-Length': String(body.length + 9) },
    body,
    cut: true,
  });

  /** The first two are printed and told, the last is told when the server would have handed it out again. Resolves with the log. */
  async function toldLater(server: Awaited<ReturnType<typeof answering>>): Promise<string[]> {
    const { state, log, stop } = await startPull(options(server));
    await until(() => server.heard.length === 2);
    await stop();
    letPass(stateOf(state, { server: server.url }), 151_000);
    await startPull(options(server), [], state);
    // One that was told as the program stopped is told again.
    const codes = () => new Map(server.heard.map(({ id, code }) => [id, code]));
    await until(() => codes().size === 3);
    expect([...codes()]).toEqual([
      ['a', ''],
      ['b', ''],
      ['c', 'SchemaError'],
    ]);
    expect(['a', 'b', 'c'].map(times)).toEqual([1, 1, 0]);
    return log;
  }

  it('is printed as far as its jobs are whole, and the others are told: this server has forgotten them', async () => {
    const server = await answering([broken(whole.slice(0, whole.indexOf('</PrintData>', whole.indexOf('>c<'))))]);
    const log = await toldLater(server);
    expect(log.join()).toContain('the answer is not whole');
  });

  it('is printed so where it is too long to hold, too', async () => {
    const padding = `<!--${'x'.repeat(1_200_000)}-->`;
    const long = requestInfo([jobs[0]!, jobs[1]!, padding, jobs[2]!]);
    const server = await answering([broken(long.slice(0, -'</ePOSPrint></PrintRequestInfo>'.length - 1))]);
    await toldLater(server);
  });

  it('before anything is whole is asked for again, and the server hears of no fault', async () => {
    const server = await answering([broken('<PrintRequestInfo><ePOSPrint><Parameter>'), { body: whole }]);
    await startPull(options(server));
    await until(() => server.heard.length === 3);
    expect(server.heard.every(({ success }) => success)).toBe(true);
  });
});

describe('jobs without an id', () => {
  it('are printed as often as they are in the answer, and reported without one', async () => {
    const copy = nameless(text('a'));
    const server = await answering([{ body: requestInfo([copy, copy, nameless(text('b'))]) }]);
    await startPull(options(server));
    await until(() => server.heard.length === 3);
    expect([times('a'), times('b')]).toEqual([2, 1]);
    expect(server.heard.map(({ id, success }) => [id, success])).toEqual(Array(3).fill([undefined, true]));
  });

  it('are not printed again where they come again before their result was taken', async () => {
    const answer = { body: requestInfo([nameless(text('a'))]) };
    const server = await answering([answer, answer, answer]);
    server.listen(false);
    await startPull(options(server));
    await until(() => server.left.length === 0 && server.heard.length > 2);
    server.listen(true);
    const before = server.heard.length;
    await until(() => server.heard.length > before);
    expect(times('a')).toBe(1);
    // Then the same is another one.
    await until(() => server.asked.at(-1) === 'GetRequest');
    server.left.push(answer);
    await until(() => times('a') === 2);
  });
});

describe('a job for another device', () => {
  const forDevice = (device: string) => eposPrint('a', text('a')).replace('local_printer', device);

  it('is printed by the endpoint of that name', async () => {
    const server = await answering([{ body: requestInfo([forDevice('receipt')]) }]);
    await startPull({ ...options(server) });
    await until(() => server.heard.length === 1);
    expect([server.heard[0]?.success, times('a')]).toEqual([true, 1]);
  });

  it('that the node has not is printed by no other one', async () => {
    const server = await answering([{ body: requestInfo([forDevice('kitchen_printer')]) }]);
    await startPull(options(server));
    await until(() => server.heard.length === 1);
    expect(server.heard).toMatchObject([
      { code: 'DeviceNotFound', detail: expect.stringContaining('kitchen_printer'), success: false },
    ]);
    expect(times('a')).toBe(0);
  });
});

it("the program prints the example of Epson's manual", async () => {
  const example = `
<?xml version="1.0" encoding="utf-8" ?>
<PrintRequestInfo>
 <ePOSPrint>
  <Parameter> <devid>local_printer</devid> <timeout>10000</timeout> </Parameter>
  <PrintData>
   <epos-print xmlns="${EPOS}">
    <text lang="en" /> <text smooth="true" /> <text align="center" /> <text font="font_b" /> <text width="2" height="2" />
    <text reverse="false" ul="false" em="true" color="color_1" /> <text>DELIVERY TICKET&#10;</text> <feed unit="12" />
    <text align="left" /> <text font="font_a" /> <text width="1" height="1" />
    <text reverse="false" ul="false" em="false" color="color_1" />
    <text>Alt Beer&#10;</text> <text>  $6.00 x 2</text> <text x="384" /> <text>$12.00&#10;</text>
    <text reverse="false" ul="false" em="true" /> <text width="2" height="1" />
    <text>TOTAL</text> <text x="264" /> <text>$12.00&#10;</text>
    <text width="1" height="2">Seat: </text> <text width="2" height="2">A-3&#10;</text>
    <barcode type="code39" hri="none" font="font_a" width="2" height="60">0001&#10;</barcode>
    <feed line="3" /> <cut type="feed" />
   </epos-print>
  </PrintData>
 </ePOSPrint>
</PrintRequestInfo>
`;
  const server = await answering([{ body: example }]);
  await startPull(options(server));
  await until(() => server.heard.length === 1);
  expect(server.heard).toEqual([
    { id: undefined, success: true, code: '', detail: expect.stringMatching(/^feed: 12 .*; text: a row /) },
  ]);
  for (const row of [
    'DELIVERY TICKET',
    `  $6.00 x 2${' '.repeat(21)}$12.00`,
    `TOTAL${' '.repeat(6)}$12.00`,
    'Seat: A-3',
  ])
    expect(paper()).toContain(row);
});
