/** An image is as small as it can be with the names that a stack trace shows. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { REQUIRE } from '../../runtime/assembly/client/common-js.ts';
import { shortenLocals } from '../../runtime/assembly/variant/short-locals.ts';

const SOURCE = `
class Drawer {
  #kicksLeft = 1;
  static #count = 0;
  static has(something) { return #kicksLeft in something; }
  get #isEmpty() { return this.#kicksLeft === 0; }
  async #pulse(milliseconds) {
    const waited = await milliseconds;
    if (this.#isEmpty) throw new RangeError('empty after ' + waited + ' #pulses' + \` of #\${Drawer.#count}\`);
    this.#kicksLeft -= 1;
    Drawer.#count += 1;
    return await this.#pulse(milliseconds);
  }
  async kick() { return await this.#pulse(100); }
}
async function openDrawer(drawerOfTheShop) {
  let failure;
  try { await drawerOfTheShop.kick(); } catch (thrown) { failure = thrown; }
  const names = failure.stack.match(/(?<=at )(?:async )?[\\w.#]+/g);
  return [failure.message, Drawer.has(drawerOfTheShop), Drawer.has({}), /[#a]#x/.test('##x'), names];
}
openDrawer(new Drawer()).then((seen) => console.log(JSON.stringify(seen)));
`;

/** A bundle of an image with this in it; its path. */
function bundleOf(source: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'short-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'main.mjs');
  writeFileSync(path, `${REQUIRE}\n${source}\nexport{};\n`);
  return path;
}

it('a bundle whose locals are shortened does the same, and a stack trace has the names of functions, classes, methods and private members', async () => {
  const path = bundleOf(SOURCE);
  const seen = () => JSON.parse(execFileSync(process.execPath, [path], { encoding: 'utf8' })) as unknown;
  const before = seen();
  await shortenLocals(path);
  expect(seen()).toEqual(before);
  expect(before).toEqual([
    'empty after 100 #pulses of #1',
    true,
    false,
    true,
    ['#pulse', 'async #pulse', 'async Drawer.kick', 'async openDrawer'],
  ]);
  expect(readFileSync(path, 'utf8')).not.toMatch(/milliseconds|drawerOfTheShop|waited/);
});

it('an image that is built has names that a stack trace shows', () => {
  expect(readFileSync('dist/twin/node.cjs', 'utf8')).toMatch(/\bOutlet=class\b|\bclass Outlet\b/);
});

it('what is no bundle of an image is refused', async () => {
  await expect(shortenLocals(bundleOf('const PRIVATE_NAME_a = 1;'))).rejects.toThrow('another form');
});
