/** The built twin under its launcher is updated over HTTP, killed, reverted, and given an image that does not start. */
import { execFileSync } from 'node:child_process';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startFleet } from '../../runtime/fleet/fleet.ts';
import { rawPublicKey } from '../../runtime/image/format.ts';
import { databases, EITHER } from '../fleet/fleet.ts';
import { startReceiver } from '../http/receiver.ts';
import { until } from '../node.ts';
import { reply, routes } from '../services/cloud/node.ts';
import { needTools } from '../tools.ts';
import { atItsEnd, call, developmentKey, type Launched, launch, twinImage, UPDATE_KEY, upload } from './launched.ts';

interface Identity {
  readonly slot: string;
  readonly firmwareVersion: string;
}

function box() {
  const state = mkdtempSync(join(tmpdir(), 'tillnode-update-'));
  const running = new Set<Launched>();
  onTestFinished(async () => {
    for (const launched of running) await launched.kill('SIGTERM');
    rmSync(state, { recursive: true, force: true });
  });
  return {
    state,
    start: () => {
      const launched = launch(state);
      running.add(launched);
      return launched;
    },
    cut: async (launched: Launched) => {
      running.delete(launched);
      await launched.kill('SIGKILL');
    },
  };
}

const identity = async (url: string) => (await call<{ identity: Identity }>(url, 'GET', '/status')).identity;
const boots = async (url: string) =>
  (
    await call<{ boots: { slot: string; firmwareVersion: string; reason: string; clean: boolean }[] }>(
      url,
      'GET',
      '/bootlog',
    )
  ).boots;
const crashOf = async (url: string) =>
  (await call<{ crash: Record<string, unknown> | null }>(url, 'GET', '/bootlog')).crash;

it('an update is booted, outlives a power cut, and is undone by one call; settings stay', async () => {
  const { start, cut } = box();
  const first = start();
  const factory = await first.ready(1);
  const built = (await identity(factory)).firmwareVersion;
  await call(factory, 'PUT', '/config', { printWidthCols: 42 });
  await call(factory, 'PUT', '/update', { updateKey: UPDATE_KEY });

  expect(await upload(factory, twinImage('9.9.9'))).toEqual({
    status: 200,
    body: { ok: true, version: '9.9.9', variant: 'twin' },
  });
  const updated = await first.ready(2);
  expect(await identity(updated)).toMatchObject({ slot: 'a', firmwareVersion: '9.9.9' });
  expect(await boots(updated)).toMatchObject([
    { slot: 'a', firmwareVersion: '9.9.9', reason: 'update', clean: false },
    { slot: 'factory', firmwareVersion: built, reason: 'power_on', clean: true },
  ]);

  await cut(first);
  const second = start();
  const again = await second.ready(1);
  expect(await identity(again)).toMatchObject({ slot: 'a', firmwareVersion: '9.9.9' });
  expect((await call(again, 'GET', '/config'))['printWidthCols']).toBe(42);
  // All of the image is there, what draws text, too.
  const lines = [{ type: 'text', value: 'ขอบคุณ' }];
  const printed = await call(again, 'POST', '/print', { type: 'print', id: '1', endpoint: 'receipt', lines });
  expect(printed).toMatchObject({ ok: true });
  expect(printed['detail']).toBeUndefined();

  expect(await call(again, 'PUT', '/update', { boot: 'factory' })).toMatchObject({ ok: true });
  const reverted = await second.ready(2);
  expect(await identity(reverted)).toMatchObject({ slot: 'factory', firmwareVersion: built });
  expect((await boots(reverted))[0]).toMatchObject({ reason: 'revert' });
  expect((await call(reverted, 'GET', '/config'))['printWidthCols']).toBe(42);

  expect(await call(reverted, 'POST', '/restart', { type: 'restart', id: '1' })).toMatchObject({ ok: true });
  expect((await boots(await second.ready(3)))[0]).toMatchObject({ slot: 'factory', reason: 'restart' });
});

