/** POST /cgi-bin/epos/service.cgi as a native program of an Epson printer sees it, on a node with a virtual printer. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type PrintingNode, startPrintingNode, until } from '../../node.ts';

const PATH = '/cgi-bin/epos/service.cgi?devid=local_printer&timeout=10000';
const EPOS = 'http://www.epson-pos.com/schemas/2011/03/epos-print';
const SOAP = 'http://schemas.xmlsoap.org/soap/envelope/';
const document = (body: string) => `<epos-print xmlns="${EPOS}">${body}</epos-print>`;
const envelope = (body: string, header = '') =>
  `<s:Envelope xmlns:s="${SOAP}">${header}<s:Body>${body}</s:Body></s:Envelope>`;
const header = (parameters: string) => `<s:Header><parameter xmlns="${EPOS}">${parameters}</parameter></s:Header>`;

let node: PrintingNode;
beforeAll(async () => {
  node = await startPrintingNode();
  await node.kernel.config.patch({ epos: { enabled: true } });
});
afterAll(() => node.stop());
afterEach(async () => {
  await node.kernel.config.patch({ epos: { enabled: true }, apiMode: 'open' });
  node.printer.set({ cover: 'closed', paper: 'ok', drawer: 'closed' });
  await node.kernel.bound('printer', 'receipt')?.refresh();
  node.printer.tearOff();
});

async function post(body: string | Uint8Array<ArrayBuffer>, { path = PATH, method = 'POST', headers = {} } = {}) {
  const sent = method === 'POST' ? { body } : {};
  const answer = await fetch(`${node.url}${path}`, {
    method,
    headers: { 'Content-Type': 'text/xml', ...headers },
    ...sent,
  });
  const text = await answer.text();
  const value = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(text.slice(text.indexOf('<response')))?.[1];
  return { status: answer.status, type: answer.headers.get('content-type'), text, value };
}
/** A document in an envelope; gives success, code and detail. */
async function told(body: string, path = PATH) {
  const { status, value } = await post(envelope(document(body)), { path });
  expect(status).toBe(200);
  return { success: value('success'), code: value('code'), detail: value('detail') };
}
const jobs = async () => (await node.get<{ jobs: { kind: string }[] }>('/jobs')).body.jobs;

