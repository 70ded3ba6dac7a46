/** The built twin under its launcher is updated over HTTP, killed, reverted, and given an image that does not start. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { needTools } from '../tools.ts';
import { call, type Launched, launch, twinImage, UPDATE_KEY, upload } from './launched.ts';

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
    twinImage('9.9.9', (main) => main + planted),
  );
  await launched.ready(2);
  writeFileSync(trigger, '');
  const crash = await crashOf(await launched.ready(3));
  expect(crash).toMatchObject({
    reason: 'uncaught_error',
    firmwareVersion: '9.9.9',
    name: 'TypeError',
    message: 'planted',
    stack: expect.arrayContaining([expect.stringMatching(/^at .*main\.js:\d+:\d+\)?$/)]),
  });
  expect(JSON.stringify(crash)).not.toContain(state);
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
    expect(report).toBe('{"ok":false,"error":"ota_locked"} 401 0');
  },
);
