/**
 * The image file that POST /update accepts: a fixed header, the files one after the other, a manifest with a digest of
 * each, and an Ed25519 signature (RFC 8032) of the SHA-256 of all bytes before it, so that the digests can be computed
 * while the file is received. It is not an archive with paths: names are checked, sizes must add up exactly, and the
 * same content always makes the same file.
 *
 *   0    8  magic: "TILLNODE" an image of the node; "TILLDISK" a system bundle, of all that a disk starts with
 *   8    4  format version, 1              (integers are unsigned, big-endian)
 *   12   4  security floor
 *   16   8  length of the whole file
 *   24   4  length of the manifest
 *   28   36 zero
 *   64   32 variant, zero-padded ASCII
 *   96   32 version, zero-padded ASCII
 *   128     content: the files in the order of the manifest
 *           manifest: {"files":[{"name":…,"size":…,"sha256":…},…]}
 *           signature, 64 bytes
 */
import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/** Size of the header. */
export const HEADER_BYTES = 128;
/** Size of an Ed25519 signature. */
export const SIGNATURE_BYTES = 64;
/** Largest image of the node that is accepted. */
export const MAX_IMAGE_BYTES = 64 * 1024 * 1024;
/** Largest system bundle that is accepted: it is received in a root partition (runtime/disk). */
export const MAX_SYSTEM_BYTES = 256 * 1024 * 1024;
/** What an image file brings: `node`, or `system` with kernel, root and factory image of a disk. */
export type ImageType = 'node' | 'system';
const MAX_MANIFEST_BYTES = 64 * 1024;
const MAX_FILES = 64;
const TYPES: Readonly<Record<ImageType, { readonly magic: Buffer; readonly maxBytes: number }>> = {
  node: { magic: Buffer.from('TILLNODE'), maxBytes: MAX_IMAGE_BYTES },
  system: { magic: Buffer.from('TILLDISK'), maxBytes: MAX_SYSTEM_BYTES },
};
const MAGIC_BYTES = 8;
const FORMAT = 1;
/** Offset and size of the two names in the header. */
const VARIANT = [64, 32] as const;
const VERSION = [96, 32] as const;

/** The fields of the header. */
export interface ImageHeader {
  readonly type: ImageType;
  readonly variant: string;
  /** Semantic version. */
  readonly version: string;
  /** Security floor: a node refuses an image whose floor is lower than its own. */
  readonly floor: number;
  /** Length of the whole file, in bytes. */
  readonly length: number;
  readonly manifestLength: number;
}

/** One entry of the manifest. */
export interface ImageFile {
  readonly name: string;
  readonly size: number;
  /** 64 hexadecimal digits. */
  readonly sha256: string;
}

/** A file and the offset of its bytes in the image. */
export type PlacedFile = ImageFile & { readonly offset: number };

/** The file is not a valid image; the message says why. */
export class ImageFault extends Error {}

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const VARIANT_NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;
const SEMVER = /^\d{1,5}\.\d{1,5}\.\d{1,5}(?:-[0-9A-Za-z.-]{1,16})?$/;

/** The header as bytes. Throws an ImageFault if `parseHeader` would refuse it or read other values. */
export function encodeHeader(asked: ImageHeader): Buffer {
  const { type, variant, version, floor, length, manifestLength } = asked;
  const header = Buffer.alloc(HEADER_BYTES);
  TYPES[type].magic.copy(header);
  header.writeUInt32BE(FORMAT, 8);
  header.writeUInt32BE(floor, 12);
  header.writeBigUInt64BE(BigInt(length), 16);
  header.writeUInt32BE(manifestLength, 24);
  header.write(variant, VARIANT[0], 'latin1');
  header.write(version, VERSION[0], 'latin1');
  const read = parseHeader(header);
  if (read.variant !== variant || read.version !== version) throw new ImageFault('a name is too long');
  return header;
}