it('an image that does not start is rolled back with no call, and the boot log says so', async () => {
  const { start } = box();
  const launched = start();
  const url = await launched.ready(1);
  await call(url, 'PUT', '/update', { updateKey: UPDATE_KEY });
  expect(
    (
      await upload(
        url,
        twinImage('9.9.9', () => 'process.exit(3);'),
      )
    ).status,
  ).toBe(200);
  const back = await launched.ready(2);
  expect((await identity(back)).slot).toBe('factory');
  expect((await boots(back))[0]).toMatchObject({ slot: 'factory', reason: 'rollback' });
  expect(await crashOf(back)).toMatchObject({ reason: 'rollback', detail: 'exit code 3' });
});

it('a crash is in the boot log of the next start, with its place and without the folders of this machine', async () => {
  const { state, start } = box();
  const launched = start();
  const url = await launched.ready(1);
  await call(url, 'PUT', '/update', { updateKey: UPDATE_KEY });
  const trigger = join(state, 'trigger');
  const planted = `
setInterval(() => {
  try { require('node:fs').unlinkSync(${JSON.stringify(trigger)}); } catch { return; }
  throw new TypeError('planted');
}, 20);`;
  await upload(
    url,
    twinImage('9.9.9', (main) => atItsEnd(main, planted)),
  );
  await launched.ready(2);
  writeFileSync(trigger, '');
  const crash = await crashOf(await launched.ready(3));
  expect(crash).toMatchObject({
    reason: 'uncaught_error',
    firmwareVersion: '9.9.9',
    name: 'TypeError',
    message: 'planted',
    stack: expect.arrayContaining([expect.stringMatching(/^at .*node\.cjs:\d+:\d+\)?$/)]),
  });
  expect(JSON.stringify(crash)).not.toContain(state);
});

const database = databases(EITHER[0]);
/** A fleet that rolls this image out to all, and trusts who signed it. `times`: how often a node asked for a path that begins so. */
async function startCloud(image: Uint8Array, key = developmentKey()) {
  const data = mkdtempSync(join(tmpdir(), 'tillnode-fleet-'));
  const fetched: string[] = [];
  const where = { host: '127.0.0.1', port: 0, database: await database(), images: join(data, 'images') };
  const fleet = await startFleet({ token: 'sesame', ...where });
  fleet.server.on('request', ({ url = '' }) => fetched.push(url));
  onTestFinished(async () => {
    await fleet.stop();
    rmSync(data, { recursive: true });
  });
  const ask = async (path: string, body?: string | Uint8Array<ArrayBuffer>, method = 'POST') =>
    (
      await fetch(`${fleet.url}/api/${path}`, {
        headers: { Authorization: 'Bearer sesame' },
        ...(body !== undefined && { method, body }),
      })
    ).json();
  await ask('settings', JSON.stringify({ firmware: { keys: [rawPublicKey(key)] } }), 'PUT');
  const { variant, version } = (await ask('releases', Buffer.from(image))) as { variant: string; version: string };
  // A rollout is to nodes that were heard.
  const beat = JSON.stringify({ node: 'z', seq: 1, variant, firmwareVersion: '0.0.1' });
  await fetch(`${fleet.url}/heartbeat`, { method: 'POST', headers: { Authorization: 'Bearer sesame' }, body: beat });
  await ask('rollouts', JSON.stringify({ variant, version, groups: ['100%'] }));
  const times = (path: string) => fetched.filter((each) => each.startsWith(path)).length;
  const nodes = async () => ((await ask('nodes')) as { nodes: Record<string, unknown>[] }).nodes;
  return { url: fleet.url, ask, times, nodes };
}

