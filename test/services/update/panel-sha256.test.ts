/** The page's own SHA-256 is the one of FIPS 180-4, however the bytes are cut. */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { Sha256 } from '../../../runtime/services/update/panel-sha256.ts';

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

it('gives the digest of every length around its blocks', () => {
  for (let length = 0; length <= 260; length += 1) {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 7 + length) & 0xff);
    expect(new Sha256().update(bytes).hex(), `${length} bytes`).toBe(digest(bytes));
  }
});

it('gives the same digest for the same bytes in pieces of any size', () => {
  const bytes = Uint8Array.from({ length: 100_003 }, (_, index) => (index * 31) & 0xff);
  for (const piece of [1, 63, 64, 65, 4096, 99_999]) {
    const hash = new Sha256();
    for (let at = 0; at < bytes.length; at += piece) hash.update(bytes.subarray(at, at + piece));
    expect(hash.hex(), `pieces of ${piece}`).toBe(digest(bytes));
  }
});
