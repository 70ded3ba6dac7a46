/** Images that tests make, and who signs them. */
import { createHash, generateKeyPairSync } from 'node:crypto';
import { pack } from '../runtime/image/pack.ts';

export const FLOOR = 3;
export const key = generateKeyPairSync('ed25519').privateKey;
export const stranger = generateKeyPairSync('ed25519').privateKey;

/** Content that no compression or repetition could hide a mix-up in. */
const noise = (length: number) => {
  let state = 1;
  return Buffer.from(
    Array.from({ length }, () => {
      state = (Math.imul(state, 1103515245) + 12345) | 0;
      return (state >>> 16) & 0xff;
    }),
  );
};

export interface ImageOptions {
  readonly variant?: string;
  readonly version?: string;
  readonly floor?: number;
  readonly bytes?: number;
  readonly signedBy?: typeof key;
}

export const makeImage = ({
  variant = 'twin',
  version = '9.8.7',
  floor = FLOOR,
  bytes = 3000,
  signedBy = key,
}: ImageOptions = {}): Buffer =>
  pack(
    { variant, version, floor },
    [
      { name: 'main.js', bytes: noise(bytes) },
      { name: 'image.json', bytes: Buffer.from('{}\n') },
    ],
    signedBy,
  );

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
