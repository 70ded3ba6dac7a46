/** What comes out of documents, and which are refused: RFC 8011, PWG 5100.14. */
import { Buffer } from 'node:buffer';
import { connect } from 'node:net';
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../../node.ts';
import { needTools } from '../../tools.ts';
import { type IppNode, startIppNode } from './ipp-node.ts';
import { begin, GET_JOB, message, PRINT_JOB } from './messages.ts';
import { jpegOf, type PageOf, pwg, rowsOf, urf } from './pages.ts';

const missing = needTools(['cjpeg']);
const [CANCELED, COMPLETED] = [7, 9];
let node: IppNode;
afterEach(() => node.stop());
const ended = (id: number) =>
  until(
    () => node.state(id),
    (state) => state >= CANCELED,
  );
const rows = () => rowsOf(node.printer.paperBytes());
/** What came out, as text and rows. */
const paper = () => node.printer.paperText().trim() + rows().join('');
const cuts = () => Buffer.from(node.printer.paperBytes()).toString('latin1').split('\x1dV').length - 1;
/** White, then a line that is 5 dots long and 2 high, and white. */
const bar: PageOf = { width: 576, height: 400, ink: (x, y) => y >= 100 && y < 102 && x < 5 };
const recent = async () =>
  ((await (await fetch(`${node.url}/jobs`)).json()) as { jobs: Record<string, unknown>[] }).jobs;

const waiting = async () => ((await (await fetch(`${node.url}/jobs`)).json()) as { waiting: number }).waiting;

describe.skipIf(missing)('a document', () => {
  it.each([
    ['image/urf', urf(bar)],
    ['image/pwg-raster', pwg('black_1', bar)],
    ['image/pwg-raster', pwg('sgray_8', bar)],
    ['image/pwg-raster', pwg('srgb_8', bar)],
    ['application/octet-stream', urf(bar)],
  ])('of %s comes out once, dot by dot, with the white at both ends cut off, and is cut', async (format, document) => {
    node = await startIppNode();
    expect(await ended(await node.print(format, document))).toBe(COMPLETED);
    expect(rows()).toEqual(['#####', '#####']);
    expect(cuts()).toBe(1);
    expect(node.printer.pulses).toEqual([]);
  });

  it('comes compressed by gzip, and by deflate with its header and without it', async () => {
    node = await startIppNode();
    for (const [compression, packed] of [
      ['gzip', gzipSync(urf(bar))],
      ['deflate', deflateSync(urf(bar))],
      ['deflate', deflateRawSync(urf(bar))],
    ] as const) {
      expect(await ended(await node.print('image/urf', packed, [[0x44, 'compression', compression]]))).toBe(COMPLETED);
    }
    expect(rows()).toEqual(Array.from({ length: 6 }, () => '#####'));
  });

  it('that is wider than the paper is scaled to it, and one of another resolution to its size', async () => {
    node = await startIppNode();
    const wide = { width: 1152, height: 20, ink: (x: number, y: number) => y < 4 && x >= 1148 };
    await ended(await node.print('image/urf', urf(wide)));
    expect(rows()).toEqual(Array.from({ length: 2 }, () => `${' '.repeat(574)}##`));
    node.printer.tearOff();
    const fine = { width: 400, height: 40, dpi: 406, ink: (x: number, y: number) => y < 6 && x < 4 };
    await ended(await node.print('image/urf', urf(fine)));
    expect(rows()).toEqual(['##', '##', '##']);
  });

  it.each([576, 1152])('%i pixels wide with long white in it has that white in its length', async (width) => {
    node = await startIppNode();
    const scale = width / 576;
    const far = 700 * scale;
    const page = { width, height: 2 * far, ink: (x: number, y: number) => x < 4 * scale && y % far < 2 * scale };
    await ended(await node.print('image/urf', urf(page)));
    expect(rows()).toEqual(['####', '####', ...Array.from({ length: 698 }, () => ''), '####', '####']);
  });

  it('of two pages has them one behind the other; page-ranges chooses, copies repeats, finishings cuts', async () => {
    node = await startIppNode();
    const page = (dots: number): PageOf => ({ width: 576, height: 50, ink: (x, y) => y === 20 && x < dots });
    const two = urf(page(1), page(2));
    await ended(await node.print('image/urf', two));
    expect(rows().filter(Boolean)).toEqual(['#', '##']);
    expect(rows().length).toBe(34);
    const printed = async (...job: Parameters<IppNode['print']>[2] & object[]) => {
      node.printer.tearOff();
      await ended(await node.print('image/urf', two, [[2], ...job]));
      return [rows().filter(Boolean).join(' '), cuts()];
    };
    expect(await printed([0x33, 'page-ranges', Buffer.from([0, 0, 0, 2, 0, 0, 0, 9])])).toEqual(['##', 1]);
    expect(await printed([0x21, 'copies', 2])).toEqual(['# ## # ##', 2]);
    expect(await printed([0x23, 'finishings', 60])).toEqual(['# ##', 2]);
    // CUPS asks for none where nobody chose.
    expect(await printed([0x23, 'finishings', 3])).toEqual(['# ##', 1]);
  });

  it.each([
    ['image/urf', urf],
    ['image/pwg-raster', (page: PageOf) => pwg('sgray_8', page)],
  ] as const)(
    'of several files of %s behind each other, as CUPS sends those of one job, has them all',
    async (format, file) => {
      node = await startIppNode();
      const page = (dots: number): PageOf => ({ width: 576, height: 50, ink: (x, y) => y === 20 && x < dots });
      const document = Buffer.concat([file(page(1)), file(page(2)), file(page(3))]);
      expect(await ended(await node.print(format, document))).toBe(COMPLETED);
      expect(rows().filter(Boolean)).toEqual(['#', '##', '###']);
    },
  );

  it('of text goes through the layout of receipts, in UTF-8', async () => {
    node = await startIppNode();
    await ended(await node.print('text/plain', Buffer.from('Grüße, 3 €\r\n\r\nΚαλημέρα\n\f')));
    expect(node.printer.paperText()).toContain('Grüße, 3 €');
    expect(node.printer.paperText()).toContain('Καλημέρα');
    expect(cuts()).toBe(1);
  });

  it('that is text is told in job-state-message where it comes out otherwise than it was sent', async () => {
    node = await startIppNode();
    const id = await node.print('text/plain', Buffer.from('TOTAL \u202e00.91\u202c'));
    expect(await ended(id)).toBe(COMPLETED);
    expect(node.printer.paperText()).toContain('TOTAL 00.91');
    expect((await node.ask(GET_JOB, [[0x21, 'job-id', id]])).values['job-state-message']).toEqual([
      '2 direction controls that would show digits in another order were left out',
    ]);
  });

  it('that is a picture fills the line, in shades', async () => {
    node = await startIppNode();
    expect(await ended(await node.print('image/jpeg', jpegOf()))).toBe(COMPLETED);
    expect(rows()).toHaveLength(576);
    const row = rows()[300]!;
    expect(row.slice(0, 64)).toBe('#'.repeat(64));
    expect(row.slice(100).replaceAll(' ', '').length).toBeGreaterThan(50);
  });

  it('longer than what is held prints as it comes', async () => {
    node = await startIppNode();
    const noisy = { width: 576, height: 1200, ink: (x: number, y: number) => (x * 7 + y * 13) % 5 === 0 };
    const document = urf(noisy);
    expect(document.length).toBeGreaterThan(512 * 1024);
    expect(await ended(await node.print('image/urf', document, [[2], [0x44, 'print-content-optimize', 'text']]))).toBe(
      COMPLETED,
    );
    expect(rows()).toHaveLength(1200);
    expect(rows()[1000]).toBe(
      Array.from({ length: 576 }, (_, x) => (noisy.ink(x, 1000) ? '#' : ' '))
        .join('')
        .trimEnd(),
    );
  });
});

