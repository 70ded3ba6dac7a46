/** The built client and the built twin, as a program of somebody else has them. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let directory = '';
/** A project that has this package, and nothing of what the package is made with. */
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'tillnode-consumer-'));
  const installed = join(directory, 'node_modules/tillnode');
  mkdirSync(installed, { recursive: true });
  cpSync('package.json', join(installed, 'package.json'));
  for (const folder of ['client', 'twin'])
    cpSync(`dist/${folder}`, join(installed, 'dist', folder), { recursive: true });
  mkdirSync(join(directory, 'node_modules/@types'));
  for (const name of ['@types/node', 'undici-types'])
    symlinkSync(resolve('node_modules', name), join(directory, 'node_modules', name));
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const PROGRAM = `
import { NodeClient, NodeError, verifyWebhook } from 'tillnode/client';
import { startTwin } from 'tillnode/testing';

const twin = await startTwin();
const client: NodeClient = twin.client;
try {
  const result = await client.print({ type: 'print', id: '1', endpoint: 'receipt', lines: [{ type: 'text', value: 'Hello' }] });
  const outcome: 'accepted' | 'confirmed' | 'unconfirmed' | undefined = result.outcome;
  console.log(outcome, (await twin.paper()).trim());
  const { printWidthCols, drawer, apiKeySet } = await client.configure({ printWidthCols: 42, drawer: { pin: 5 } });
  console.log(printWidthCols + 1, drawer.pin / 5, apiKeySet);
  // @ts-expect-error there is no such pin
  const wrongPin = () => client.configure({ drawer: { pin: 3 } });
  await client.twin.printer({ cover: 'open' });
  await client.raw({ type: 'raw', id: '2', endpoint: 'receipt', data: 'AA==' });
} catch (error) {
  if (error instanceof NodeError) console.log(error.code, error.retry, error.mayHavePrinted);
}
for await (const event of client.events<{ type: 'weather'; degrees: number }>({ lastEventId: '0' })) {
  if (event.type === 'weather') console.log(event.degrees + 1);
  if (event.type === 'command_result') {
    console.log(event.commandId);
    break;
  }
}
const message = await verifyWebhook(new Uint8Array(), 'sha256=', 'secret');
if (message?.event.type === 'command_result') console.log(message.event.commandId);
// @ts-expect-error there is no such line
const wrong = () => client.print({ type: 'print', id: '3', endpoint: 'receipt', lines: [{ type: 'hologram' }] });
console.log(typeof wrong);
await twin.stop();
`;

describe('the built client', () => {
  it('is under 7 KB for a browser, and needs nothing else: what makes rasters is loaded with the first picture', () => {
    const bundle = readFileSync('dist/client/client.js');
    expect(gzipSync(bundle, { level: 9 }).length).toBeLessThan(7 * 1024);
    const later = readFileSync('dist/client/picture.js', 'utf8');
    for (const source of [bundle.toString().replace('import("./picture.js")', ''), later])
      expect(source).not.toMatch(/\bimport\s*[("'{*]|\brequire\(|node:|process\.|\bBuffer\b/);
  });

  it.each([
    ['bundler', 'esnext'],
    ['nodenext', 'nodenext'],
    ['node10', 'es2022'],
  ])(
    'type-checks a program by itself, with module resolution %s',
    (moduleResolution, module) => {
      writeFileSync(join(directory, 'program.ts'), PROGRAM);
      // What comes with TypeScript is not ours to check, and most of what there is.
      const args = ['--noEmit', '--strict', '--skipDefaultLibCheck', '--target', 'es2022'];
      args.push('--moduleResolution', moduleResolution);
      // What TypeScript 5 took for CommonJS unless told otherwise; version 6 wants to be told that this is known.
      if (moduleResolution === 'node10') args.push('--ignoreDeprecations', '6.0');
      const tsc = [resolve('node_modules/typescript/bin/tsc'), ...args, '--module', module, '--types', 'node'];
      const run = () => execFileSync(process.execPath, [...tsc, 'program.ts'], { cwd: directory, encoding: 'utf8' });
      expect(run()).toBe('');
    },
    120_000,
  );
});

describe('tillnode/testing', () => {
  it('runs the same program: a whole twin in its process, with nothing left over at the end', () => {
    const program = PROGRAM.replace(
      /: NodeClient|: 'accepted'[^=]*(?==)|<\{ type: 'weather'; degrees: number \}>/g,
      '',
    );
    writeFileSync(join(directory, 'program.js'), program);
    const out = execFileSync(process.execPath, ['program.js'], { cwd: directory, encoding: 'utf8', timeout: 20_000 });
    expect(out).toBe('accepted Hello\n43 1 false\ncover_open yes false\n1\nfunction\n');
  });

  it('runs under node --test', () => {
    const test = `import test from 'node:test'; import assert from 'node:assert'; import { startTwin } from 'tillnode/testing';
      test('prints', async () => {
        const twin = await startTwin();
        await twin.client.print({ type: 'print', id: '1', endpoint: 'receipt', lines: [{ type: 'text', value: 'Hello' }] });
        assert.equal((await twin.paper()).trim(), 'Hello');
        await twin.stop();
      });`;
    writeFileSync(join(directory, 'a.test.js'), test);
    const out = execFileSync(process.execPath, ['--test', 'a.test.js'], {
      cwd: directory,
      encoding: 'utf8',
      timeout: 20_000,
    });
    expect(out).toMatch(/^# pass 1$/m);
  });
});