it('a signed image that a cloud offers is fetched unasked, booted, and not fetched again', async () => {
  const { url: cloud, times, nodes } = await startCloud(twinImage('9.9.9'));
  const launched = box().start();
  const url = await launched.ready(1);
  await call(url, 'PUT', '/cloud', { url: cloud, token: 'sesame' });
  const updated = await launched.ready(2);
  expect(await identity(updated)).toMatchObject({ slot: 'a', firmwareVersion: '9.9.9' });
  expect((await boots(updated))[0]).toMatchObject({ slot: 'a', reason: 'update' });
  // The second asks by itself at once when something of the cloud is set.
  const asked = times('/firmware?');
  await call(updated, 'PUT', '/cloud', { heartbeatSeconds: 120 });
  await until(() => times('/firmware?') > asked);
  await until(async () => (await nodes())[0]?.['firmwareVersion'] === '9.9.9');
  expect(times('/firmware/')).toBe(1);
});

/** Has the node ask for images once more, and waits for the question. */
async function askAgain(url: string, times: (path: string) => number) {
  const asked = times('/firmware?');
  await call(url, 'PUT', '/cloud', { heartbeatSeconds: 60 + asked });
  await until(() => times('/firmware?') > asked);
}

it('an image from a cloud that does not start is rolled back, and not fetched again unasked', async () => {
  const image = twinImage('9.9.9', () => 'process.exit(3);');
  const sha256 = createHash('sha256').update(image).digest('hex');
  const offer = { version: '9.9.9', length: image.length, sha256, url: 'firmware/next.img' };
  const { url: cloud, received } = await startReceiver(
    routes({ '/firmware': reply(200, offer), '/firmware/next.img': reply(200, image) }),
  );
  const times = (path: string) => received.filter(({ target }) => target.startsWith(path)).length;
  const launched = box().start();
  await call(await launched.ready(1), 'PUT', '/cloud', { url: cloud, token: 'sesame' });
  const back = await launched.ready(2);
  expect((await boots(back))[0]).toMatchObject({ slot: 'factory', reason: 'rollback' });
  await askAgain(back, times);
  expect(await call(back, 'PUT', '/update', { check: true })).toMatchObject({ ok: true, available: '9.9.9' });
  expect(times('/firmware/next.img')).toBe(1);
});

it('a rollout halts when the first node is rolled back from its image', async () => {
  const { url: cloud, ask } = await startCloud(twinImage('9.9.9', () => 'process.exit(3);'));
  const launched = box().start();
  await call(await launched.ready(1), 'PUT', '/cloud', { url: cloud, token: 'sesame' });
  const back = await launched.ready(2);
  await until(
    async () => ((await ask('rollouts')) as { rollouts: { state: string }[] }).rollouts[0]?.state === 'halted',
  );
  expect(await call(back, 'PUT', '/update', { check: true })).toMatchObject({ ok: true, available: null });
});

it('an image from a cloud that somebody else signed is not installed', async () => {
  const somebody = generateKeyPairSync('ed25519').privateKey;
  const { url: cloud, times } = await startCloud(twinImage('9.9.9', undefined, somebody), somebody);
  const launched = box().start();
  const url = await launched.ready(1);
  await call(url, 'PUT', '/cloud', { url: cloud, token: 'sesame' });
  await until(() => launched.log().includes('update check failed'));
  expect(await call(url, 'PUT', '/update', { apply: true })).toMatchObject({ ok: false, error: 'image_invalid' });
  expect(times('/firmware/')).toBe(2);
  await askAgain(url, times);
  expect(await identity(url)).toMatchObject({ slot: 'factory' });
  expect(await boots(url)).toHaveLength(1);
});

const missing = needTools(['curl']);
it.skipIf(missing)(
  `curl sends no byte of an image that is refused before it${missing ? `: ${missing}` : ''}`,
  async () => {
    const { state, start } = box();
    const url = await start().ready(1);
    const image = join(state, 'image');
    writeFileSync(image, Buffer.alloc(3_000_000));
    const report = execFileSync('curl', [
      ...['-s', '-w', ' %{http_code} %{size_upload}', '--data-binary', `@${image}`],
      ...['-H', `X-NODE-Image-Sha256: ${'0'.repeat(64)}`, '-H', `Authorization: Bearer ${UPDATE_KEY}`, `${url}/update`],
    ]).toString();
    expect(report).toBe('{"ok":false,"error":"ota_locked"}\n 401 0');
  },
);
