/**
 * Requests in the order, and with the attributes, in which clients send them:
 *
 * - Android: AOSP, packages/services/BuiltInPrintService, jni/ipphelper (ipp_print.c, ippstatus_capabilities.c, ippstatus_monitor.c).
 * - Windows, IPP class driver: danielklecha/SharpIppNextServer #2, ancwrd1/ipp.rs #32 (what it asks a printer for).
 * - Windows, Internet Print Provider: IPP/1.0, the printer by an http URI, no format, an empty group of the job; h2g2bob/ipp-server #9.
 * - iOS: apple/cups #5285 (Validate-Job, Create-Job, Send-Document by the user `mobile`), OpenPrinting/cups #126.
 * - macOS and CUPS: OpenPrinting/cups #738 (Create-Job of the backend), apple/cups #5484 (what `lpadmin -m everywhere` asks for).
 *
 * None of these systems was here: what is sent is what these sources say.
 */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { until } from '../../node.ts';
import { type IppNode, postFrom, startIppNode } from './ipp-node.ts';
import {
  CANCEL_JOB,
  CREATE_JOB,
  GET_JOB,
  GET_JOBS,
  GET_PRINTER,
  message,
  type Part,
  PRINT_JOB,
  SEND_DOCUMENT,
  VALIDATE_JOB,
} from './messages.ts';
import { type PageOf, pwg, rowsOf, urf } from './pages.ts';

let node: IppNode;
let requestId = 0;
beforeAll(async () => {
  node = await startIppNode();
});
beforeEach(() => node.printer.tearOff());
afterAll(() => node.stop());

/** A line that is 5 dots long and 2 high, on a page of 72 by 50 mm. */
const page: PageOf = { width: 576, height: 400, ink: (x, y) => y >= 100 && y < 102 && x < 5 };
const lines = () => rowsOf(node.printer.paperBytes());
const TRUE = Buffer.from([1]);

interface Style {
  readonly language?: string;
  readonly scheme?: string;
  readonly version?: readonly [number, number];
  readonly headers?: Readonly<Record<string, string>>;
}
/** As one kind of client sends its messages. */
const client =
  ({ language = 'en-us', scheme = 'ipp', version = [2, 0], headers = {} }: Style) =>
  (operation: number, parts: readonly Part[], document: Uint8Array = Buffer.alloc(0)) => {
    requestId += 1;
    const head: Part[] = [
      [1],
      [0x47, 'attributes-charset', 'utf-8'],
      [0x48, 'attributes-natural-language', language],
      [0x45, 'printer-uri', `${scheme}://${node.ipp}/ipp/print`],
    ];
    const bytes = message(operation, [...head, ...parts], [...version, 0, requestId]);
    return postFrom('127.0.0.1', node.ipp, Buffer.concat([bytes, document]), headers);
  };
const keywords = (name: string, ...values: readonly string[]): Part[] =>
  values.map((value, n) => [0x44, n === 0 ? name : '', value]);
const asked = (...names: readonly string[]) => keywords('requested-attributes', ...names);
const size = (x: number, y: number): Part[] => [
  [0x4a, '', 'media-size'],
  [0x34, '', ''],
  [0x4a, '', 'x-dimension'],
  [0x21, '', x],
  [0x4a, '', 'y-dimension'],
  [0x21, '', y],
  [0x37, '', ''],
];
const mediaCol = (...members: readonly Part[]): Part[] => [[0x34, 'media-col', ''], ...members, [0x37, '', '']];
const named = (tag: number, name: string, value: string | number): Part[] => [
  [0x4a, '', name],
  [tag, '', value],
];
const isDone = (id: number) =>
  until(
    () => node.state(id),
    (state) => state === 9,
  );