/** Parses the first 128 bytes of a file. Throws an ImageFault. The rest of the file is not verified by this. */
export function parseHeader(bytes: Uint8Array): ImageHeader {
  const header = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const type = (Object.keys(TYPES) as ImageType[]).find((name) =>
    TYPES[name].magic.equals(header.subarray(0, MAGIC_BYTES)),
  );
  if (header.length !== HEADER_BYTES || type === undefined) {
    throw new ImageFault('not an image of this project');
  }
  if (header.readUInt32BE(8) !== FORMAT) throw new ImageFault(`image format ${header.readUInt32BE(8)} is not known`);
  const [variant, version] = [VARIANT, VERSION].map(([at, size]) => padded(header.subarray(at, at + size)));
  if (variant === undefined || !VARIANT_NAME.test(variant)) throw new ImageFault('the variant is not a name');
  if (version === undefined || !SEMVER.test(version)) throw new ImageFault('the version is not a semantic version');
  if (header.subarray(28, VARIANT[0]).some((byte) => byte !== 0)) throw new ImageFault('the header is not zero-padded');
  const length = Number(header.readBigUInt64BE(16));
  const manifestLength = header.readUInt32BE(24);
  const { maxBytes } = TYPES[type];
  if (length > maxBytes) throw new ImageFault(`longer than ${maxBytes} bytes`);
  if (manifestLength > MAX_MANIFEST_BYTES) throw new ImageFault('the manifest is too long');
  if (length < HEADER_BYTES + manifestLength + SIGNATURE_BYTES) throw new ImageFault('the lengths do not add up');
  return { type, variant, version, floor: header.readUInt32BE(12), length, manifestLength };
}

/** The text before the zero padding; undefined if the padding contains other bytes. */
function padded(field: Buffer): string | undefined {
  const end = field.indexOf(0);
  if (end === -1) return field.toString('latin1');
  return field.subarray(end).every((byte) => byte === 0) ? field.toString('latin1', 0, end) : undefined;
}

/** Offset of the manifest; the signature follows it and is the end of the file. */
export const manifestOffset = ({ length, manifestLength }: ImageHeader): number =>
  length - SIGNATURE_BYTES - manifestLength;

/** The manifest as bytes. */
export const encodeManifest = (files: readonly ImageFile[]): Buffer =>
  Buffer.from(JSON.stringify({ files: files.map(({ name, size, sha256 }) => ({ name, size, sha256 })) }));

/** Parses the manifest. Throws an ImageFault if a field is invalid or the files are not exactly the image's content. */
export function parseManifest(header: ImageHeader, bytes: Uint8Array): PlacedFile[] {
  let offset = HEADER_BYTES;
  const names = new Set<string>();
  const files = listed(bytes).map((entry): PlacedFile => {
    const { name, size, sha256 } = entry as Partial<ImageFile>;
    if (typeof name !== 'string' || !NAME.test(name) || names.has(name)) throw new ImageFault('a file name is refused');
    if (!Number.isSafeInteger(size) || (size as number) < 0) throw new ImageFault(`${name} has no size`);
    if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) throw new ImageFault(`${name} has no digest`);
    names.add(name);
    const placed = { name, size: size as number, sha256, offset };
    offset += placed.size;
    return placed;
  });
  if (offset !== manifestOffset(header)) throw new ImageFault('the sizes of the files do not add up');
  return files;
}

function listed(bytes: Uint8Array): unknown[] {
  let manifest: unknown;
  try {
    manifest = JSON.parse(Buffer.from(bytes).toString());
  } catch {
    throw new ImageFault('the manifest is not JSON');
  }
  const files = (manifest as { files?: unknown } | null)?.files;
  if (!Array.isArray(files) || files.length === 0 || files.length > MAX_FILES) {
    throw new ImageFault(`the manifest names no files, or more than ${MAX_FILES}`);
  }
  if (!encodeManifest(files.map((file) => Object(file) as ImageFile)).equals(bytes)) {
    throw new ImageFault('the manifest is not written as this project writes it');
  }
  return files;
}

/** The signature. `digest`: SHA-256 (32 bytes) of the whole file without its last 64 bytes. */
export const signDigest = (digest: Uint8Array, key: KeyObject): Buffer => sign(null, digest, key);

/** Whether the signature is valid with one of the keys, which are raw Ed25519 public keys in base64. */
export const isSigned = (digest: Uint8Array, signature: Uint8Array, keys: readonly string[]): boolean =>
  keys.some((key) => verify(null, digest, publicKeyOf(key), signature));

const publicKeyOf = (raw: string): KeyObject =>
  createPublicKey({
    format: 'jwk',
    key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(raw, 'base64').toString('base64url') },
  });

/** The public key of a key pair, raw and in base64, as variants in build.config.ts have it. */
export const rawPublicKey = (key: KeyObject): string =>
  Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64');
