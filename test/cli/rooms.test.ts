/** The commands that rooms bring to the command line, on a twin. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NodeClient } from '../../runtime/client/client.ts';

const CLI = 'dist/twin/cli.js';
const scratch = mkdtempSync(join(tmpdir(), 'tillnode-cli-rooms-'));
let end: () => Promise<unknown>;
let host = '';
let client: NodeClient;

/** Runs a command on the twin, which is named without a scheme. */
async function run(...args: readonly string[]) {
  const child = spawn(process.execPath, [CLI, '--node', host, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: code as number, out, err };
}

beforeAll(async () => {
  const args = [CLI, '--port', '0', '--raw-port', '0', '--state', join(scratch, 'state')];
  const twin = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  end = () => {
    twin.kill('SIGTERM');
    return once(twin, 'close');
  };
  const [line] = (await once(createInterface({ input: twin.stdout }), 'line')) as [string];
  client = new NodeClient({ url: line.replace('ready ', '') });
  host = line.replace('ready http://', '');
});
afterAll(async () => {
  await end();
  rmSync(scratch, { recursive: true, force: true });
});

describe('config', () => {
  it('shows all keys, or one, or sets one and leaves its neighbours', async () => {
    expect((await run('config')).out).toMatch(/^printWidthCols +48$/m);
    expect(await run('config', 'drawer.pin')).toEqual({ code: 0, out: '2\n', err: '' });
    expect(await run('config', 'drawer.pin', '5')).toEqual({ code: 0, out: '5\n', err: '' });
    expect((await client.config()).drawer).toMatchObject({ pin: 5, onMs: 120 });
    expect((await run('config', 'scanner.layout', 'de')).out).toBe('"de"\n');
  });

  it('stores a credential and never shows it', async () => {
    const { out } = await run('config', 'webhook.secret', 'sesame');
    expect(out).toBe('true\n');
    expect((await run('config')).out).not.toContain('sesame');
  });

  it('tells a key that there is not, and a value that is refused', async () => {
    expect(await run('config', 'colour')).toMatchObject({ code: 2, err: 'tillnode: there is no key colour\n' });
    expect(await run('config', 'printWidthCols', '7')).toMatchObject({
      code: 1,
      err: expect.stringContaining('invalid_config'),
    });
    expect((await run('config', 'a', 'b', 'c')).code).toBe(2);
  });
});

describe('the commands of the other rooms', () => {
  it('name gives the node a name, which status shows', async () => {
    expect(await run('name')).toMatchObject({ code: 0, out: 'it has no name\n' });
    expect(await run('name', 'Till 1')).toMatchObject({ code: 0, out: 'Till 1\n' });
    expect((await run('status')).out).toMatch(/^Till 1 \(node-[0-9a-f]{8}\) at http:/);
  });

  it('status says that the paper is narrower than the receipts, and how to change that', async () => {
    await client.configure({ printWidthCols: 64 });
    expect((await run('status')).out).toMatch(
      /^This printer has (\d+) columns, receipts are laid out in 64: tillnode config printWidthCols \1$/m,
    );
  });

  it('status says which devices are not used, and why', async () => {
    await client.request('POST', '/twin/attach', { vendorId: 'abcd', productId: '0042', model: 'Gadget' });
    await expect
      .poll(async () => (await run('status')).out, { timeout: 20_000 })
      .toMatch(/^plugged in and not used:\n.*Gadget \(abcd:0042\): \S/m);
  });

  it('scan lists the reads, scale the weight', async () => {
    await client.twin.scan({ value: '4006381333931' });
    await expect
      .poll(async () => (await run('scan')).out, { timeout: 20_000 })
      .toMatch(/accepted +ean13 +4006381333931$/m);
    expect((await run('scale')).out).toMatch(/^\d+(\.\d+)? \w+|^no weight: /);
  });

  it('camera writes a picture, log the runs, capture a line for each record', async () => {
    const file = join(scratch, 'frame.jpg');
    expect((await run('camera', file)).code).toBe(0);
    expect(readFileSync(file).subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));
    expect((await run('log')).out).toMatch(/^run +started by .*\n[0-9a-f]{8} +power_on +factory/);
    expect((await run('capture')).code).toBe(0);
  });

  it('update says what is wrong with a file, and what the node says of it', async () => {
    expect(await run('update', join(scratch, 'nothing.img'))).toMatchObject({ code: 2, out: '' });
    expect(await run('update', 'package.json')).toMatchObject({ code: 1, out: '' });
  });

  it('help names each of them', async () => {
    const { out } = await run('help');
    for (const name of ['config', 'name', 'update', 'log', 'capture', 'jobs', 'scan', 'scale', 'camera'])
      expect(out).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
  });
});