it('Android: asks what the printer can, has its job checked, sends it as PWG Raster in chunks, and watches it', async () => {
  // libcups sends chunks, and waits for 100 Continue before the document.
  const send = client({ headers: { 'Transfer-Encoding': 'chunked', Expect: '100-continue' } });
  const can = await send(
    GET_PRINTER,
    asked(
      ...['ipp-versions-supported', 'printer-make-and-model', 'printer-info', 'printer-dns-sd-name', 'printer-name'],
      ...['printer-location', 'printer-uuid', 'printer-uri-supported', 'uri-security-supported'],
      ...['uri-authentication-supported', 'color-supported', 'copies-supported', 'document-format-supported'],
      ...['media-col-default', 'media-default', 'media-left-margin-supported', 'media-right-margin-supported'],
      ...['media-top-margin-supported', 'media-bottom-margin-supported', 'media-supported', 'media-type-supported'],
      ...['output-bin-supported', 'print-color-mode-supported', 'print-quality-supported', 'printer-output-tray'],
      ...['printer-resolution-supported', 'sides-supported', 'printer-device-id', 'epcl-version-supported'],
      ...['pclm-raster-back-side', 'pclm-strip-height-preferred', 'pclm-compression-method-preferred'],
      ...['pclm-source-resolution-supported', 'pwg-raster-document-sheet-back', 'document-format-details-supported'],
      ...['media-ready', 'media-col-ready', 'print-scaling-supported', 'print-scaling-default'],
      ...['job-pages-per-set-supported', 'mopria-certified', 'mopria_certified'],
    ),
  );
  expect(can.status).toBe(0);
  expect(can.values).toMatchObject({
    'ipp-versions-supported': expect.arrayContaining(['2.0']),
    'document-format-supported': expect.arrayContaining(['image/pwg-raster']),
    'media-supported': expect.arrayContaining(['oe_photo-l_3.5x5in', 'na_index-4x6_4x6in']),
    'media-ready': expect.arrayContaining(['oe_photo-l_3.5x5in']),
    'printer-uri-supported': [`ipp://${node.ipp}/ipp/print`],
  });
  expect(can.values['mopria-certified']).toBeUndefined();
  const job: Part[] = [
    [0x42, 'requesting-user-name', 'Pixel'],
    [0x42, 'job-name', 'Receipt'],
    [0x49, 'document-format', 'image/pwg-raster'],
    [2],
    ...keywords('print-scaling', 'auto'),
    [0x23, 'print-quality', 4],
    ...keywords('sides', 'one-sided'),
    ...keywords('print-color-mode', 'monochrome'),
    ...mediaCol(...named(0x44, 'media-type', 'stationery'), ...size(8890, 12_700)),
  ];
  // Its success is a status that begins with successful-ok.
  expect((await send(VALIDATE_JOB, job)).status).toBeLessThan(0x100);
  const sent = await send(PRINT_JOB, job, pwg('sgray_8', page));
  expect(sent.status).toBeLessThan(0x100);
  const state = await send(
    GET_PRINTER,
    asked('printer-make-and-model', 'printer-state', 'printer-state-message', 'printer-state-reasons'),
  );
  expect(state.values).toMatchObject({ 'printer-state': [expect.any(Number)], 'printer-state-reasons': ['none'] });
  await isDone(sent.values['job-id']![0] as number);
  expect(lines()).toEqual(['#####', '#####']);

  node.printer.set({ cover: 'open' });
  const second = (await send(PRINT_JOB, job, pwg('sgray_8', page))).values['job-id'];
  const mine = await send(GET_JOBS, [
    [0x22, 'my-jobs', TRUE],
    [0x42, 'requesting-user-name', 'Pixel'],
    ...asked('job-id', 'job-state', 'job-state-reasons'),
  ]);
  expect(mine.values['job-id']).toEqual(second);
  const cancel = await send(CANCEL_JOB, [
    [0x21, 'job-id', second![0]!],
    [0x42, 'requesting-user-name', 'Pixel'],
  ]);
  expect(cancel.status).toBe(0);
  node.printer.set({ cover: 'closed' });
});

