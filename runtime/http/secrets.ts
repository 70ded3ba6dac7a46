/** What a request shows to be let in: the token in its field, and how a secret is compared. */
import { Buffer } from 'node:buffer';
import { timingSafeEqual } from 'node:crypto';

/** The token of `Authorization: Bearer …` (RFC 6750, 2.1); '' without one. */
export const bearerOf = (authorization = ''): string => /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? '';

/** Compares in a time that depends on what is shown alone: neither the length of the secret nor its bytes can be found by it. */
export function isSameSecret(shown: string, secret: string): boolean {
  const [one, other] = [Buffer.from(shown), Buffer.from(secret)];
  const isAsLong = one.length === other.length;
  return timingSafeEqual(one, isAsLong ? other : one) && isAsLong;
}
