/** The wifi image under its launcher, on a disk: updated, and brought back from images that are no good. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { atItsEnd, builtImage, type Change, call, type Launched, UPDATE_KEY, upload } from '../../image/launched.ts';
import { identity, launchBox, mountDisk, unmountDisk, VARIANT } from './box.ts';
import { type It, story } from './suite.ts';

const CASE_MS = 120_000;
/** Three starts, a minute for each, and the way back. */
const HANG_MS = 360_000;
const SETTINGS = { printWidthCols: 42, cutClearanceLines: 7 };

const CRASHES: Change = () => 'process.exit(3);';
const HANGS: Change = () => '(() => void setInterval(() => {}, 1000))';
/** An image that serves, and has lost what it is there for. */
const PRINTS_NOTHING: Change = (main) => main.replaceAll('path:"/print"', 'path:"/prnt"');
/** From one request on, it answers none. */
const STICK = '/stick';
const STICKS: Change = (main) =>
  atItsEnd(
    main,
    `
{
  const { Server } = require('node:http');
  const { emit } = Server.prototype;
  let stuck = false;
  Server.prototype.emit = function (event, request, ...more) {
    stuck ||= event === 'request' && request.url === '${STICK}';
    return stuck && event === 'request' ? true : emit.call(this, event, request, ...more);
  };
}`,
  );

interface Boot {
  readonly slot: string;
  readonly firmwareVersion: string;
  readonly reason: string;
}

export function updateSuite(declare: It): void {
  const it = story(declare);
  let box: Launched;
  let url = '';
  let times = 0;
  let factory = '';

  /** When an image has come up once more. */
  const next = async () => {
    times += 1;
    url = await box.ready(times);
    return identity(url);
  };
  const send = async (version: string, change?: Change) => {
    const { status, body } = await upload(url, builtImage(VARIANT, version, change));
    assert.deepEqual([status, body], [200, { ok: true, version, variant: VARIANT }]);
  };
  const bootlog = () => call<{ boots: readonly Boot[]; crash: Record<string, unknown> | null }>(url, 'GET', '/bootlog');
  const assertSettings = async () => {
    const { printWidthCols, cutClearanceLines } = await call<typeof SETTINGS>(url, 'GET', '/config');
    assert.deepEqual({ printWidthCols, cutClearanceLines }, SETTINGS);
  };
  const print = { type: 'print', id: '1', endpoint: 'receipt', lines: [{ type: 'text', value: 'Hello' }] };
  const printing = async () => (await call<{ error?: string }>(url, 'POST', '/print', print)).error;

  it(
    'boots an image that was sent to it, and its settings are as they were',
    async () => {
      mountDisk();
      box = launchBox();
      const { slot, firmwareVersion } = await next();
      factory = firmwareVersion;
      assert.equal(slot, 'factory');
      await call(url, 'PUT', '/config', SETTINGS);
      await call(url, 'PUT', '/update', { updateKey: UPDATE_KEY });
      await send('1.1.0');
      assert.deepEqual(await slotAndVersion(next()), ['a', '1.1.0']);
      assert.equal((await bootlog()).boots[0]?.reason, 'update');
      await assertSettings();
    },
    CASE_MS,
  );

  it(
    'goes back by itself from an image that crashes at its start, and its boot log says so',
    async () => {
      await send('1.2.0', CRASHES);
      assert.deepEqual(await slotAndVersion(next()), ['a', '1.1.0']);
      const { boots, crash } = await bootlog();
      assert.equal(boots[0]?.reason, 'rollback');
      assert.deepEqual([crash?.['reason'], crash?.['detail']], ['rollback', 'exit code 3']);
      await assertSettings();
    },
    CASE_MS,
  );

  it(
    'goes back by itself from an image that hangs at its start, and its boot log says so',
    async () => {
      await send('1.3.0', HANGS);
      assert.deepEqual(await slotAndVersion(next()), ['a', '1.1.0']);
      const { boots, crash } = await bootlog();
      assert.equal(boots[0]?.reason, 'rollback');
      assert.equal(crash?.['detail'], 'did not come up in 60 s');
      await assertSettings();
    },
    HANG_MS,
  );

  it(
    'is brought back by one call from an image that comes up and is wrong',
    async () => {
      await send('1.4.0', PRINTS_NOTHING);
      assert.deepEqual(await slotAndVersion(next()), ['b', '1.4.0']);
      assert.equal(await printing(), 'not_found');
      assert.equal((await call<{ ok: boolean }>(url, 'PUT', '/update', { boot: 'factory' })).ok, true);
      assert.deepEqual(await slotAndVersion(next()), ['factory', factory]);
      assert.equal((await bootlog()).boots[0]?.reason, 'revert');
      assert.equal(await printing(), 'no_printer');
      await assertSettings();
    },
    CASE_MS,
  );

  it(
    'is started anew by its launcher when its front gives no answer any more, though its event loop turns',
    async () => {
      await send('1.5.0', STICKS);
      assert.deepEqual(await slotAndVersion(next()), ['a', '1.5.0']);
      call(url, 'GET', STICK).catch(() => {});
      assert.deepEqual(await slotAndVersion(next()), ['a', '1.5.0']);
      const { boots, crash } = await bootlog();
      assert.equal(boots[0]?.reason, 'watchdog');
      assert.equal(crash?.['detail'], 'made no progress in 15 s');
    },
    CASE_MS,
  );

  it('leaves a file system that is in order', async () => {
    await box.kill('SIGTERM');
    unmountDisk();
    const { status, stdout } = spawnSync('e2fsck', ['-f', '-n', '/dev/vda'], { encoding: 'utf8' });
    assert.equal(status, 0, stdout);
  });
}

const slotAndVersion = async (found: ReturnType<typeof identity>) => {
  const { slot, firmwareVersion } = await found;
  return [slot, firmwareVersion];
};
