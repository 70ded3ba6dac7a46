/** `npm run recipes -- accept FILE --with ROOM`: a certified device goes into the room from outside that drives it. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { run } from '../../runtime/assembly/recipes-cli.ts';
import { play } from '../../runtime/conformance/index.ts';
import type { Certificate } from '../../runtime/recipes/certificate.ts';
import { placedRows, readRecipeFiles } from '../../runtime/recipes/files.ts';
import display from '../third-party/pole-display/index.ts';

const POLE = 'test/third-party/pole-display';
const tour = { kind: 'display', name: 'customer display', config: [], questions: [], steps: [] };
let room: string;

beforeEach(() => {
  room = mkdtempSync(join(tmpdir(), 'tillnode-accept-'));
  onTestFinished(() => rmSync(room, { recursive: true, force: true }));
  cpSync(POLE, room, { recursive: true });
  writeFileSync(join(room, 'certify.ts'), `export const tour = ${JSON.stringify({ ...tour, sends: ['/display'] })};\n`);
});

/** The display of the recording, from its arrival to its first blank screen. */
function certificateOf(changes: Partial<Certificate> = {}, ids = ['1209', '0001']): string {
  const mark = (text: string) =>
    `${JSON.stringify({ seq: 0, tMs: 0, channel: 'mark', direction: 'mark', text, length: 0, data: '' })}\n`;
  const [vendorId = '', productId = ''] = ids;
  const [, ...lines] = readFileSync(join(POLE, 'recordings/price.ndjson'), 'utf8')
    .replace('"vendorId":"1209","productId":"0001"', `"vendorId":"${vendorId}","productId":"${productId}"`)
    .trim()
    .split('\n');
  const certificate: Certificate = {
    format: 'tillnode-certificate-1',
    node: { variant: 'twin', firmwareVersion: '0.1.0' },
    endpoint: 'display',
    drivenBy: { id: 'example-pole-display', tier: 'builtin' },
    config: {},
    answers: {},
    facts: {},
    row: {
      ...{ vendorId, productId, make: 'Example', model: 'Pole display 2x20' },
      ...{ kind: 'display', codec: 'pole-display', options: { codePage: 'wpc1252' } },
    },
    report: [],
    steps: [{ id: 'replug' }, { id: 'blank' }],
    recording: `${mark('certify replug')}${lines.slice(0, -1).join('\n')}\n${mark('certify blank')}`,
    ...changes,
  };
  const file = join(room, 'certificate.json');
  writeFileSync(file, JSON.stringify(certificate));
  return file;
}

async function accept(file: string) {
  const said = { out: '', err: '' };
  const write = (where: 'out' | 'err') => (text: string) => {
    said[where] += text;
  };
  const code = await run(['accept', file, '--with', room], { out: write('out'), err: write('err') });
  return { code, ...said };
}
const ofTree = () => ['README.md', 'recipes/epson.json'].map((path) => readFileSync(path, 'utf8'));

it('a certified device goes into the room that drives it, with what was measured, and not into the tree', async () => {
  const before = ofTree();
  const file = certificateOf();
  const { code, out, err } = await accept(file);
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain('recipes/example.json: the row of 1209:0001\nrecordings/example-pole-display-2x20: ');
  const rows = placedRows(readRecipeFiles(join(room, 'recipes'))).map(({ row }) => row);
  const row = rows.find(({ id }) => id === 'example-pole-display');
  expect(row).toMatchObject({ options: { columns: 20, codePage: 'wpc1252' }, confidence: 'high' });
  expect(row?.source).toMatch(/^certified; /);
  expect(ofTree()).toEqual(before);

  const folder = join(room, 'recordings/example-pole-display-2x20');
  const kept = JSON.parse(readFileSync(join(folder, 'certified.json'), 'utf8'));
  const recording = readFileSync(join(folder, 'certified.ndjson'), 'utf8').replace(/^.*\n/, '');
  const stage = { plugin: display, tour, rows: kept.rows };
  await play({ ...kept, recording }, stage);
  const again = { id: 'again', sent: { path: '/restart', body: {} } };
  await expect(play({ ...kept, recording, steps: [...kept.steps, again] }, stage)).rejects.toThrow(
    'step again: no display is sent /restart',
  );
  await expect(accept(file)).resolves.toMatchObject({ code: 0, out: expect.stringContaining('nothing to do') });
});

it('a certified device without a row gets one in the file of its maker, or in a new one', async () => {
  const drivenBy = { id: 'derived', tier: 'derived' };
  const ids = ['1209', '0042'];
  const { row } = JSON.parse(readFileSync(certificateOf({}, ids), 'utf8')) as Certificate;
  for (const [make, path] of [
    ['Example', 'example.json'],
    ['Epson', 'epson.json'],
  ] as const) {
    const { code, err } = await accept(certificateOf({ drivenBy, row: { ...row, make, model: make } }, ids));
    expect([code, err]).toEqual([0, '']);
    const there = placedRows(readRecipeFiles(join(room, 'recipes'))).find((each) => each.row.productId === '0042');
    expect(there).toMatchObject({ path: join(room, 'recipes', path), row: { make, codec: 'pole-display' } });
    cpSync(join(POLE, 'recipes'), join(room, 'recipes'), { recursive: true });
  }
});

const EPSON = { vendorId: '04b8', productId: '0e28', make: 'Epson', model: 'TM-T20III' };

it.each<[string, Partial<Certificate>, string]>([
  [
    'of another device than its recording',
    { row: { ...EPSON, kind: 'printer', codec: 'escpos', options: {} } },
    'recording: is of 1209:0001, the row of 04b8:0e28',
  ],
  [
    'with a step that sends what its tour does not',
    { steps: [{ id: 'replug' }, { id: 'again', sent: { path: '/restart', body: {} } }] },
    'steps: no display is sent /restart (again)',
  ],
])('a certificate %s is refused', async (_, changes, reason) => {
  const before = readFileSync(join(room, 'recipes/example.json'), 'utf8');
  expect(await accept(certificateOf(changes))).toMatchObject({ code: 1, err: expect.stringContaining(reason) });
  expect(readFileSync(join(room, 'recipes/example.json'), 'utf8')).toBe(before);
});

it('a certificate of a device whose row stands in the tree is refused: the tree stays as it is', async () => {
  const before = ofTree();
  const row = { ...EPSON, kind: 'printer', codec: 'escpos', options: {} };
  const drivenBy = { id: 'epson-tm-t20iii', tier: 'builtin' };
  expect(await accept(certificateOf({ row, drivenBy }, [row.vendorId, row.productId]))).toMatchObject({
    code: 1,
    err: expect.stringContaining('row: epson-tm-t20iii stands in recipes/epson.json, which stays as it is'),
  });
  expect(ofTree()).toEqual(before);
});
