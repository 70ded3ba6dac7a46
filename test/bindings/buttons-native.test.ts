/** The evdev button against a directory that looks like sysfs, and FIFOs that read like event devices. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createButtons, EVENT_BYTES } from '../../runtime/bindings/native/buttons.ts';
import { until } from '../node.ts';

const BTN_0 = 0x100;
const WPS = 0x211;
const RESTART = 0x198;
const POWER = 0x74;
const LETTER_A = 30;
const BUS_HOST = '0019';
const EV_SYN = 0;
const EV_KEY = 1;

/** As the kernel prints it: words of a long, the highest first, none that is zero before the first that is not. */
function bitmap(codes: readonly number[]): string {
  const bits = EVENT_BYTES === 24 ? 64n : 32n;
  let all = codes.reduce((sum, code) => sum | (1n << BigInt(code)), 0n);
  const words: string[] = [];
  for (; all > 0n; all >>= bits) words.unshift((all & ((1n << bits) - 1n)).toString(16));
  return `${words.join(' ') || '0'}\n`;
}

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'buttons-'));
  mkdirSync(join(root, 'sys'));
  mkdirSync(join(root, 'dev'));
  const made = root;
  onTestFinished(() => rmSync(made, { recursive: true }));
});

/** An event device and the kernel's end of it. */
async function makeDevice(name: string, codes: readonly number[], bus = BUS_HOST) {
  const device = join(root, 'sys', name, 'device');
  mkdirSync(join(device, 'capabilities'), { recursive: true });
  mkdirSync(join(device, 'id'));
  writeFileSync(join(device, 'capabilities/key'), bitmap(codes));
  writeFileSync(join(device, 'id/bustype'), `${bus}\n`);
  const path = join(root, 'dev', name);
  execFileSync('mkfifo', [path]);
  // Opened both ways: neither this end nor the reader's waits for the other.
  let file: FileHandle | undefined = await open(path, 'r+');
  const close = async () => {
    await file?.close();
    file = undefined;
  };
  onTestFinished(close);
  return {
    path,
    close,
    bytes: async (bytes: Uint8Array) => void (await file?.write(bytes)),
    send: async (...events: readonly Buffer[]) => void (await file?.write(Buffer.concat(events))),
  };
}

/** struct input_event; the kernel ends what belongs together with a SYN_REPORT. */
function event(code: number, value: number, stamp = Date.now(), type = EV_KEY): Buffer {
  const bytes = Buffer.alloc(EVENT_BYTES);
  const seconds = Math.floor(stamp / 1000);
  const micros = Math.round((stamp % 1000) * 1000);
  if (EVENT_BYTES === 24) {
    bytes.writeBigInt64LE(BigInt(seconds), 0);
    bytes.writeBigInt64LE(BigInt(micros), 8);
  } else {
    bytes.writeUInt32LE(seconds, 0);
    bytes.writeUInt32LE(micros, 4);
  }
  bytes.writeUInt16LE(type, EVENT_BYTES - 8);
  bytes.writeUInt16LE(code, EVENT_BYTES - 6);
  bytes.writeInt32LE(value, EVENT_BYTES - 4);
  return bytes;
}
const SYN = event(0, 0, 0, EV_SYN);
const DROPPED = event(3, 0, 0, EV_SYN);

async function listen(againMs?: number) {
  const heard: { readonly what: string; readonly name: string; readonly at: number }[] = [];
  const buttons = createButtons({
    sysfs: join(root, 'sys'),
    devices: join(root, 'dev'),
    ...(againMs === undefined ? {} : { againMs }),
  });
  await buttons.start({
    press: (name, at) => heard.push({ what: 'press', name, at }),
    release: (name, at) => heard.push({ what: 'release', name, at }),
  });
  onTestFinished(() => buttons.stop());
  const whats = () => heard.map(({ what }) => what);
  const heldMs = () => (heard.at(-1)?.at ?? 0) - (heard.at(-2)?.at ?? 0);
  return { buttons, heard, whats, heldMs };
}

/** Programs that have the file open, by process id. */
const readersOf = (path: string): string[] =>
  readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || pid === String(process.pid)) return false;
    try {
      return readlinkSync(`/proc/${pid}/fd/0`) === path;
    } catch {
      return false;
    }
  });

