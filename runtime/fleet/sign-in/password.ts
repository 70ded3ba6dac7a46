/** Local passwords: kept as their scrypt hashes (RFC 7914). */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { Busy } from '../http/errors.ts';

/** What a hash costs whoever guesses: the parameters of scrypt. */
export interface PasswordCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** 32 MiB for each computation; one of the settings of the OWASP Password Storage Cheat Sheet. */
export const PASSWORD_COST: PasswordCost = { N: 2 ** 15, r: 8, p: 3 };
const MAX_BYTES = 64 * 1024 * 1024;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
/** Computations that wait for their turn at most. */
const WAITING = 8;

let last: Promise<unknown> = Promise.resolve();
let waiting = 0;

/** One computation at a time, so that sign-ins take neither the memory nor the processors of heartbeats. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (waiting >= WAITING) throw new Busy();
  waiting += 1;
  const result = last.then(work);
  last = result.catch(() => {});
  try {
    return await result;
  } finally {
    waiting -= 1;
  }
}

const derive = (password: string, salt: Uint8Array, cost: ScryptOptions): Promise<Buffer> =>
  inTurn(
    () =>
      new Promise((resolve, reject) =>
        // Two keyboards may write one character in two ways (Unicode Standard Annex 15).
        scrypt(password.normalize('NFKC'), salt, KEY_BYTES, { ...cost, maxmem: MAX_BYTES }, (error, key) =>
          error === null ? resolve(key) : reject(error),
        ),
      ),
  );

/** The hash of a password, with its salt and cost: `scrypt$N$r$p$salt$key`. Throws Busy where too many are computed. */
export async function hashOf(password: string, cost = PASSWORD_COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await derive(password, salt, cost);
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/** Whether it is the password of this hash. Throws Busy. */
export async function isPassword(password: string, hash: string): Promise<boolean> {
  const [, N, r, p, salt = '', key = ''] = hash.split('$');
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  return timingSafeEqual(await derive(password, Buffer.from(salt, 'base64url'), cost), Buffer.from(key, 'base64url'));
}
