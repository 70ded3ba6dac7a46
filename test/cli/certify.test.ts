/** `tillnode certify` on a built twin, with a file of answers; what it writes is put into a copy of the tree and played. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { certifying } from '../../runtime/assembly/recipes-cli.ts';
import { treeRooms } from '../../runtime/assembly/variant/room-codecs.ts';
import { NodeClient } from '../../runtime/client/client.ts';
import type { Certificate } from '../../runtime/recipes/certificate.ts';
import { main } from '../../runtime/recipes/cli.ts';
import { placedRows, readRecipeFiles } from '../../runtime/recipes/files.ts';
import { tableIn } from '../../runtime/recipes/tested-devices.ts';
import { moverAt } from '../certify/counter.ts';
import { certifiedIn, KINDS, playsIn, roomOf } from '../certify/stages.ts';
import { codecs, rows } from '../recipes/files.ts';

const CLI = join(process.cwd(), 'dist/twin/cli.js');
const [FIRST = ''] = KINDS;
const scratch = mkdtempSync(join(tmpdir(), 'tillnode-certify-'));
const tree = join(scratch, 'tree');
const fileOf = (kind: string) => join(scratch, `${kind}.json`);
const certificateOf = (kind: string): Certificate => JSON.parse(readFileSync(fileOf(kind), 'utf8'));
let twin: ChildProcess;
let host = '';
let raw = '';

/** Does what each question asks for as soon as it is asked. */
async function certify(kind: string, answers: object, ...args: readonly string[]) {
  const file = join(scratch, 'answers.json');
  writeFileSync(file, JSON.stringify(answers));
  const command = [CLI, 'certify', '--node', host, '--kind', kind, '--answers', file, '--json', ...args];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'], cwd: scratch });
  const move = moverAt({ client: new NodeClient({ url: `http://${host}` }), raw }, roomOf(kind));
  const told: Record<string, unknown>[] = [];
  const ended = Promise.all([text(child.stderr), once(child, 'close')]);
  for await (const line of createInterface({ input: child.stdout })) {
    const said = JSON.parse(line) as { question?: string; answer?: string };
    told.push(said);
    if (said.question !== undefined && said.answer !== 'skip') void move(said.question);
  }
  const [err, [code]] = await ended;
  return { code: code as number, err, told };
}

/** `npm run recipes -- accept` in the copy. */
const certified = await certifying(treeRooms('.'));
const place = () => ({ codecs, rooms: certified, directory: join(tree, 'recipes') });
function accept(file: string) {
  const said = { out: '', err: '' };
  const write = (where: 'out' | 'err') => (words: string) => {
    said[where] += words;
  };
  const code = main(['accept', file], { out: write('out'), err: write('err') }, place());
  return { code, ...said };
}

beforeAll(async () => {
  const args = [CLI, '--port', '0', '--raw-port', '0', '--state', join(scratch, 'state')];
  twin = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  for await (const line of createInterface({ input: twin.stdout! })) {
    if (line.startsWith('ready ')) host = line.replace('ready http://', '');
    if (line.startsWith('raw ')) raw = line.replace('raw ', '');
    if (host !== '' && raw !== '') break;
  }
  for (const path of ['recipes', 'README.md']) cpSync(path, join(tree, path), { recursive: true });
  mkdirSync(join(tree, 'test/plugins'), { recursive: true });
}, 120_000);
afterAll(async () => {
  twin.kill('SIGTERM');
  await once(twin, 'close');
  rmSync(scratch, { recursive: true, force: true });
});

