/** The package of the camera variant under its own unit: vivid's pictures by ffmpeg. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPicture } from '../../../codecs/mjpeg.ts';
import { call } from '../../image/launched.ts';
import { WEBCAM } from './camera.ts';
import { until } from './gadget.ts';
import { load } from './kernel.ts';
import { plugRawCamera } from './raw-camera.ts';
import { type It, story } from './suite.ts';

const URL = 'http://127.0.0.1';
const CLASS = '/sys/class/video4linux';
const SHOWN = '/run/lab-class';
const CASE_MS = 600_000;
const LOOK_MS = 1000;
const { LAB_CAMERA_PACKAGE = '' } = process.env;

interface Peripheral {
  readonly endpoint: string;
  readonly condition: string;
  readonly device?: { readonly port: string };
}

/** The kernel's test camera, seen at that USB port: a class directory over the real one says so. */
function showVividAt(port: string): void {
  load('vivid', 'n_devs=1', 'node_types=0x1', 'num_inputs=1', 'input_types=0');
  const isVivid = (name: string) => readFileSync(join(CLASS, name, 'name'), 'utf8').startsWith('vivid');
  const name = readdirSync(CLASS).find(isVivid) ?? 'video0';
  mkdirSync(join(SHOWN, 'class', name), { recursive: true });
  mkdirSync(join(SHOWN, `${port}:1.0`));
  writeFileSync(join(SHOWN, 'class', name, 'index'), '0\n');
  symlinkSync(join(SHOWN, `${port}:1.0`), join(SHOWN, 'class', name, 'device'));
  execFileSync('mount', ['--bind', join(SHOWN, 'class'), CLASS]);
  // As the package's udev rule does for one that is on USB.
  execFileSync('chgrp', ['tillnode', `/dev/${name}`]);
  execFileSync('chmod', ['660', `/dev/${name}`]);
}

export function installedCameraSuite(runner: It): void {
  const steps = story(runner);
  const it = (promise: string, check: () => Promise<void>) => steps(promise, check, CASE_MS);

  it('binds a USB camera when the camera variant is installed in place of another', async () => {
    for (const args of [
      ['-P', 'tillnode'],
      ['-i', LAB_CAMERA_PACKAGE],
    ]) {
      const { status, stdout, stderr } = spawnSync('dpkg', args, { encoding: 'utf8' });
      assert.equal(status, 0, `${stdout}${stderr}`);
    }
    const camera = await plugRawCamera(WEBCAM);
    const bound = await until(
      async () => {
        const { peripherals } = await call<{ peripherals: Peripheral[] }>(URL, 'GET', '/status');
        return peripherals.find(({ endpoint, condition }) => endpoint === 'camera' && condition === 'bound');
      },
      'the camera to be bound',
      CASE_MS,
      LOOK_MS,
    );
    camera.unref();
    showVividAt(bound.device?.port ?? '');
  });

  it('reads its pictures by ffmpeg, which its unit lets run', async () => {
    let said = '';
    const picture = await until(
      async () => {
        const response = await fetch(`${URL}/camera/frame`, { headers: { connection: 'close' } });
        const bytes = new Uint8Array(await response.arrayBuffer());
        if (response.status === 200) return readPicture(bytes);
        said = Buffer.from(bytes).toString();
        return undefined;
      },
      'a picture',
      CASE_MS / 2,
      LOOK_MS,
    ).catch((error: Error) => assert.fail(`${error.message}; it says ${said}`));
    assert.ok(picture.ok);
    const kernel = spawnSync('journalctl', ['-b', '-q', '--no-pager', '-k'], { encoding: 'utf8' }).stdout;
    assert.doesNotMatch(kernel, /comm="ffmpeg".*sig=31|oom-kill:.*tillnode/);
  });
}
