/** What Node brings, and what of packages no start needs, is loaded when it is first used. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';
import { lateModules } from '../../runtime/assembly/variant/late-modules.ts';

/** What a program prints that is built with the plugin. */
async function printed(source: string): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), 'late-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const outfile = join(folder, 'main.mjs');
  writeFileSync(join(folder, 'old.cjs'), "exports.join = (...parts) => require('path').join(...parts);");
  writeFileSync(join(folder, 'asking.cjs'), "exports.zlib = require('zlib').__esModule ? undefined : {};");
  mkdirSync(join(folder, 'node_modules/mdns-js/lib'), { recursive: true });
  writeFileSync(
    join(folder, 'node_modules/mdns-js/lib/advertisement.js'),
    'globalThis.isLoaded = true; module.exports = function (port) { this.port = port; }; module.exports.states = 5;',
  );
  await build({
    stdin: { contents: source, resolveDir: folder },
    ...{ bundle: true, platform: 'node', format: 'esm', outfile, logLevel: 'silent' },
    plugins: [lateModules],
  });
  return JSON.parse(execFileSync(process.execPath, [outfile], { encoding: 'utf8' }));
}

it('a module is loaded by the first use of one of its exports, and not before', async () => {
  const seen = await printed(`
    import { createHash } from 'node:crypto';
    const isLoaded = () => process.moduleLoadList.includes('NativeModule crypto');
    const before = isLoaded();
    const digest = createHash('sha256').update('').digest('hex').slice(0, 8);
    console.log(JSON.stringify([before, digest, isLoaded()]));
  `);
  expect(seen).toEqual([false, 'e3b0c442', true]);
});

it('every way to import one works: by name, as a whole, by default, a class to extend, require() in a package', async () => {
  const seen = await printed(`
    import { EventEmitter, once } from 'node:events';
    import * as path from 'path';
    import fs from 'node:fs';
    import { Readable } from 'node:stream';
    import { join } from './old.cjs';
    class Bell extends EventEmitter {}
    const { basename } = await import('node:path/posix');
    console.log(JSON.stringify([
      new Bell() instanceof EventEmitter, typeof once, path.basename('/a/b'), typeof fs.readFileSync,
      Readable.from([]) instanceof Readable, join('a', 'b'), basename('/c/d'),
    ]));
  `);
  expect(seen).toEqual([true, 'function', 'b', 'function', true, 'a/b', 'd']);
});

it('a module that is a function is loaded by its first call, or by the first use of one of its exports', async () => {
  const seen = await printed(`
    import assert, { fail } from 'node:assert';
    const isLoaded = () => process.moduleLoadList.includes('NativeModule assert');
    const before = isLoaded();
    const thrown = (check) => { try { check(); } catch ({ code, message }) { return [code, message]; } };
    console.log(JSON.stringify([
      before, thrown(() => assert(false, 'no')), isLoaded(), thrown(() => fail('not one')), typeof assert.ok,
    ]));
  `);
  expect(seen).toEqual([false, ['ERR_ASSERTION', 'no'], true, ['ERR_ASSERTION', 'not one'], 'function']);
});

it('a package that asks whether it is an ES module does not load it', async () => {
  const seen = await printed(`
    import { zlib } from './asking.cjs';
    const isLoaded = () => process.moduleLoadList.includes('NativeModule zlib');
    console.log(JSON.stringify([isLoaded(), typeof zlib]));
  `);
  expect(seen).toEqual([false, 'object']);
});

it('a package that no start needs is loaded when an object of its class is made, or one of its exports is used', async () => {
  const made = await printed(`
    import Advertisement from 'mdns-js/lib/advertisement.js';
    const before = globalThis.isLoaded ?? false;
    console.log(JSON.stringify([before, new Advertisement(80).port, globalThis.isLoaded]));
  `);
  expect(made).toEqual([false, 80, true]);
  const used = await printed(`
    import Advertisement from 'mdns-js/lib/advertisement.js';
    const before = globalThis.isLoaded ?? false;
    console.log(JSON.stringify([before, Advertisement.states, globalThis.isLoaded]));
  `);
  expect(used).toEqual([false, 5, true]);
});
