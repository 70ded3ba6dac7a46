/** While an update finishes, while its restart is held, and POST /restart (specification 3.2 and 7). */
import { describe, expect, it } from 'vitest';
import type { IncomingImage } from '../../../runtime/image/updates.ts';
import { succeeded } from '../../../runtime/kernel/command.ts';
import { Installer } from '../../../runtime/services/update/installer.ts';
import { makeImage, sha256 } from '../../made-images.ts';
import { until } from '../../node.ts';
import { wifiPlugins } from '../../plugins.ts';
import { API_KEY, startUpdateNode, type UpdateNode } from './node.ts';

const image = makeImage();
const fetched = (): IncomingImage => ({
  length: image.length,
  sha256: sha256(image),
  anyVariant: false,
  chunks: (async function* () {
    yield image;
  })(),
});
const COMMANDS = [
  ['/print', { type: 'print', id: '1', endpoint: 'receipt', lines: [{ type: 'text', value: 'x' }] }],
  ['/raw', { type: 'raw', id: '2', endpoint: 'receipt', data: 'eA==' }],
  ['/drawer/kick', { type: 'drawer_kick', id: '3', endpoint: 'receipt' }],
] as const;

/** As a room that fetches images has them installed. */
const installed = ({ kernel }: UpdateNode, image: IncomingImage) =>
  kernel.offered('update')?.install(image) ?? expect.fail();