describe.skipIf(missing)('a document that is printed while it comes, and does not come', () => {
  /** A client that has sent so much of a Print-Job as is not held any more, and sends nothing more for now. */
  async function begun() {
    node = await startIppNode();
    const document = urf({ width: 576, height: 1500, ink: (x, y) => (x * 7 + y * 13) % 5 === 0 });
    const body = Buffer.concat([
      message(PRINT_JOB, [...begin(`ipp://${node.ipp}/ipp/print`), [0x49, 'document-format', 'image/urf']]),
      document.subarray(0, -100_000),
    ]);
    const [host, port] = node.ipp.split(':') as [string, string];
    const socket = connect(Number(port), host).on('error', () => {});
    const head = ['POST /ipp/print HTTP/1.1', 'Host: x', 'Content-Type: application/ipp', 'Transfer-Encoding: chunked'];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body.length.toString(16)}\r\n`);
    socket.write(body);
    socket.write('\r\n');
    await until(() => node.printer.paperBytes().length > 1000);
    return { socket, rest: document.subarray(-100_000) };
  }

  it('keeps no drawer shut', async () => {
    const { socket } = await begun();
    const kick = JSON.stringify({ type: 'drawer_kick', id: 'kick', endpoint: 'receipt' });
    expect((await fetch(`${node.url}/drawer/kick`, { method: 'POST', body: kick })).status).toBe(200);
    expect((await recent()).find(({ kind }) => kind === 'ipp')).toMatchObject({ outcome: 'running' });
    expect(node.printer.pulses).toHaveLength(1);
    socket.destroy();
  });

  it('gives way to who has waited for 15 s in which nothing of it was printed, however it drips', async () => {
    const { socket, rest } = await begun();
    let at = 0;
    const drip = setInterval(() => {
      socket.write(Buffer.concat([Buffer.from('10\r\n'), rest.subarray(at, at + 16), Buffer.from('\r\n')]));
      at += 16;
    }, 500);
    onTestFinished(() => clearInterval(drip));
    const line = { type: 'print', id: 'next', endpoint: 'receipt', lines: [{ type: 'text', value: 'NEXT' }] };
    expect((await fetch(`${node.url}/print`, { method: 'POST', body: JSON.stringify(line) })).status).toBe(200);
    expect((await recent()).find(({ kind }) => kind === 'ipp')).toMatchObject({
      outcome: 'partial',
      error: 'invalid_body',
    });
    socket.destroy();
  });
});

describe.skipIf(missing)('a document', () => {
  const cases: readonly [string, string, Uint8Array, number][] = [
    ['unknown bytes', 'application/octet-stream', Buffer.from('%PDF-1.7 …'), 0x040a],
    ['a format that is not printed', 'application/pdf', Buffer.from('%PDF-1.7 …'), 0x040a],
    ['another format than it says', 'text/plain', urf(bar), 0x0411],
    ['an end that is cut off', 'image/urf', urf(bar).subarray(0, 1000), 0x0411],
    ['no pages', 'image/pwg-raster', Buffer.from('RaS2'), 0x0411],
    [
      'a row longer than its page',
      'image/urf',
      Buffer.concat([urf({ ...bar, height: 1 }).subarray(0, 44), Buffer.alloc(2000, 0x7f)]),
      0x0411,
    ],
    ['a page of 4 thousand million rows', 'image/urf', tall(), 0x0411],
    ['a page of two resolutions', 'image/pwg-raster', twoResolutions(), 0x0411],
    ['no byte at all', 'text/plain', Buffer.alloc(0), 0x0400],
    ['a PDF in place of the text that it is called', 'text/plain', Buffer.from('%PDF-1.7 …'), 0x0411],
    ['a text in another charset', 'text/plain; charset=utf-16', Buffer.from('a\0b\0'), 0x040a],
    ['a text in Latin-1', 'text/plain', Buffer.from('Caf\u00e9 12.50', 'latin1'), 0x0411],
    ['a text in UTF-16', 'text/plain', Buffer.from('\ufeffTOTAL 12.50', 'utf16le'), 0x0411],
    ['a text in UTF-16 that does not say so', 'text/plain', Buffer.from('TOTAL 12.50', 'utf16le'), 0x0411],
    ['a damaged picture', 'image/jpeg', jpegOf().subarray(0, 100), 0x0411],
  ];
  it.each(cases)('with %s is refused, and nothing of it is printed', async (_, format, document, status) => {
    node = await startIppNode();
    const answer = await node.ask(PRINT_JOB, [[0x49, 'document-format', format]], document);
    expect(answer.status).toBe(status);
    expect(answer.values['status-message']?.[0]).toBeTruthy();
    expect(paper()).toEqual('');
  });

  it('is refused where it is no gzip, and ends where its client leaves in the middle', async () => {
    node = await startIppNode();
    const bad = await node.ask(PRINT_JOB, [[0x44, 'compression', 'gzip']], Buffer.from('no gzip at all'));
    expect(bad.status).toBe(0x0410);
    const [host, port] = node.ipp.split(':');
    const socket = connect(Number(port), host);
    const head = message(PRINT_JOB, begin(`ipp://${node.ipp}/ipp/print`));
    socket.write(
      `POST /ipp/print HTTP/1.1\r\nHost: x\r\nContent-Type: application/ipp\r\nContent-Length: 9999\r\n\r\n`,
    );
    socket.write(Buffer.concat([head, urf(bar).subarray(0, 500)]));
    await until(async () => (await waiting()) === 1);
    socket.destroy();
    await until(async () => (await recent()).filter(({ outcome }) => outcome === 'failed').length === 2);
    expect(paper()).toEqual('');
  });
});

/** 203 dots an inch across, 406 along. */
function twoResolutions(): Buffer {
  const page = pwg('sgray_8', bar);
  page.writeUInt32BE(406, 4 + 280);
  return page;
}

/** A page whose head says 2^32 - 1 rows, of blank ones, 256 at once. */
function tall(): Buffer {
  const head = urf({ width: 576, height: 1, ink: () => false }).subarray(0, 44);
  head.writeUInt32BE(0xffff_ffff, 12 + 16);
  return Buffer.concat([head, Buffer.alloc(200_000, Buffer.from([0xff, 0x80]))]);
}