it('Windows, the IPP class driver: asks for what it shows of a printer, and prints PWG Raster', async () => {
  const send = client({});
  const can = await send(
    GET_PRINTER,
    asked(
      ...['uri-authentication-supported', 'document-format-default', 'document-format-preferred'],
      ...['document-format-supported', 'ipp-versions-supported', 'media-supported', 'media-type-supported'],
      ...['mopria-certified', 'mopria_certified', 'printer-dns-sd-name', 'printer-firmware-name'],
      ...['printer-firmware-string-version', 'printer-device-id', 'printer-info', 'printer-location'],
      ...['printer-make-and-model', 'printer-name', 'printer-uuid', 'sides-supported', 'media-default'],
    ),
  );
  expect(can.status).toBe(0);
  expect(can.values).toMatchObject({
    'document-format-supported': expect.arrayContaining(['image/pwg-raster']),
    'media-default': [expect.stringMatching(/^om_roll-/)],
    'printer-device-id': [expect.stringMatching(/^MFG:.*;MDL:.*;CMD:PWGRaster/)],
    'printer-firmware-name': ['tillnode'],
    'printer-firmware-string-version': [expect.stringMatching(/^\d+\.\d+\.\d+/)],
    'printer-uuid': [expect.stringMatching(/^urn:uuid:/)],
    'uri-authentication-supported': ['none'],
  });
  const user: Part[] = [
    [0x42, 'requesting-user-name', 'SHOP\\till'],
    [0x42, 'job-name', 'Receipt'],
  ];
  const made = await send(CREATE_JOB, [
    ...user,
    [2],
    [0x21, 'copies', 1],
    ...mediaCol(
      ...size(7200, 20_000),
      ...named(0x44, 'media-type', 'continuous'),
      ...named(0x44, 'media-source', 'main-roll'),
    ),
    [0x23, 'orientation-requested', 3],
    ...keywords('output-bin', 'face-down'),
    ...keywords('print-color-mode', 'monochrome'),
    [0x23, 'print-quality', 4],
    [0x32, 'printer-resolution', Buffer.from([0, 0, 0, 203, 0, 0, 0, 203, 3])],
    ...keywords('sides', 'one-sided'),
  ]);
  expect(made.status).toBe(0);
  const job: Part = [0x21, 'job-id', made.values['job-id']![0]!];
  const sent = await send(
    SEND_DOCUMENT,
    [job, ...user.slice(0, 1), [0x49, 'document-format', 'image/pwg-raster'], [0x22, 'last-document', TRUE]],
    pwg('srgb_8', page),
  );
  expect(sent.status).toBe(0);
  await isDone(job[2] as number);
  expect(lines()).toEqual(['#####', '#####']);
});

it('Windows, the Internet Print Provider: prints by IPP/1.0 at an http URI, without a format, with an empty group of the job', async () => {
  const send = client({ scheme: 'http', version: [1, 0], headers: { 'User-Agent': 'Internet Print Provider' } });
  expect((await send(GET_PRINTER, [])).values).toMatchObject({ 'printer-is-accepting-jobs': [expect.anything()] });
  const sent = await send(
    PRINT_JOB,
    [[0x42, 'job-name', 'Receipt'], [0x42, 'requesting-user-name', 'till'], [2]],
    pwg('black_1', page),
  );
  expect(sent.status).toBe(0);
  await isDone(sent.values['job-id']![0] as number);
  expect(lines()).toEqual(['#####', '#####']);
  // What its drivers of before send, PostScript or PCL, is refused: nobody gets a roll of letters.
  const other = await send(
    PRINT_JOB,
    [[0x42, 'job-name', 'Receipt'], [0x42, 'requesting-user-name', 'till'], [2]],
    Buffer.from('\x1b%-12345X@PJL JOB\r\n%!PS-Adobe-3.0\r\n'),
  );
  expect(other.status).toBe(0x040a);
});

