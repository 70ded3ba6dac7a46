/** The bucket of images: requests as S3 takes them, and what goes wrong with them. */
import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Bucket, BucketFault } from '../../runtime/fleet/firmware/bucket.ts';
import { bucketOf } from '../../runtime/fleet/firmware/bucket-options.ts';
import { writeWhole } from '../../runtime/fleet/firmware/whole.ts';
import { sha256 } from '../made-images.ts';
import { until } from '../node.ts';
import { folder } from './fleet.ts';
import { type Fault, faultOfSignature, type S3, startS3 } from './s3.ts';

const BYTES = randomBytes(300_000);
const IMAGE = { sha256: sha256(BYTES), length: BYTES.length };
const IDLE_MS = 300;

async function* pieces(bytes = BYTES) {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}
const bucketAt = (s3: S3, options = {}, idleMs = IDLE_MS) => {
  const bucket = new Bucket({ ...s3.options, ...options }, () => false, idleMs);
  onTestFinished(() => bucket.close());
  return bucket;
};
/** What a file has after it was fetched. */
async function fetched(bucket: Bucket, image = IMAGE): Promise<Buffer> {
  const file = await open(join(folder(), 'image'), 'wx+');
  try {
    await writeWhole(file, image, bucket);
    return await file.readFile();
  } finally {
    await file.close();
  }
}
const pathOf = (s3: S3) => `${new URL(s3.url).pathname.replace(/\/$/, '')}/firmware/${IMAGE.sha256}`;
/** One that has the image. */
async function filled(): Promise<S3> {
  const s3 = await startS3();
  s3.objects.set(pathOf(s3), { bytes: BYTES, cacheControl: undefined, type: undefined });
  return s3;
}
/** Has the server make these faults, one for each request with this method; then none. */
const inTurn = (s3: S3, method: string, ...faults: readonly (Fault | undefined)[]) => {
  const rest = [...faults];
  s3.fault = (asked) => (asked.method === method ? rest.shift() : undefined);
};

