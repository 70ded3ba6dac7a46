/** A second factor: codes of an app, by RFC 6238 with the parameters that all apps have (SHA-1, 30 s, six digits). */
import { HOTP, Secret, TOTP } from 'otpauth';

const ISSUER = 'tillnode fleet';
const APP = { algorithm: 'SHA1', digits: 6, period: 30 };
/** Clocks differ: the steps on either side of this one count as well. */
const WINDOW = 1;
/** As long as the digest (RFC 4226, 4, R6 recommends 160 bits). */
const SECRET_BYTES = 20;

/** A new secret, in base32 (RFC 4648) as apps take it: 32 characters. */
export const newSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

/**
 * The step of 30 seconds since 1970 that a code is of: this one, or one beside it, as clocks differ; later than `after`, so that no code
 * counts twice. `at`: in milliseconds since 1970. Undefined where it is of none.
 */
export function stepOf(secret: string, code: string, at: number, after: number): number | undefined {
  const now = TOTP.counter({ period: APP.period, timestamp: at });
  const { algorithm, digits } = APP;
  const asked = { token: code, secret: Secret.fromBase32(secret), algorithm, digits, counter: now, window: WINDOW };
  const delta = HOTP.validate(asked);
  const step = delta === null ? undefined : now + delta;
  return step !== undefined && step > after ? step : undefined;
}

/** What an app reads from a QR code (Key Uri Format of the apps). */
export const uriOf = (secret: string, name: string): string =>
  new TOTP({ ...APP, issuer: ISSUER, label: name, secret }).toString();