/** Something that the test lets happen. */
function gate(): { readonly passed: Promise<void>; open(): void } {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

describe('while an upload finishes', () => {
  it('commands are refused, the event stream is told, and they are taken again when it fails', async () => {
    const node = await startUpdateNode({ plugins: wifiPlugins });
    const events: unknown[] = [];
    node.kernel.hooks.event.tap('test', (event) => {
      if (event.type === 'command_result') events.push(event['error']);
    });
    const commit = gate();
    node.slots.before = async (step) => {
      if (step !== 'commit') return;
      await commit.passed;
      throw new Error('the disk is broken');
    };
    const uploaded = node.upload(image);
    await until(() => node.kernel.restarting);
    for (const [path, command] of COMMANDS) {
      expect(await node.send('POST', path, command)).toMatchObject({ status: 503, error: 'restarting' });
    }
    expect(await node.send('GET', '/status')).toMatchObject({ status: 200 });
    // One whose body was on its way when it began.
    expect(await node.kernel.command({ ...COMMANDS[0][1] })).toMatchObject({ ok: false, error: 'restarting' });
    expect(events).toEqual(['restarting']);
    expect(await node.send('PUT', '/update', { boot: 'factory' })).toMatchObject({ status: 409, error: 'ota_busy' });
    commit.open();
    expect(await uploaded).toMatchObject({ status: 500, error: 'ota_write_failed' });
    expect((await node.send('POST', COMMANDS[0][0], COMMANDS[0][1])).error).not.toBe('restarting');
    expect(node.boot.restarts).toBe(0);
  });

  it('nothing is refused before its last byte is in', async () => {
    const node = await startUpdateNode({ plugins: wifiPlugins });
    const socket = node.dial();
    socket.write(Buffer.concat([Buffer.from(node.head(image)), image.subarray(0, -1)]));
    await until(() => node.slots.written === image.length - 1);
    expect(node.kernel.restarting).toBe(false);
    socket.write(image.subarray(-1));
    await until(() => node.kernel.restarting);
  });

  it('the restart waits for the job in hand, and no other begins', async () => {
    const node = await startUpdateNode();
    const job = gate();
    let asked = false;
    node.kernel.hooks.quiet.tapPromise('test', () => {
      asked = true;
      return job.passed;
    });
    expect((await node.upload(image)).status).toBe(200);
    await until(() => asked);
    expect({ restarts: node.boot.restarts, restarting: node.kernel.restarting }).toEqual({
      restarts: 0,
      restarting: true,
    });
    job.open();
    await until(() => node.boot.restarts === 1);
  });
});

describe('a fetched image', () => {
  it('is checked like an uploaded one', async () => {
    const node = await startUpdateNode();
    const wrong = { ...fetched(), sha256: '0'.repeat(64) };
    await expect(installed(node, wrong)).rejects.toMatchObject({ code: 'image_digest_mismatch' });
    const short = { ...fetched(), length: image.length + 1 };
    await expect(installed(node, short)).rejects.toMatchObject({ code: 'invalid_body' });
    const long = { ...fetched(), length: image.length - 1 };
    await expect(installed(node, long)).rejects.toMatchObject({ code: 'invalid_body' });
    expect(node.slots.next).toBe(undefined);
  });

  it('is of the version that was offered, or not installed', async () => {
    const node = await startUpdateNode();
    const install = (version: string) => installed(node, { ...fetched(), version });
    await expect(install('9.9.9')).rejects.toMatchObject({ code: 'image_invalid' });
    expect(node.slots.next).toBeUndefined();
    expect(await install('9.8.7')).toEqual({ version: '9.8.7', variant: 'twin' });
  });

  it('waits for a quiet moment: commands go on, updates are refused, then the node restarts', async () => {
    const node = await startUpdateNode({ plugins: wifiPlugins });
    const job = gate();
    node.kernel.hooks.quiet.tapPromise('test', () => job.passed);
    node.kernel.offered('update')?.source.tap('test', () => ({ look: async () => undefined }));
    expect(await installed(node, fetched())).toEqual({ version: '9.8.7', variant: 'twin' });
    expect((await node.send('POST', COMMANDS[0][0], COMMANDS[0][1])).error).not.toBe('restarting');
    for (const request of [{ check: true }, { apply: true }, { check: true, policy: 'off' }]) {
      expect(await node.send('PUT', '/update', request)).toMatchObject({ status: 409, error: 'restart_pending' });
    }
    expect(await node.send('PUT', '/update', { policy: 'check' })).toMatchObject({ status: 200 });
    expect(await node.upload(image)).toMatchObject({ status: 409, error: 'ota_busy' });
    expect(node.boot.restarts).toBe(0);
    job.open();
    await until(() => node.boot.restarts === 1);
  });

  it('waits for it no longer than its deadline', async () => {
    const node = await startUpdateNode();
    const asked: number[] = [];
    node.kernel.hooks.quiet.tapPromise('test', (timeoutMs) => {
      asked.push(timeoutMs);
      return new Promise(() => {});
    });
    await new Installer(node.kernel, { answerMs: 1, holdMs: 50 }).install(fetched(), 'quiet');
    await until(() => node.boot.restarts === 1);
    expect(asked).toEqual([50]);
    await new Installer(node.kernel, { answerMs: 1 }).install(fetched(), 'quiet');
    await until(() => asked.length === 2);
    expect(asked[1]).toBe(900_000);
  });

  it('restarts the node although a room cannot say when it is quiet', async () => {
    const node = await startUpdateNode();
    node.kernel.hooks.quiet.tapPromise('test', () => Promise.reject(new Error('no idea')));
    await installed(node, fetched());
    await until(() => node.boot.restarts === 1);
  });
});

describe('POST /restart', () => {
  it('answers how soon, and restarts', async () => {
    const node = await startUpdateNode();
    const { status, body } = await node.send('POST', '/restart', { type: 'restart', id: 'r-1' });
    expect({ status, body }).toEqual({ status: 200, body: { ok: true, inMs: expect.any(Number) } });
    expect(node.kernel.restarting).toBe(true);
    await until(() => node.boot.restarts === 1);
  });

  it('waits for the job in hand, and takes no other', async () => {
    const node = await startUpdateNode({ plugins: wifiPlugins });
    const job = gate();
    node.kernel.hooks.command.for('raw').tapPromise({ name: 'test', stage: -1 }, async (command) => {
      await job.passed;
      return succeeded(command, 'accepted', 1);
    });
    const [path, command] = COMMANDS[1];
    const asked = gate();
    node.kernel.hooks.began.tap('test', () => asked.open());
    const answer = node.send('POST', path, command);
    await asked.passed;
    await node.send('POST', '/restart', { type: 'restart', id: 'r-1' });
    expect(await node.send('POST', path, command)).toMatchObject({ status: 503, error: 'restarting' });
    await node.kernel.hooks.quiet.promise(1);
    expect(node.boot.restarts).toBe(0);
    job.open();
    expect(await answer).toMatchObject({ status: 200 });
    await until(() => node.boot.restarts === 1);
  });

  it.each([
    ['another type', { type: 'reboot', id: '1' }],
    ['no type', { id: '1' }],
    ['no id', { type: 'restart' }],
    ['an empty id', { type: 'restart', id: '' }],
    ['a key of its own', { type: 'restart', id: '1', when: 'now' }],
    ['no object', []],
  ])('with %s is refused and does nothing', async (_, body) => {
    const node = await startUpdateNode();
    expect(await node.send('POST', '/restart', body)).toMatchObject({ status: 422, error: 'invalid_command' });
    expect(node.kernel.restarting).toBe(false);
  });

  it('needs the API key at admin', async () => {
    const node = await startUpdateNode({ apiMode: 'admin' });
    const body = { type: 'restart', id: '1' };
    expect(await node.send('POST', '/restart', body)).toMatchObject({ status: 401, error: 'api_locked' });
    expect(await node.send('POST', '/restart', body, { 'X-NODE-Api-Key': API_KEY })).toMatchObject({ status: 200 });
  });
});