describe('a document', () => {
  it('comes out, and its answer has the form of its request', async () => {
    const { status, type, text, value } = await post(envelope(document('<text>Total 5,40 €&#10;</text><cut/>')));
    expect([status, type]).toEqual([200, 'text/xml; charset=utf-8']);
    expect(text).toContain(`<s:Envelope xmlns:s="${SOAP}"><s:Body><response xmlns="${EPOS}" success="true" code=""`);
    // Bit 1: it is printed; none of off-line, cover, paper end.
    expect(Number(value('status')) & 0x000a_002a).toBe(0x02);
    expect(node.printer.paperText()).toContain('Total 5,40 €');
    const bare = await post(`\ufeff${document('<text>bare&#10;</text>')}`);
    expect(bare.text).toMatch(/^<\?xml [^>]*\?>\n<response /);
    expect(node.printer.paperText()).toContain('bare');
  });

  it('prints an image that is wider than the paper as wide as it', async () => {
    const image = `<image width="800" height="8">${Buffer.alloc(800, 0xff).toString('base64')}</image>`;
    expect(await told(image)).toMatchObject({ success: 'true' });
    // GS v 0 of 72 bytes a row, in 6 rows.
    expect(Buffer.from(node.printer.paperBytes()).includes(Buffer.from('1d76300048000600', 'hex'))).toBe(true);
  });

  it('says by its header which printer, for how long, and what it is called', async () => {
    const { text } = await post(
      envelope(
        document('<text>one&#10;</text>'),
        header('<devid>receipt</devid><timeout>60000</timeout><printjobid>A-1</printjobid>'),
      ),
      { path: '/cgi-bin/epos/service.cgi' },
    );
    expect(text).toContain(
      `<s:Header><parameter xmlns="${EPOS}"><devid>receipt</devid><printjobid>A-1</printjobid></parameter></s:Header>`,
    );
    expect((await jobs())[0]).toMatchObject({ id: 'A-1', kind: 'epos', endpoint: 'receipt', outcome: 'accepted' });
  });

  it.each([
    ['one command', '<text>waits&#10;</text>'],
    ['several commands', '<text>waits&#10;</text><pulse/><text>waits&#10;</text>'],
  ])('of %s is not running, but counted, while it waits for the printer', async (_, body) => {
    const seen = async () =>
      (await node.get<{ jobs: { kind: string; outcome: string }[]; waiting: number }>('/jobs')).body;
    const till = await node.dial('127.0.0.2');
    till.write(Buffer.from('1d763000010008000102', 'hex'));
    await until(async () => (await seen()).jobs[0]?.kind === 'port9100');
    const answer = told(body);
    await until(async () => (await seen()).waiting > 0);
    const { jobs: listed, waiting } = await seen();
    expect([waiting, ...listed.filter(({ outcome }) => outcome === 'running').map(({ kind }) => kind)]).toEqual([
      1,
      'port9100',
    ]);
    till.destroy();
    expect(await answer).toMatchObject({ success: 'true' });
    expect((await seen()).jobs.find(({ kind }) => kind === 'epos')).toMatchObject({ outcome: 'accepted' });
  });

  it('of several commands is one job and one answer', async () => {
    const events = node.events('command_result');
    const first = events.next();
    const kicks = node.printer.pulses.length;
    expect(
      await told('<text>a&#10;</text><pulse drawer="drawer_2"/><command>1b40</command><text>b&#10;</text>'),
    ).toMatchObject({
      success: 'true',
      code: '',
    });
    expect((await first).value).toMatchObject({ type: 'command_result', ok: true });
    await events.return(undefined);
    expect(node.printer.pulses.slice(kicks)).toMatchObject([{ pin: 5, onMs: 100 }]);
    expect(node.printer.paperText()).toMatch(/a\n+b/);
  });

  it.each([
    ['a check digit that is wrong', '<barcode type="ean13">2012345678901</barcode>', 'lines/1: ean13 check digit'],
    ['a symbol that is too wide', `<barcode type="code39">${'A'.repeat(60)}</barcode>`, 'lines/1: '],
  ])('with %s in its last command prints nothing and opens no drawer', async (_, last, words) => {
    const image = `<image width="576" height="3200">${Buffer.alloc(72 * 3200, 0x55).toString('base64')}</image>`;
    const kicks = node.printer.pulses.length;
    for (const first of ['<pulse/>', '<text>a&#10;</text><command>410a</command>', image])
      expect(await told(`${first}<text>b&#10;</text>${last}`)).toMatchObject({
        ...{ success: 'false', code: 'SchemaError' },
        detail: expect.stringContaining(first === image ? 'lines/' : words),
      });
    expect([node.printer.paperText(), node.printer.pulses.length]).toEqual(['', kicks]);
  });

  it('says what of it is printed otherwise', async () => {
    const answered = await told('<text>small </text><text width="2" height="2">BIG&#10;</text><cut type="no_feed"/>');
    expect(answered).toMatchObject({
      ...{ success: 'true', code: '' },
      detail: expect.stringMatching(/text: a row of several looks.*cut: no_feed/),
    });
  });

  it('with an empty printjobid has none', async () => {
    const { text } = await post(envelope(document('<text>a</text>'), header('<printjobid/>')));
    expect(text).toContain('success="true"');
    expect(text).not.toContain('printjobid');
  });

  it.each(['order:12', 'K\u00fcche &amp; Bar', '7'.repeat(400)])(
    'with the printjobid %s, which is none, is refused by name, under that id',
    async (id) => {
      const { text } = await post(envelope(document('<text>a</text>'), header(`<printjobid>${id}</printjobid>`)));
      expect(text).toContain(`<printjobid>${id}</printjobid>`);
      expect(text).toContain('detail="printjobid: ');
      expect(node.printer.paperText()).toBe('');
    },
  );

  it.each([
    ['a force', '<epos-print xmlns="http://www.epson-pos.com/schemas/2011/03/epos-print" force="abc"/>', 'force: '],
  ])('with %s that is none is refused by name', async (_, body, words) => {
    expect((await post(envelope(body))).text).toContain(words);
  });

  it.each([
    ['a place on a page', '<page><position x="9" y="9"/><text>a</text></page>', 'position: '],
    ['sound', '<text>a</text><sound/>', 'sound: '],
    ['an attribute', '<text colour="red">a</text>', 'colour: '],
    ['digits that no bar code has', '<barcode type="ean13">12</barcode>', 'lines/1: '],
    ['bytes over 8,192', `<command>${'41'.repeat(8193)}</command>`, 'command: '],
  ])('with %s is refused by name, and nothing of it is printed', async (_, body, words) => {
    expect(await told(`<text>before&#10;</text>${body}`)).toMatchObject({
      ...{ success: 'false', code: 'SchemaError' },
      detail: expect.stringContaining(words),
    });
    expect(node.printer.paperText()).toBe('');
  });

  it.each([
    ['<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>', 'document type'],
    ['no XML', 'line 1'],
    ['<PrintRequestInfo/>', 'PrintRequestInfo: '],
    [envelope(''), 'Body: '],
    [envelope(document('') + document('')), 'epos-print: '],
    [envelope(document(''), '<s:Header><Action/></s:Header>'), 'Action: '],
    [envelope(document(''), header('<colour/>')), 'colour: '],
    [envelope(document(''), header('<timeout>soon</timeout>')), 'timeout: '],
    [envelope(document('')).replaceAll(SOAP, 'http://www.w3.org/2003/05/soap-envelope'), 's:Envelope: '],
  ])('that is %s is refused', async (body, words) => {
    const { status, value } = await post(body);
    expect([status, value('success'), value('code')]).toEqual([200, 'false', 'SchemaError']);
    expect(value('detail')).toContain(words);
    expect((await jobs())[0]).toMatchObject({ kind: 'epos', outcome: 'failed', error: 'invalid_command' });
  });

  it('without content asks for the status; of a job that nobody kept it says so', async () => {
    expect(await told('')).toMatchObject({ success: 'true', code: '' });
    node.printer.set({ cover: 'open' });
    await node.kernel.bound('printer', 'receipt')?.refresh();
    expect(await told('')).toMatchObject({ success: 'false', code: 'EPTR_COVER_OPEN' });
    const { value } = await post(envelope(document(''), header('<printjobid>A-1</printjobid>')));
    expect([value('success'), value('code')]).toEqual(['false', 'JobNotFound']);
  });
});

