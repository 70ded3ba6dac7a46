/** An image in pieces, as a network brings it. */
import { describe, expect, it } from 'vitest';
import { VirtualSlots } from '../../../runtime/bindings/virtual/boot.ts';
import { HEADER_BYTES, rawPublicKey } from '../../../runtime/image/format.ts';
import { takeIn } from '../../../runtime/services/update/intake.ts';
import { FLOOR, key, makeImage, sha256 } from '../../made-images.ts';

const image = makeImage({ bytes: 10 });

async function* pieces(size: number) {
  for (let at = 0; at < image.length; at += size) yield image.subarray(at, at + size);
}
function take(size: number, length = image.length) {
  const slots = new VirtualSlots();
  const node = { variant: 'twin', trustedKeys: [rawPublicKey(key)], securityFloor: FLOOR };
  const incoming = { length, sha256: sha256(image), anyVariant: false, chunks: pieces(size) };
  const taken = takeIn(incoming, { image: node, slots, system: undefined, onReceived: () => {} });
  return { slots, taken };
}

describe('an image in pieces', () => {
  it.each([1, 7, HEADER_BYTES - 1, HEADER_BYTES, HEADER_BYTES + 1, image.length])(
    'of %i bytes each is taken',
    async (size) => {
      const { slots, taken } = take(size);
      expect((await taken).variant).toBe('twin');
      expect([slots.written, slots.next === undefined]).toEqual([image.length, false]);
    },
  );

  it('that are more than was said is refused, and the refusal says how many came by then', async () => {
    const { slots, taken } = take(100, 250);
    await expect(taken).rejects.toMatchObject({ code: 'invalid_body', detail: '300 of 250 bytes arrived' });
    expect(slots.next).toBeUndefined();
  });
});