it.each([
  ['URF', 'image/urf', urf(page)],
  ['URF in colours', 'image/urf', urfInColours(page)],
])('iOS: has its job checked, makes it, sends it as %s, and asks how it goes', async (_, format, document) => {
  const send = client({ language: 'en' });
  const can = await send(GET_PRINTER, asked('all', 'media-col-database'));
  expect(can.values).toMatchObject({
    'document-format-supported': expect.arrayContaining(['image/urf', 'image/jpeg']),
    'urf-supported': expect.arrayContaining(['W8', 'SRGB24', 'RS203']),
  });
  const user: Part[] = [
    [0x42, 'requesting-user-name', 'mobile'],
    [0x42, 'job-name', 'iBooks'],
  ];
  const template: Part[] = [
    [2],
    [0x21, 'copies', 1],
    ...mediaCol(
      ...size(7200, 20_000),
      ...['bottom', 'left', 'right', 'top'].flatMap((side) => named(0x21, `media-${side}-margin`, 150)),
      ...named(0x44, 'media-source', 'main-roll'),
    ),
    [0x23, 'orientation-requested', 3],
    ...keywords('print-color-mode', 'monochrome'),
    [0x23, 'print-quality', 4],
    ...keywords('sides', 'one-sided'),
  ];
  expect((await send(VALIDATE_JOB, [...user, [0x49, 'document-format', format], ...template])).status).toBe(0);
  const made = await send(CREATE_JOB, [...user, ...template]);
  expect(made.status).toBe(0);
  const job: Part = [0x21, 'job-id', made.values['job-id']![0]!];
  const name: Part = [0x42, 'document-name', 'iBooks'];
  const sent = await send(
    SEND_DOCUMENT,
    [job, ...user.slice(0, 1), name, [0x49, 'document-format', format], [0x22, 'last-document', TRUE]],
    document,
  );
  expect(sent.status).toBe(0);
  await until(
    () =>
      send(GET_JOB, [
        job,
        ...user.slice(0, 1),
        ...asked('job-state', 'job-state-reasons', 'job-impressions-completed'),
      ]),
    ({ values }) => values['job-state']?.[0] === 9,
  );
  expect(lines()).toEqual(['#####', '#####']);
});

it('macOS and CUPS: ask for all that a queue needs, and send what their backend sends, of which nothing is lost', async () => {
  const send = client({});
  const can = await send(
    GET_PRINTER,
    asked('job-template', 'printer-defaults', 'printer-description', 'media-col-database'),
  );
  for (const name of ['media-col-database', 'urf-supported', 'printer-resolution-supported', 'operations-supported'])
    expect(can.values, name).toHaveProperty([name]);
  // Where pages lie face up, CUPS sends the last one first.
  expect(can.values['output-bin-default']).toEqual(['face-down']);
  const made = await send(CREATE_JOB, [
    [0x42, 'requesting-user-name', 'jeff'],
    [0x42, 'job-name', 'Print-test-template-MacOS'],
    [2],
    [0x42, 'job-accounting-user-id', 'jeff'],
    ...mediaCol(
      ...size(7200, 20_000),
      ...named(0x44, 'media-source', 'auto'),
      ...['left', 'right', 'top', 'bottom'].flatMap((side) => named(0x21, `media-${side}-margin`, 150)),
    ),
    ...keywords('output-bin', 'auto'),
    ...keywords('print-color-mode', 'auto-monochrome'),
    [0x23, 'print-quality', 4],
    ...keywords('sides', 'one-sided'),
    ...keywords('multiple-document-handling', 'separate-documents-collated-copies'),
  ]);
  // What the printer has not is told, and the job is made all the same.
  expect(made.status).toBe(1);
  expect(Object.keys(made.values)).toContain('job-accounting-user-id');
  const job: Part = [0x21, 'job-id', made.values['job-id']![0]!];
  const sent = await send(
    SEND_DOCUMENT,
    [
      job,
      [0x42, 'requesting-user-name', 'jeff'],
      [0x49, 'document-format', 'image/urf'],
      [0x22, 'last-document', TRUE],
    ],
    urf(page),
  );
  expect(sent.status).toBe(0);
  await isDone(job[2] as number);
  expect(lines()).toEqual(['#####', '#####']);
});

/** The page in 24 bits a pixel. */
function urfInColours({ width, height, ink }: PageOf): Buffer {
  const grey = urf({ width, height, ink });
  const head = Buffer.from(grey.subarray(0, 44));
  head[12] = 24;
  head[13] = 1;
  const rows = Array.from({ length: height }, (_, y) => {
    const runs = Array.from({ length: width / 96 }, (_run, n) =>
      Buffer.concat([
        Buffer.from([257 - 96]),
        ...Array.from({ length: 96 }, (_pixel, x) => Buffer.alloc(3, ink(96 * n + x, y) ? 0 : 255)),
      ]),
    );
    return Buffer.concat([Buffer.from([0]), ...runs]);
  });
  return Buffer.concat([head, ...rows]);
}
