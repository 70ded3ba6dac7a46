/** The boot state: two copies, each with a digest, and what is booted when they are damaged. */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encode } from '../../runtime/bindings/generations.ts';
import { VirtualStorage } from '../../runtime/bindings/virtual/storage.ts';
import { type BootState, installed, ran, readState, writeState } from '../../runtime/boot/state.ts';
import { until } from '../node.ts';
import { GOOD, makeBox } from './box.ts';

const SLOT: BootState = {
  ...{ primary: 'a', fallback: 'factory', trial: null, failed: [] },
  slots: { a: { version: '2.0.0', manifest: '0'.repeat(64) } },
};
const NAMES = ['state.a', 'state.b'] as const;
const damages: readonly [string, (bytes: Uint8Array) => Uint8Array][] = [
  ['emptied', () => new Uint8Array()],
  ['cut short', (bytes) => bytes.slice(0, bytes.length >> 1)],
  ['changed in a byte', (bytes) => bytes.map((byte, at) => (at === 90 ? byte ^ 1 : byte))],
];

describe.each(damages)('a boot state of which one copy is %s', (_, damage) => {
  it.each(NAMES)('is read from the other: %s', async (name) => {
    const storage = new VirtualStorage();
    await writeState(storage, { ...SLOT, failed: ['1.0.0'] });
    await writeState(storage, SLOT);
    await storage.write(name, damage((await storage.read(name)) ?? new Uint8Array()));
    expect(await readState(storage)).toMatchObject({ primary: 'a', slots: SLOT.slots });
  });

  it.each(NAMES)('boots the good slot all the same: %s', async (name) => {
    const box = await makeBox(GOOD);
    await box.install('a', '2.0.0', GOOD);
    box.powerOn();
    await until(() => box.bootState().trial?.good === true);
    await box.powerOff();
    const path = join(box.root, 'state/boot', name);
    writeFileSync(path, damage(readFileSync(path)));
    box.powerOn();
    await box.started(2);
    expect(box.starts()[1]).toMatchObject({ name: '2.0.0', slot: 'a' });
  });
});

it.each([...NAMES, 'last-run'])('a FIFO in the place of %s keeps the launcher from nothing', async (name) => {
  const box = await makeBox(GOOD);
  await box.setBootState({ ...SLOT, slots: {} });
  await box.install('a', '2.0.0', GOOD);
  const path = join(box.root, 'state/boot', name);
  rmSync(path, { force: true });
  execFileSync('mkfifo', [path]);
  box.powerOn();
  await box.started(1);
  // The newest copy has the image in slot a, the one before it has not.
  expect(box.starts()).toMatchObject([{ slot: name === 'state.b' ? 'factory' : 'a' }]);
});

it.each([
  ['damaged', () => Buffer.from('{"primary":"a"')],
  ['of another shape', () => encode({ number: 9, fields: { state: { ...SLOT, primary: 'c' } } })],
  ['not about anything', () => encode({ number: 9, fields: { state: null } })],
])('both copies %s mean the factory image', async (_, content) => {
  const box = await makeBox(GOOD);
  await box.install('a', '2.0.0', GOOD);
  for (const name of NAMES) writeFileSync(join(box.root, 'state/boot', name), content());
  box.powerOn();
  await box.started(1);
  expect(box.starts()).toMatchObject([{ name: 'factory', slot: 'factory' }]);
});

it('the newest is never written over', async () => {
  const storage = new VirtualStorage();
  const written: string[] = [];
  storage.failure = (operation, name) => {
    if (operation === 'write') written.push(name);
    return undefined;
  };
  for (let count = 0; count < 4; count += 1) await writeState(storage, { ...SLOT, failed: [`${count}`] });
  expect(written).toEqual(['state.a', 'state.b', 'state.a', 'state.b']);
});

describe('a new image', () => {
  const probation = { firstMs: 1000, thenMs: 10_000, crashes: 5 };
  const fresh = installed({ ...SLOT, slots: {} }, 'a', { version: '2.0.0', manifest: '' }, 'factory');

  it('has its crashes counted in its first hour, and anew in the day after it', () => {
    let state = fresh;
    for (let crash = 0; crash < 4; crash += 1) state = ran(state, 200, true, probation);
    expect(state.trial?.crashes).toBe(4);
    state = ran(state, 400, true, probation);
    expect(state.trial).toMatchObject({ ranMs: 1200, crashes: 1 });
  });

  it('is of long standing after them', () => {
    expect(ran(fresh, 10_999, false, probation).trial).not.toBe(null);
    expect(ran(fresh, 11_000, false, probation).trial).toBe(null);
  });
});
