/** A request ends with its key: what was admitted under one that is erased or changed is cut, and installs nothing. */
import { describe, expect, it } from 'vitest';
import { bodyOf, received, statusOf } from '../../http/kernel.ts';
import { makeImage } from '../../made-images.ts';
import { until } from '../../node.ts';
import { API_KEY, startUpdateNode, UPDATE_KEY, type UpdateNode } from './node.ts';

const image = makeImage({ bytes: 400_000 });
const half = image.length / 2;
const bearer = { Authorization: `Bearer ${UPDATE_KEY}` };

/** An upload of which half has arrived. */
async function halfWay(node: UpdateNode) {
  const socket = node.dial();
  socket.write(node.head(image, 'Connection: close'));
  socket.write(image.subarray(0, half));
  await until(() => node.slots.written > 0);
  return socket;
}
/** As the button of the box erases both keys. */
const erase = ({ kernel }: UpdateNode) =>
  kernel.config.patch({ apiKey: '', apiMode: 'open' }, undefined, (draft) => {
    delete draft.updateKey;
  });

describe('an upload whose key', () => {
  it.each<[string, (node: UpdateNode) => Promise<unknown>]>([
    ['is erased', (node) => node.send('PUT', '/update', { updateKey: '' }, bearer)],
    ['is changed', (node) => node.send('PUT', '/update', { updateKey: 'another-key-0123456789' }, bearer)],
    ['is erased by the button', erase],
  ])('%s is cut at once, without the rest of its body, and leaves nothing', async (_, revoke) => {
    const node = await startUpdateNode();
    const socket = await halfWay(node);
    await revoke(node);
    const answer = await received(socket);
    expect([statusOf(answer), bodyOf(answer)['error']]).toEqual([401, 'ota_locked']);
    expect([node.slots.next, node.slots.writing, node.boot.restarts]).toEqual([undefined, false, 0]);
    await node.send('PUT', '/update', { updateKey: UPDATE_KEY }, { Authorization: 'Bearer another-key-0123456789' });
    expect((await node.upload(image)).status).toBe(200);
  });

  it('is erased after the last byte, before the switch, is not installed', async () => {
    const node = await startUpdateNode();
    const socket = await halfWay(node);
    const { settings } = node.kernel;
    // The key goes while the bytes are read back, without a word to anybody.
    node.slots.before = async (step) => {
      if (step !== 'read') return;
      await settings.update((draft) => {
        delete draft.updateKey;
      });
    };
    socket.write(image.subarray(half));
    const answer = await received(socket);
    expect([statusOf(answer), bodyOf(answer)['error'], node.slots.next]).toEqual([401, 'ota_locked', undefined]);
  });

  it('stays is installed, whatever becomes of the other key and the mode', async () => {
    const node = await startUpdateNode();
    const socket = await halfWay(node);
    await node.kernel.config.patch({ apiKey: API_KEY, apiMode: 'strict' });
    socket.write(image.subarray(half));
    expect(statusOf(await received(socket))).toBe(200);
  });
});
