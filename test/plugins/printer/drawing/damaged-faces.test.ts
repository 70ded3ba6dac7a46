/** An image whose faces cannot be read prints all the same: what only they have is `?`, and the fault is logged. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { VirtualPrinter } from '../../../../plugins/printer/virtual/device.ts';
import { besideSources } from '../../../../runtime/assembly/variant/beside-sources.ts';
import { silentLogger } from '../../../../runtime/kernel/log.ts';
import { startTestNode } from '../../../../runtime/node/testing.ts';
import { wifiPlugins } from '../../../plugins.ts';

const FILES = ['draw.js', 'fonts.pack', 'harfbuzz.wasm'] as const;

/** A node whose files beside the bundle `damage` has changed, and the errors that it logs. */
async function start(damage: (file: (name: string) => string) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'faces-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const whole = dirname(besideSources('draw.js'));
  for (const name of FILES) cpSync(join(whole, name), join(folder, name));
  const beside = (name: string) => join(folder, name);
  damage(beside);
  const printer = new VirtualPrinter();
  const errors: object[] = [];
  const node = await startTestNode({
    plugins: wifiPlugins,
    devices: { printer: () => printer },
    image: { scripts: ['Arab', 'Thai'] },
    log: { ...silentLogger, error: (fields: object) => void errors.push(fields) },
    beside,
  });
  onTestFinished(() => node.stop());
  const print = async (id: string, value: string) => {
    const body = JSON.stringify({ type: 'print', id, endpoint: 'receipt', lines: [{ type: 'text', value }] });
    return (await fetch(`${node.url}/print`, { method: 'POST', body })).json();
  };
  return { errors, print, printer };
}

const cut = (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 1000));
const overwrite = (path: string, from: number) => {
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xff, from));
};

it.each<[string, Parameters<typeof start>[0]]>([
  ['fonts.pack is missing', (file) => rmSync(file('fonts.pack'))],
  ['fonts.pack is cut off', (file) => cut(file('fonts.pack'))],
  ['fonts.pack is something else', (file) => overwrite(file('fonts.pack'), 0)],
  ['the faces in fonts.pack are damaged', (file) => overwrite(file('fonts.pack'), 200_000)],
  ['harfbuzz.wasm is missing', (file) => rmSync(file('harfbuzz.wasm'))],
  ['harfbuzz.wasm is damaged', (file) => overwrite(file('harfbuzz.wasm'), 1000)],
])('an image prints where %s, and says so once', async (_, damage) => {
  const { errors, print, printer } = await start(damage);
  for (const id of ['1st', '2nd'])
    expect(await print(id, `${id} ไทย`)).toMatchObject({ ok: true, detail: expect.stringMatching(/^3 characters/) });
  expect(printer.paperText()).toBe('1st ???\n2nd ???\n');
  expect(errors).toEqual([{ error: expect.any(String) }]);
});

it('an image fails a job where draw.js is missing', async () => {
  const { print, printer } = await start((file) => rmSync(file('draw.js')));
  expect(await print('1st', 'ไทย')).toMatchObject({ ok: false, error: 'internal' });
  expect(printer.paperText()).toBe('');
});
