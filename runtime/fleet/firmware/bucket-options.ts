/** Where the bucket of images is, and with what it is asked, as the command line and the environment say it. */
import { isLoopback } from '../../base/loopback.ts';

/** A bucket of S3's API, and the key to it. */
export interface BucketOptions {
  /** `https://host/bucket` or `https://bucket.host`, without a slash at its end. Objects are at `<url>/firmware/<sha256>`. */
  readonly url: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** '' for a key that needs none. */
  readonly sessionToken: string;
  /** '' where the host says it, as Amazon's do, or nobody looks at it. */
  readonly region: string;
}

/** What each variable of the environment may be; the message never has what it is. */
const VARIABLES = {
  AWS_ACCESS_KEY_ID: [/^[!-+\-.0-~]{1,256}$/, 'the id of a key for the bucket: visible ASCII without comma and slash'],
  AWS_SECRET_ACCESS_KEY: [/^[!-~]{1,256}$/, 'the secret of that key: visible ASCII'],
  AWS_SESSION_TOKEN: [/^[!-~]{0,8192}$/, 'the token of a session: visible ASCII'],
  AWS_REGION: [/^[A-Za-z0-9_-]{0,64}$/, 'a region, such as eu-central-1'],
} as const;

/**
 * The bucket; undefined where none is named. `named`: `--bucket`, or FLEET_BUCKET. Throws an Error that names the variable which is
 * missing or no such thing.
 */
export function bucketOf(named: string, env: Readonly<Record<string, string | undefined>>): BucketOptions | undefined {
  if (named === '') return undefined;
  const url = urlOf(named);
  const [accessKeyId, secretAccessKey, sessionToken, region] = (
    Object.keys(VARIABLES) as (keyof typeof VARIABLES)[]
  ).map((name) => {
    const [shape, what] = VARIABLES[name];
    const value = env[name] ?? '';
    // What handed it on did not put its value there.
    if (!shape.test(value) || value.startsWith('$')) throw new Error(`${name} is needed with a bucket as ${what}`);
    return value;
  }) as [string, string, string, string];
  return { url, accessKeyId, secretAccessKey, sessionToken, region };
}

function urlOf(named: string): string {
  const url = URL.canParse(named) ? new URL(named) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (url === undefined || !isSafe)
    throw new Error('FLEET_BUCKET (--bucket) is not the https:// URL of a bucket (http:// only on this machine)');
  if (url.username !== '' || url.password !== '' || /[?#]/.test(named))
    throw new Error('FLEET_BUCKET (--bucket) has a user, a password, a query or a fragment; keys are in AWS_…');
  // What is signed and what is sent are the same bytes, whoever encodes.
  if (!/^[A-Za-z0-9._/-]*$/.test(url.pathname) || url.pathname.includes('//'))
    throw new Error('FLEET_BUCKET (--bucket) has other characters in its path than letters, digits and . _ / -');
  return url.href.replace(/\/$/, '');
}