// Each goes on with what the one before made.
describe('the certificate of a device of the twin', { timeout: 120_000, shuffle: false }, () => {
  it.each(KINDS)('%s', async (kind) => {
    const file = fileOf(kind);
    const { code, err, told } = await certify(kind, roomOf(kind).person.answers, '--out', file);
    expect([code, err]).toEqual([0, '']);
    expect(told.at(-1)).toMatchObject({ ok: true, file });
    expect(accept(file)).toMatchObject({ code: 0, err: '', out: expect.stringContaining('README.md: its line') });
  });

  it('and the copy of the tree has row, recording and line, and plays them', async () => {
    const folders = certifiedIn(tree);
    expect(folders).toHaveLength(KINDS.length);
    for (const folder of folders) await playsIn(folder);
    expect(main(['check'], { out: () => {}, err: () => {} }, place())).toBe(0);
    const placed = placedRows(readRecipeFiles(join(tree, 'recipes')));
    const lines = tableIn(readFileSync(join(tree, 'README.md'), 'utf8'))?.split('\n') ?? [];
    for (const { row, drivenBy } of KINDS.map((each) => certificateOf(each))) {
      const { vendorId, productId, kind, codec } = row;
      // With what it was driven by, also where that is of a row of more devices.
      const options = { ...rows.find(({ id }) => id === drivenBy.id)?.options, ...row.options };
      const isIt = ({ row }: (typeof placed)[number]) => row.vendorId === vendorId && row.productId === productId;
      const source = expect.stringMatching(/^certified/);
      expect(placed.filter(isIt)).toContainEqual(
        expect.objectContaining({
          row: expect.objectContaining({ source, options: expect.objectContaining(options) }),
        }),
      );
      const line = lines.find((each) => each.includes(`| \`${vendorId}:${productId}\` | ${kind} | ${codec} |`));
      expect(line).toContain('recording of a virtual device');
    }
  });

  it('takes the same certificate twice, and not another of the same device', () => {
    expect(accept(fileOf(FIRST))).toMatchObject({ code: 0, out: expect.stringContaining('nothing to do') });
    const other = join(scratch, 'other.json');
    const { recording, ...rest } = certificateOf(FIRST);
    writeFileSync(other, JSON.stringify({ ...rest, recording: recording.replace(/.*\n$/, '') }));
    expect(accept(other)).toMatchObject({ code: 1, err: expect.stringContaining('has another certificate') });
  });

  it.each<[string, (certificate: { row: Record<string, unknown>; recording: string }) => void, RegExp]>([
    ['of another format', (each) => Object.assign(each, { format: 'x' }), /format: /],
    ['without a step', (each) => Object.assign(each, { steps: [] }), /steps: nothing was tried/],
    [
      'that sends what its kind is not sent',
      (each) => Object.assign(each, { steps: [{ id: 'one' }, { id: 'two', sent: { path: '/restart', body: {} } }] }),
      new RegExp(`steps: no ${FIRST} is sent /restart`),
    ],
    ['with a field too many', (each) => Object.assign(each, { phone: '1' }), /has an unknown key "phone"/],
    [
      'of another device',
      (each) => Object.assign(each.row, { productId: 'ffff' }),
      /recording: is of .*, the row of .*:ffff/,
    ],
    [
      'of a kind that nobody certifies',
      (each) => Object.assign(each.row, { kind: 'jukebox' }),
      /no room certifies a jukebox/,
    ],
    [
      'with an option that the codec lacks',
      (each) => Object.assign(each.row, { model: 'Another', options: { colour: 1 } }),
      /row: /,
    ],
    [
      'with a serial number',
      (each) =>
        Object.assign(each, { recording: each.recording.replace('"identity":{', '"identity":{"serial":"123456",') }),
      /serial/,
    ],
    [
      'with another device in it',
      (each) => Object.assign(each, { recording: `${each.recording}${each.recording.replaceAll('usb:', 'usb:9')}` }),
      /not of the device/,
    ],
  ])('refuses one %s, and writes nothing', (_, change, reason) => {
    const certificate = certificateOf(FIRST);
    change(certificate);
    const file = join(scratch, 'bad.json');
    writeFileSync(file, JSON.stringify(certificate));
    const before = readFileSync(join(tree, 'README.md'), 'utf8');
    expect(accept(file)).toMatchObject({ code: 1, out: '', err: expect.stringMatching(reason) });
    expect(readFileSync(join(tree, 'README.md'), 'utf8')).toBe(before);
  });

  it('names a question that is not answered, before it does anything', async () => {
    const out = join(scratch, 'none.json');
    const { code, err, told } = await certify(FIRST, { make: 'Acme' }, '--out', out);
    expect([code, told, existsSync(out)]).toEqual([2, [], false]);
    expect(err).toMatch(/answers\.json: question model is not answered: /);
  });
});
