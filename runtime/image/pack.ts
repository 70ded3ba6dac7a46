/** Packs and unpacks image files in memory, for the build and the command line. (A node reads images as a stream.) */
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  encodeHeader,
  encodeManifest,
  HEADER_BYTES,
  ImageFault,
  type ImageHeader,
  isSigned,
  manifestOffset,
  type PlacedFile,
  parseHeader,
  parseManifest,
  SIGNATURE_BYTES,
  signDigest,
} from './format.ts';

/** A file to pack. */
export interface FileToPack {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
const sha256 = (bytes: Uint8Array) => hash(bytes).toString('hex');
const signed = (bytes: Uint8Array, key: KeyObject) => Buffer.concat([bytes, signDigest(hash(bytes), key)]);

/** Makes a signed image file. The order of `contents` does not matter. Throws an ImageFault if a field is invalid. */
export function pack(
  { type = 'node', variant, version, floor }: Pick<ImageHeader, 'variant' | 'version' | 'floor'> & Partial<ImageHeader>,
  contents: readonly FileToPack[],
  key: KeyObject,
): Buffer {
  const sorted = [...contents].sort((a, b) => (a.name < b.name ? -1 : 1));
  const manifest = encodeManifest(
    sorted.map(({ name, bytes }) => ({ name, size: bytes.length, sha256: sha256(bytes) })),
  );
  const size = sorted.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const length = HEADER_BYTES + size + manifest.length + SIGNATURE_BYTES;
  const header = encodeHeader({ type, variant, version, floor, length, manifestLength: manifest.length });
  parseManifest(parseHeader(header), manifest);
  return signed(Buffer.concat([header, ...sorted.map(({ bytes }) => bytes), manifest]), key);
}

/** An image file whose header, manifest and digests are valid. */
export interface Unpacked {
  readonly header: ImageHeader;
  readonly files: readonly PlacedFile[];
  /** SHA-256 of the whole file, as in the header field X-NODE-Image-Sha256. */
  readonly digest: string;
  /** Whether the signature is valid with one of these raw public keys in base64. */
  signedBy(keys: readonly string[]): boolean;
}

/** Verifies header, manifest and digests of an image. Throws an ImageFault. It does not check the signature. */
export function unpack(image: Uint8Array): Unpacked {
  const header = parseHeader(image.subarray(0, HEADER_BYTES));
  if (header.length !== image.length) throw new ImageFault(`${image.length} of ${header.length} bytes are there`);
  const at = manifestOffset(header);
  const manifest = image.subarray(at, at + header.manifestLength);
  const files = parseManifest(header, manifest);
  for (const { name, offset, size, sha256: expected } of files) {
    if (sha256(image.subarray(offset, offset + size)) !== expected) throw new ImageFault(`${name} was changed`);
  }
  return {
    header,
    files,
    digest: sha256(image),
    signedBy: (keys) => isSigned(hash(image.subarray(0, -SIGNATURE_BYTES)), image.subarray(-SIGNATURE_BYTES), keys),
  };
}

/** The same image with a signature by another key. Throws an ImageFault. */
export function resign(image: Uint8Array, key: KeyObject): Buffer {
  unpack(image);
  return signed(image.subarray(0, -SIGNATURE_BYTES), key);
}

/** Reads an Ed25519 private key from a PEM file (PKCS #8). Throws if it is missing or another kind of key. */
export function readKey(path: string): KeyObject {
  const key = createPrivateKey(readFileSync(path));
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${path} is not an Ed25519 key`);
  return key;
}

/** The private key of development builds on this computer; generated if missing. Releases do not trust it. */
export function developmentKey(path: string): KeyObject {
  try {
    return readKey(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const pem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' });
  mkdirSync(dirname(path), { recursive: true });
  try {
    writeFileSync(path, pem, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    // Another build generated it at the same time.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readKey(path);
}
