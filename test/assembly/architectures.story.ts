/** The Debian package of every architecture, started under the Node and with the addon that it ships, on qemu-user. */
import type { ChildProcess } from 'node:child_process';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { ARCHITECTURES } from '../../runtime/assembly/package/architectures.ts';
import { needTools } from '../tools.ts';
import { FOREIGN_TOOLS, foreignRoot, type Root } from './foreign-root.ts';

const missing = needTools(FOREIGN_TOOLS);
const VARIANT = 'wifi';
const MINUTES = 300_000;
const HOME = '/usr/lib/tillnode';
const NODE = `${HOME}/bin/node`;

describe.skipIf(missing !== undefined).each(Object.keys(ARCHITECTURES))(missing ?? 'the package of %s', (arch) => {
  let root: Root;

  beforeAll(() => {
    const debs = execFileSync('npm', ['run', '-s', 'package', '--', '--variant', VARIANT, '--arch', arch], {
      encoding: 'utf8',
    });
    root = foreignRoot(arch, debs.split('\n')[0] ?? '');
  }, MINUTES);

  it(
    'says what its image can do',
    async () => {
      expect(JSON.parse(await printed(root.start(NODE, `${HOME}/factory/main.js`, '--describe')))).toMatchObject({
        variant: VARIANT,
      });
    },
    MINUTES,
  );

  it(
    'loads the USB addon it ships',
    async () => {
      const list = 'console.log(process.arch, typeof require("/usr/lib/tillnode/node_modules/usb").usb.getDeviceList)';
      expect(await printed(root.start(NODE, '-e', list))).toBe(`${ARCHITECTURES[arch]!.arch} function\n`);
    },
    MINUTES,
  );

  it(
    'answers on its port, and ends when told',
    async () => {
      const child = root.start(
        NODE,
        ...['--disable-proto=delete', `${HOME}/launcher.js`, '--factory', `${HOME}/factory`],
        ...['--host', '127.0.0.1', '--port', '0', '--raw-port', '0', '--state', '/tmp/state'],
      );
      const log = text(child.stderr!);
      const ready = await Promise.race([
        once(createInterface({ input: child.stdout! }), 'line').then(([line]) => String(line)),
        once(child, 'exit').then(async ([code]) => `ended with ${code}: ${await log}`),
      ]);
      expect(ready).toMatch(/^ready http:/);
      const response = await fetch(`${ready.replace('ready ', '')}/status`);
      expect(await response.json()).toMatchObject({ identity: { variant: VARIANT, slot: 'factory' }, online: true });
      child.kill('SIGTERM');
      expect(await once(child, 'exit')).toEqual([0, null]);
    },
    MINUTES,
  );
});

async function printed(child: ChildProcess): Promise<string> {
  const [out, log, [code]] = await Promise.all([text(child.stdout!), text(child.stderr!), once(child, 'exit')]);
  if (code !== 0) throw new Error(`ended with ${code}: ${log}`);
  return out;
}