describe('the button of a board', () => {
  it('is reported as b, with the time between press and release as the kernel stamped it', async () => {
    const device = await makeDevice('event0', [BTN_0]);
    const { heard, heldMs } = await listen();
    const now = Date.now();
    await device.send(event(BTN_0, 1, now - 1500), SYN, event(BTN_0, 0, now - 250.5), SYN);
    await until(() => heard.length === 2);
    expect(heard.map(({ what, name }) => `${what} ${name}`)).toEqual(['press b', 'release b']);
    expect(heldMs()).toBeGreaterThan(1240);
    expect(heldMs()).toBeLessThan(1260);
  });

  it('is on the monotonic clock', async () => {
    const device = await makeDevice('event0', [BTN_0]);
    const { heard } = await listen();
    const before = performance.now();
    await device.send(event(BTN_0, 1, Date.now()), SYN);
    await until(() => heard.length === 1);
    expect(heard[0]?.at).toBeGreaterThan(before - 5);
    expect(heard[0]?.at).toBeLessThan(performance.now() + 1);
  });

  it.each([
    ['forward', 3_600_000],
    ['back', -3_600_000],
    ['to 1970', -Date.now()],
  ])('is not held for longer or shorter where the clock is set %s between', async (_way, by) => {
    const device = await makeDevice('event0', [BTN_0]);
    const { heard, heldMs } = await listen();
    await device.send(event(BTN_0, 1), SYN);
    await until(() => heard.length === 1);
    await device.send(event(BTN_0, 0, Date.now() + by), SYN);
    await until(() => heard.length === 2);
    expect(heldMs()).toBeGreaterThanOrEqual(0);
    expect(heldMs()).toBeLessThan(30_000);
  });

  it('is read however its bytes are cut', async () => {
    const device = await makeDevice('event0', [BTN_0]);
    const { whats } = await listen();
    for (const byte of Buffer.concat([event(BTN_0, 1), SYN, event(BTN_0, 0), SYN])) {
      await device.bytes(Uint8Array.of(byte));
    }
    await until(() => whats().length === 2);
    expect(whats()).toEqual(['press', 'release']);
  });

  it('says nothing of other keys, of repeats and of other kinds of events', async () => {
    const device = await makeDevice('event0', [BTN_0, POWER]);
    const { whats } = await listen();
    await device.send(event(POWER, 1), event(BTN_0, 2), event(BTN_0, 1, Date.now(), 4), event(BTN_0, 1), SYN);
    await device.send(event(BTN_0, 2), event(BTN_0, 2), event(POWER, 0), event(BTN_0, 0), SYN);
    await until(() => whats().length === 2);
    expect(whats()).toEqual(['press', 'release']);
  });

  it('was held for nothing where the kernel lost events meanwhile', async () => {
    const device = await makeDevice('event0', [BTN_0]);
    const { heard, heldMs } = await listen();
    await device.send(event(BTN_0, 1, Date.now() - 1000), SYN, DROPPED, SYN);
    await until(() => heard.length === 2);
    expect(heldMs()).toBe(0);
  });

  it('was held for nothing where its device is lost meanwhile', async () => {
    const device = await makeDevice('event0', [BTN_0]);
    const { heard, heldMs } = await listen();
    await device.send(event(BTN_0, 1), SYN);
    await until(() => heard.length === 1);
    await device.close();
    await until(() => heard.length === 2);
    expect(heldMs()).toBe(0);
  });
});

describe('which device is the button', () => {
  /** Every device presses what it has; only one is heard. */
  const chosen = async (...devices: readonly [name: string, codes: readonly number[], bus?: string | undefined][]) => {
    const made = await Promise.all(
      devices.map(async ([name, codes, bus]) => ({ name, codes, device: await makeDevice(name, codes, bus) })),
    );
    const { buttons } = await listen();
    const read = () => made.filter(({ device }) => readersOf(device.path).length > 0).map(({ name }) => name);
    const any = read();
    await buttons.stop();
    await until(() => read().length === 0);
    return any;
  };

  it.each([
    ['BTN_0', BTN_0],
    ['KEY_WPS_BUTTON', WPS],
    ['KEY_RESTART', RESTART],
  ])('has the key %s', async (_name, code) => {
    expect(await chosen(['event0', [POWER]], ['event1', [code, POWER]])).toEqual(['event1']);
  });

  it('is one at most: by the key first, then by the number', async () => {
    expect(await chosen(['event0', [RESTART]], ['event10', [BTN_0]], ['event9', [BTN_0]])).toEqual(['event9']);
  });

  it.each([
    ['a keyboard or a scanner that types', ['event0', [LETTER_A, BTN_0]]],
    ['plugged in over USB', ['event0', [BTN_0], '0003']],
    ['a power button', ['event0', [POWER]]],
    ['without a key', ['event0', []]],
  ] as const)('is none that is %s', async (_what, device) => {
    expect(await chosen([device[0], [...device[1]], device[2]])).toEqual([]);
  });
});

describe('a machine', () => {
  it('without input devices starts and stops without a word', async () => {
    const buttons = createButtons({ sysfs: join(root, 'none'), devices: join(root, 'none') });
    const heard: string[] = [];
    await buttons.stop();
    await buttons.start({ press: () => void heard.push('press'), release: () => void heard.push('release') });
    await buttons.stop();
    await buttons.stop();
    expect(heard).toEqual([]);
  });

  it('whose attributes are nonsense has no button', async () => {
    await makeDevice('event0', [BTN_0]);
    writeFileSync(join(root, 'sys/event0/device/capabilities/key'), '\ufffd zz -1 0x1 1e9\n');
    mkdirSync(join(root, 'sys/event1'));
    mkdirSync(join(root, 'sys/mouse0'));
    const { buttons } = await listen();
    expect(readersOf(join(root, 'dev/event0'))).toEqual([]);
    await buttons.stop();
  });

  it('has its button read again after the reader was ended from outside', async () => {
    const device = await makeDevice('event0', [BTN_0]);
    const { whats } = await listen(1);
    await device.send(event(BTN_0, 1), event(BTN_0, 0), SYN);
    await until(() => whats().length === 2);
    const [first] = readersOf(device.path);
    // 0 would be every process of this one's group.
    if (first === undefined) throw new Error('nobody reads');
    process.kill(Number(first), 'SIGKILL');
    await until(() => readersOf(device.path).some((pid) => pid !== first));
    await device.send(event(BTN_0, 1), SYN);
    await until(() => whats().length === 3);
  });

  it('has no reader left, and hears nothing, after a stop', async () => {
    const device = await makeDevice('event0', [BTN_0]);
    const { buttons, whats } = await listen();
    await device.send(event(BTN_0, 1), SYN);
    await until(() => whats().length === 1);
    await buttons.stop();
    await until(() => readersOf(device.path).length === 0);
    await device.send(event(BTN_0, 0), SYN);
    expect(whats()).toEqual(['press']);
  });
});
