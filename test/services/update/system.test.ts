/** A system bundle: taken where the node runs on a disk that was made of an image, and goes to the other system there. */
import { describe, expect, it } from 'vitest';
import type { SystemSlots } from '../../../runtime/bindings/boot.ts';
import { VirtualSlots } from '../../../runtime/bindings/virtual/boot.ts';
import { pack } from '../../../runtime/image/pack.ts';
import { FLOOR, key, makeImage } from '../../made-images.ts';
import { until } from '../../node.ts';
import { startUpdateNode } from './node.ts';

const about = { type: 'system', variant: 'twin', version: '9.8.7', floor: FLOOR } as const;
const bundle = pack(about, [{ name: 'filesystem', bytes: Buffer.from('the root') }], key);

/** A node on a disk. */
async function onDisk() {
  const node = await startUpdateNode();
  const other = new VirtualSlots();
  const machine = { trial: false, restarts: 0 };
  const system: SystemSlots = {
    slot: 'a',
    failed: [],
    onTrial: () => machine.trial,
    begin: () => other.begin(),
    restart: async () => {
      machine.restarts += 1;
    },
  };
  return { ...node, other, machine, boot: Object.assign(node.boot, { system }) };
}

describe('a system bundle', () => {
  it('is written to the other system, and the machine restarts with it', async () => {
    const { upload, other, slots, machine, boot } = await onDisk();
    expect(await upload(bundle)).toMatchObject({ status: 200, body: { version: '9.8.7' } });
    expect(other.next).toMatchObject({ version: '9.8.7' });
    expect(slots.next).toBeUndefined();
    await until(() => machine.restarts > 0);
    expect(boot.restarts).toBe(0);
  });

  it('is refused where there is no other system', async () => {
    const { upload, slots } = await startUpdateNode();
    expect(await upload(bundle)).toMatchObject({ status: 422, error: 'image_invalid' });
    expect(slots.written).toBe(0);
  });

  it.each([
    ['a bundle', bundle],
    ['an image of the node', makeImage()],
  ])('waits until the system that runs is known to be good, as every image does: %s', async (_, bytes) => {
    const { upload, other, slots, machine } = await onDisk();
    machine.trial = true;
    expect(await upload(bytes)).toMatchObject({ status: 409, error: 'ota_busy' });
    expect(other.written + slots.written).toBe(0);
    machine.trial = false;
    expect(await upload(bytes)).toMatchObject({ status: 200 });
  });
});
