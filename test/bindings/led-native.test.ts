/** The LED of the board against a directory that looks like sysfs; brightness is a FIFO, so that every write is seen. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createLed } from '../../runtime/bindings/native/led.ts';

const on = { lit: true, ms: 2 };
const off = { lit: false, ms: 1 };

let sysfs: string;
beforeEach(() => {
  sysfs = mkdtempSync(join(tmpdir(), 'leds-'));
  const made = sysfs;
  onTestFinished(() => rmSync(made, { recursive: true }));
});

/** An LED, and what is written to it. */
async function makeLed(name: string, { max = 1, trigger = 'none mmc0 [heartbeat]' } = {}) {
  const at = join(sysfs, name);
  mkdirSync(at);
  execFileSync('mkfifo', [join(at, 'brightness')]);
  writeFileSync(join(at, 'max_brightness'), `${max}\n`);
  writeFileSync(join(at, 'trigger'), `${trigger}\n`);
  const file: FileHandle = await open(join(at, 'brightness'), 'r+');
  onTestFinished(() => file.close());
  return {
    trigger: () => readFileSync(join(at, 'trigger'), 'utf8').trim(),
    /** The next bytes that are written. */
    written: async (length: number) => {
      let text = '';
      while (text.length < length) {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(length - text.length), 0, length - text.length);
        text += buffer.toString('latin1', 0, bytesRead);
      }
      return text;
    },
  };
}

const shown = () => {
  const led = createLed(sysfs);
  onTestFinished(() => led.release());
  return led;
};

describe('the LED of a board', () => {
  it('repeats the phases until others are shown', async () => {
    const board = await makeLed('green:status');
    const led = shown();
    await led.show([on, off]);
    expect(await board.written(6)).toBe('101010');
    await led.show([on, off, off]);
    expect(await board.written(9)).toMatch(/100100/);
  });

  it('is steady with one phase, as bright as it can be', async () => {
    const board = await makeLed('ACT', { max: 255 });
    const led = shown();
    await led.show([on]);
    expect(await board.written(3)).toBe('255');
    // Nothing was written in between.
    await led.show([off]);
    expect(await board.written(1)).toBe('0');
  });

  it('is taken from what the operating system shows with it, and given back', async () => {
    const board = await makeLed('led0', { trigger: 'none [mmc0] heartbeat' });
    const led = shown();
    await led.show([on]);
    expect(board.trigger()).toBe('none');
    await led.release();
    expect(board.trigger()).toBe('mmc0');
  });

  it('is the one of the status, and never one of a key, a network card or the power supply', async () => {
    const others = ['input3::capslock', 'enp1s0-0::lan', 'phy0-led', 'red:power', 'mmc0::', 'platform::micmute'];
    const activity = await makeLed('blue:activity');
    const status = await makeLed('pca9532:green:status-1');
    const kept = await Promise.all(others.map((name) => makeLed(name)));
    await shown().show([on]);
    expect(status.trigger()).toBe('none');
    for (const { trigger } of [activity, ...kept]) expect(trigger()).toContain('[heartbeat]');
  });

  it('is nothing where there is none, or where it cannot be written', async () => {
    await makeLed('input3::capslock');
    await expect(shown().show([on, off])).resolves.toBeUndefined();
    mkdirSync(join(sysfs, 'green:status', 'trigger'), { recursive: true });
    await expect(shown().show([on, off])).resolves.toBeUndefined();
    const led = createLed(join(sysfs, 'absent'));
    await led.show([on]);
    await expect(led.release()).resolves.toBeUndefined();
  });
});