describe('the server that tests send to', () => {
  const secrets = new Map([['AKIAIOSFODNN7EXAMPLE', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY']]);
  const host = 'examplebucket.s3.amazonaws.com';
  const now = Date.UTC(2013, 4, 24);
  // Amazon S3, "Signature Calculations for the Authorization Header", its examples of GET and PUT.
  const get = {
    method: 'GET',
    target: '/test.txt',
    headers: {
      ...{ host, range: 'bytes=0-9', 'x-amz-date': '20130524T000000Z' },
      'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      authorization:
        'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    },
  };
  const put = {
    method: 'PUT',
    target: '/test%24file.text',
    headers: {
      ...{ host, date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-date': '20130524T000000Z' },
      'x-amz-content-sha256': '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
      authorization:
        'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class,Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    },
  };

  it('takes the examples of Amazon, and nothing that differs from them', () => {
    for (const each of [get, put]) {
      expect(faultOfSignature(each, secrets, now)).toBeUndefined();
      expect(faultOfSignature({ ...each, method: 'HEAD' }, secrets, now)).toBe('SignatureDoesNotMatch');
      expect(faultOfSignature({ ...each, target: '/other' }, secrets, now)).toBe('SignatureDoesNotMatch');
      expect(faultOfSignature(each, secrets, now + 16 * 60_000)).toBe('RequestTimeTooSkewed');
      const more = { ...each, headers: { ...each.headers, 'x-amz-acl': 'public-read' } };
      expect(faultOfSignature(more, secrets, now)).toBe('AccessDenied');
      expect(faultOfSignature(each, new Map(), now)).toBe('InvalidAccessKeyId');
    }
  });
});

it.each([
  ['a bucket in the path', {}],
  ['a bucket with a host of its own', { path: '' }],
  ['a folder of a bucket, and a key of a session', { path: '/shops.example/fleet_1/x', sessionToken: 'to/ken+of=1' }],
])('%s takes an image by its digest, to be kept for good, and gives it back', async (_what, options) => {
  const s3 = await startS3(options);
  const bucket = bucketAt(s3);
  expect(await bucket.has(IMAGE)).toBe(false);
  await bucket.put(IMAGE, pieces);
  const { bytes, ...fields } = s3.objects.get(pathOf(s3)) ?? expect.fail();
  expect(fields).toEqual({ cacheControl: 'public, max-age=31536000, immutable', type: 'application/octet-stream' });
  expect([s3.objects.size, bytes.equals(BYTES)]).toEqual([1, true]);
  expect(await bucket.has(IMAGE)).toBe(true);
  expect(await bucket.has({ ...IMAGE, length: 5 })).toBe(false);
  expect((await fetched(bucket)).equals(BYTES)).toBe(true);
  expect([s3.refused, bucket.failures]).toEqual([[], 0]);
});

it('a trouble that is over in a moment keeps no image from being stored', async () => {
  const s3 = await startS3();
  const bucket = bucketAt(s3);
  inTurn(s3, 'PUT', { resets: true }, { status: 503, code: 'SlowDown' });
  await bucket.put(IMAGE, pieces);
  expect([s3.asked.length, s3.objects.size, bucket.failures]).toEqual([3, 1, 2]);
});

it.each<[string, Fault, RegExp, number]>([
  ['is out of order', { status: 500, code: 'InternalError' }, /answered 500 \(InternalError\)$/, 3],
  ['refuses the key', { status: 403, code: 'AccessDenied' }, /answered 403 \(AccessDenied\)$/, 1],
  ['is not there', { status: 404, code: 'NoSuchBucket' }, /answered 404 \(NoSuchBucket\)$/, 1],
  ['is in another region', { status: 301, location: 'http://127.0.0.1:1/' }, /answered 301$/, 1],
  ['says no code', { status: 400, code: 'a <b>' }, /answered 400$/, 1],
  ['hangs', { hangs: true }, /did not answer for 0.3 s$/, 1],
])('a bucket that %s takes no image, and says so without a secret', async (_what, fault, says, times) => {
  const s3 = await startS3();
  s3.fault = () => fault;
  const bucket = bucketAt(s3);
  const error = await bucket.put(IMAGE, pieces).then(
    () => expect.fail(),
    (thrown: unknown) => thrown as Error,
  );
  expect(error).toBeInstanceOf(BucketFault);
  expect(error.message).toMatch(says);
  const { secretAccessKey, accessKeyId } = s3.options;
  for (const word of [secretAccessKey, accessKeyId, 'secret', 'Signature='])
    expect(`${error.message}${error.stack}${JSON.stringify(error)}`).not.toContain(word);
  expect([s3.asked.length, bucket.failures]).toEqual([times, times]);
});

it.each([
  ['another secret', { secretAccessKey: 'another' }, 0, 'SignatureDoesNotMatch'],
  ['an unknown key', { accessKeyId: 'UNKNOWN' }, 0, 'InvalidAccessKeyId'],
  ['another region', { region: 'eu-other-1' }, 0, 'AuthorizationHeaderMalformed'],
  ['a token of a session that is none', { sessionToken: 'none' }, 0, 'InvalidToken'],
  ['a clock that is wrong', {}, 20 * 60_000, 'RequestTimeTooSkewed'],
])('%s is refused by the bucket, with its code', async (_what, options, skewMs, code) => {
  const s3 = await startS3();
  s3.skewMs = skewMs;
  await expect(bucketAt(s3, options).put(IMAGE, pieces)).rejects.toThrow(`answered 403 (${code})`);
  expect(s3.objects.size).toBe(0);
});

it('other bytes than those of the digest are refused by the bucket', async () => {
  const s3 = await startS3();
  const sent = bucketAt(s3).put(IMAGE, () => pieces(randomBytes(BYTES.length)));
  await expect(sent).rejects.toThrow('answered 400 (XAmzContentSHA256Mismatch)');
});

it('what breaks off goes on where it was, as often as it comes further', async () => {
  const s3 = await filled();
  const cut = (sends: number): Fault => ({ sends, ends: 'cut' });
  inTurn(s3, 'GET', cut(100_000), cut(50_000), { resets: true }, { sends: 1000, ends: 'silence' });
  const bucket = bucketAt(s3);
  expect((await fetched(bucket)).equals(BYTES)).toBe(true);
  const [first, ...rest] = s3.asked.map(({ range }) => Number(/^bytes=(\d+)-$/.exec(range)?.[1] ?? 0));
  expect(first).toBe(0);
  // It may not have got all that was sent.
  expect(rest).toHaveLength(4);
  expect(rest[0]).toBeGreaterThan(0);
  expect(rest).toEqual([...rest].sort((a, b) => a - b));
  expect(bucket.failures).toBe(4);
});

it('a server without ranges sends all of it again, and the file has it once', async () => {
  const s3 = await filled();
  inTurn(s3, 'GET', { sends: 100_000, ends: 'cut' }, { ignoresRanges: true });
  expect((await fetched(bucketAt(s3))).equals(BYTES)).toBe(true);
});

it.each<[string, Fault, RegExp, number]>([
  ['has other bytes', { corrupts: true }, /has other bytes as [0-9a-f]{64}$/, 1],
  ['has a byte more', { tells: BYTES.length + 1 }, /does not have the 300000 bytes/, 1],
  ['has a byte less', { tells: BYTES.length - 1 }, /does not have the 300000 bytes/, 1],
  ['breaks off at once, again and again', { sends: 0, ends: 'cut' }, /cannot be reached: /, 3],
  ['sends a head and no more', { sends: 0, ends: 'silence' }, /did not answer for 0.3 s$/, 1],
  ['redirects', { status: 307, location: 'http://127.0.0.1:1/' }, /answered 307$/, 1],
  ['is out of order', { status: 502 }, /answered 502 \(Fault\)$/, 3],
])('an object is no image where the bucket %s', async (_what, fault, says, times) => {
  const s3 = await filled();
  s3.fault = () => fault;
  const bucket = bucketAt(s3);
  await expect(fetched(bucket)).rejects.toThrow(says);
  expect([s3.asked.length, bucket.failures]).toEqual([times, times]);
});

it.each<[string, Fault, string]>([
  ['is of an object of another length', { tells: BYTES.length + 1 }, 'does not have the 300000 bytes'],
  ['begins elsewhere', { skips: 1 }, 'does not have the 300000 bytes'],
  ['goes on behind the end', { adds: 1 }, 'has more than the 300000 bytes'],
  ['ends before the end', { adds: -1 }, 'broke off'],
])('a part that %s is not taken for whole', async (_what, fault, says) => {
  const s3 = await filled();
  s3.fault = () => fault;
  const bucket = bucketAt(s3);
  const read = async () => {
    for await (const { at } of bucket.read(IMAGE, 100_000)) expect(at).toBeGreaterThanOrEqual(100_000);
  };
  await expect(read()).rejects.toThrow(says);
  s3.fault = undefined;
  await read();
});

it('what is slow, and moves, is not broken off', async () => {
  const s3 = await filled();
  s3.fault = ({ method }) => (method === 'GET' ? { parts: 12, everyMs: IDLE_MS / 4 } : undefined);
  const bucket = bucketAt(s3);
  expect((await fetched(bucket)).equals(BYTES)).toBe(true);
  await bucket.put(IMAGE, async function* () {
    for (let at = 0; at < BYTES.length; at += 25_000) {
      await delay(IDLE_MS / 4);
      yield BYTES.subarray(at, at + 25_000);
    }
  });
  expect([s3.asked.length, bucket.failures]).toEqual([2, 0]);
});

it('what is under way breaks off where the bucket is closed, and is not tried again', async () => {
  const s3 = await filled();
  s3.fault = () => ({ hangs: true });
  const bucket = bucketAt(s3, {}, 60_000);
  const under = [fetched(bucket), bucket.put(IMAGE, pieces), bucket.has(IMAGE)].map((each) =>
    each.then(
      () => 'done',
      () => 'broken off',
    ),
  );
  await until(() => s3.asked.length === 3);
  bucket.close();
  expect(await Promise.all(under)).toEqual(['broken off', 'broken off', 'broken off']);
  await expect(bucket.has(IMAGE)).rejects.toThrow(BucketFault);
  expect(s3.asked).toHaveLength(3);
});

it('nothing more of an image is read for a bucket that has refused it', async () => {
  const s3 = await startS3();
  s3.fault = () => ({ status: 403, code: 'AccessDenied' });
  let isOver = false;
  const sent = bucketAt(s3, {}, 60_000).put({ ...IMAGE, length: 2 ** 30 }, async function* () {
    try {
      for (;;) yield Buffer.alloc(65_536);
    } finally {
      isOver = true;
    }
  });
  await expect(sent).rejects.toThrow('answered 403 (AccessDenied)');
  await until(() => isOver);
});

it('an image that is sent takes a few of its pieces from the disk at a time', async () => {
  const s3 = await startS3();
  s3.fault = () => ({ hangs: true });
  let taken = 0;
  const large = { sha256: IMAGE.sha256, length: 256 * 2 ** 20 };
  const sent = bucketAt(s3).put(large, async function* () {
    for (; taken < large.length; taken += 65_536) yield Buffer.alloc(65_536);
  });
  await expect(sent).rejects.toThrow('did not answer');
  // What the sockets of the machine hold is not of the process.
  expect(taken).toBeLessThan(16 * 2 ** 20);
});

describe('the environment', () => {
  const env = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 's/e+c=' };

  it('names a bucket and the key to it', () => {
    expect(bucketOf('', {})).toBeUndefined();
    const more = { AWS_SESSION_TOKEN: 't', AWS_REGION: 'eu-central-1' };
    const key = { accessKeyId: 'id', secretAccessKey: 's/e+c=' };
    expect(bucketOf('https://S3.example:443/images/', { ...env, ...more })).toEqual({
      ...{ url: 'https://s3.example/images', ...key, sessionToken: 't', region: 'eu-central-1' },
    });
    for (const url of ['https://images.s3.example', 'http://127.0.0.1:9000/images', 'http://[::1]:9000/a.b_c-d'])
      expect(bucketOf(url, env)).toEqual({ url, ...key, sessionToken: '', region: '' });
  });

  it.each([
    ['no URL', 'images', {}, 'FLEET_BUCKET'],
    ['a URL of another kind', 's3://images', {}, 'FLEET_BUCKET'],
    ['plain HTTP across a network', 'http://minio:9000/images', {}, 'FLEET_BUCKET'],
    ['a password in the URL', 'https://id:pass-word@s3.example/images', {}, 'FLEET_BUCKET'],
    ['a query', 'https://s3.example/images?x', {}, 'FLEET_BUCKET'],
    ['a path that has to be encoded', 'https://s3.example/im%20ages', {}, 'FLEET_BUCKET'],
    ['a path with an empty part', 'https://s3.example//images', {}, 'FLEET_BUCKET'],
    ['no id', 'https://s3.example/images', { AWS_ACCESS_KEY_ID: undefined }, 'AWS_ACCESS_KEY_ID'],
    ['an id with a slash', 'https://s3.example/images', { AWS_ACCESS_KEY_ID: 'a/b' }, 'AWS_ACCESS_KEY_ID'],
    ['no secret', 'https://s3.example/images', { AWS_SECRET_ACCESS_KEY: '' }, 'AWS_SECRET_ACCESS_KEY'],
    ['a line break', 'https://s3.example/images', { AWS_SECRET_ACCESS_KEY: 'pass-word\n' }, 'AWS_SECRET_ACCESS_KEY'],
    ['the name of a variable', 'https://s3.example/images', { AWS_SECRET_ACCESS_KEY: '$S' }, 'AWS_SECRET_ACCESS_KEY'],
    ['a token with a space', 'https://s3.example/images', { AWS_SESSION_TOKEN: 'a b' }, 'AWS_SESSION_TOKEN'],
    ['a region that is none', 'https://s3.example/images', { AWS_REGION: 'eu/central' }, 'AWS_REGION'],
  ])('with %s is refused by a sentence that names the variable, and not what it is', (_what, url, more, name) => {
    const refused = () => bucketOf(url, { ...env, ...more });
    expect(refused).toThrow(new RegExp(`^${name} .{10,}`));
    expect(refused).not.toThrow('pass-word');
  });
});