describe('what stands in the way is told in the words of the printer', () => {
  it.each([
    [{ cover: 'open' }, 'EPTR_COVER_OPEN', 0x20],
    [{ paper: 'out' }, 'EPTR_REC_EMPTY', 0x08_0000],
  ] as const)('%j', async (change, code, bit) => {
    node.printer.set(change);
    await node.kernel.bound('printer', 'receipt')?.refresh();
    const { value } = await post(envelope(document('<text>a&#10;</text>')));
    expect([value('success'), value('code')]).toEqual(['false', code]);
    expect(Number(value('status')) & (bit | 0x02)).toBe(bit);
    expect(node.printer.paperText()).toBe('');
  });

  it('another printer, and none', async () => {
    expect(await told('<feed/>', '/cgi-bin/epos/service.cgi?devid=kitchen')).toMatchObject({ code: 'DeviceNotFound' });
    await node.unplug();
    expect(await told('<text>a&#10;</text>')).toMatchObject({ success: 'false', code: 'EX_BADPORT' });
    await node.replug();
  });

  it('a printer that others have for longer than the timeout', async () => {
    const socket = await node.dial();
    socket.write('held');
    await expect.poll(() => node.kernel.bound('printer', 'receipt')?.heldBy).toBeDefined();
    const waits = told('<text>late&#10;</text>', '/cgi-bin/epos/service.cgi?timeout=0');
    socket.end();
    expect(await waits).toMatchObject({ success: 'false', code: 'EX_DEVICE_BUSY' });
    expect(node.printer.paperText()).not.toContain('late');
  });
});

describe('the door', () => {
  it('is shut until it is opened', async () => {
    await node.kernel.config.patch({ epos: { enabled: false } });
    const { status, text } = await post(envelope(document('<text>a</text>')));
    expect([status, JSON.parse(text).error]).toEqual([404, 'not_found']);
    expect((await startedOff()).enabled).toBe(false);
  });

  it.each(['http://till.example', 'null', 'own'])(
    'is shut for the Origin %s, and so is its preflight',
    async (origin) => {
      const headers = { Origin: origin === 'own' ? node.url : origin };
      const { status, text } = await post(envelope(document('<text>a&#10;</text>')), { headers });
      expect([status, JSON.parse(text).error]).toEqual([403, 'origin_refused']);
      const preflight = await post('', { method: 'OPTIONS', headers: { 'Access-Control-Request-Method': 'POST' } });
      expect(preflight.status).toBe(405);
      // That of a browser has the Origin, too.
      const asked = { ...headers, 'Access-Control-Request-Method': 'POST' };
      expect((await post('', { method: 'OPTIONS', headers: asked })).status).toBe(origin === 'own' ? 405 : 403);
      expect(node.printer.paperText()).toBe('');
    },
  );

  it('asks for the key of printing', async () => {
    const key = 'a key of sixteen or more';
    await node.kernel.config.patch({ apiKey: key, apiMode: 'strict' });
    const body = envelope(document('<text>keyed&#10;</text>'));
    expect((await post(body)).status).toBe(401);
    expect((await post(body, { headers: { 'X-NODE-Api-Key': key } })).value('success')).toBe('true');
  });

  it('takes a document of 1 MiB, and no byte more', async () => {
    const whole = (bytes: number) => {
      const text = document('');
      return `${text}<!--${' '.repeat(bytes - text.length - 7)}-->`;
    };
    const MiB = 1024 * 1024;
    expect((await post(whole(MiB + 1))).status).toBe(400);
    expect((await post(whole(MiB))).value('success')).toBe('true');
  });
});

const startedOff = async () => (await node.get<{ epos: { enabled: boolean } }>('/config')).body.epos;
