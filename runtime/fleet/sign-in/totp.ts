/** A second factor: codes of an app, by RFC 6238 with the parameters that all apps have (SHA-1, 30 s, six digits). */
import { createHmac, randomBytes } from 'node:crypto';

const STEP_MS = 30_000;
const SECRET_BYTES = 20;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** A new secret, in base32 (RFC 4648) as apps take it: 32 characters. */
export function newSecret(): string {
  let bits = '';
  for (const byte of randomBytes(SECRET_BYTES)) bits += byte.toString(2).padStart(8, '0');
  return (bits.match(/.{5}/g) ?? []).map((five) => ALPHABET[Number.parseInt(five, 2)]).join('');
}

function bytesOf(secret: string): Buffer {
  const bits = [...secret].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)));
}

/** The code of a step of 30 seconds since 1970 (HOTP of RFC 4226, 5.3). */
export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', bytesOf(secret)).update(counter).digest();
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, '0');
}

/**
 * The step that a code is of: this one, or one beside it, as clocks differ; later than `after`, so that no code counts
 * twice. Undefined where it is of none.
 */
export function stepOf(secret: string, code: string, at: number, after: number): number | undefined {
  const now = Math.floor(at / STEP_MS);
  return [now - 1, now, now + 1].find((step) => step > after && totpCode(secret, step) === code);
}

/** What an app reads from a QR code (Key Uri Format of the apps). */
export const uriOf = (secret: string, name: string): string =>
  `otpauth://totp/${encodeURIComponent(`tillnode fleet:${name}`)}?secret=${secret}&issuer=${encodeURIComponent('tillnode fleet')}`;
