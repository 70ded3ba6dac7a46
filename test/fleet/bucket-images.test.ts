/** A fleet whose images are in a bucket: what is uploaded, what other processes serve, and what goes on while the bucket is away. */
import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { Bucket } from '../../runtime/fleet/firmware/bucket.ts';
import { fillBucket } from '../../runtime/fleet/firmware/fill.ts';
import { Images } from '../../runtime/fleet/firmware/images.ts';
import { KnownImages } from '../../runtime/fleet/firmware/known.ts';
import { FLOOR, makeImage, sha256 } from '../made-images.ts';
import { until } from '../node.ts';
import { databases, EITHER, fleetOn, folder, heartbeat, type RunningFleet } from './fleet.ts';
import { begin, IMAGE, node, upload } from './rollout.ts';
import { startS3 } from './s3.ts';

const SHA256 = sha256(IMAGE);
const KEY = `/images/firmware/${SHA256}`;
const path = (fleet: RunningFleet) => `${fleet.url}/firmware/${SHA256}`;

/** What a download is answered with. */
async function got(fleet: RunningFleet, headers: Record<string, string> = {}) {
  const response = await fetch(path(fleet), { headers });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, again: Number(response.headers.get('retry-after')), bytes };
}
const isServed = async (fleet: RunningFleet) => (await got(fleet)).bytes.equals(IMAGE);
const failuresOf = async (fleet: RunningFleet) =>
  Number(/^tillnode_fleet_process_bucket_failures_total (\d+)$/m.exec((await fleet.call('GET', '/metrics')).body)?.[1]);

describe.each(EITHER)('on %s', (engine) => {
  const database = databases(engine);

  it('what one process took is in the bucket, and another one with an empty folder gets it from there once, for all who ask', async () => {
    const [where, s3] = [await database(), await startS3()];
    const first = await fleetOn(where, { images: folder(), bucket: s3.options });
    expect((await upload(first)).status).toBe(200);
    const { bytes, cacheControl } = s3.objects.get(KEY) ?? expect.fail();
    expect([bytes.equals(IMAGE), cacheControl]).toEqual([true, 'public, max-age=31536000, immutable']);
    await first.stop();
    const images = folder();
    const second = await fleetOn(where, { images, bucket: s3.options });
    let goOn = () => {};
    s3.waits = new Promise((resolve) => {
      goOn = resolve;
    });
    const early = await Promise.all(Array.from({ length: 4 }, () => got(second)));
    expect(new Set(early.map(({ status }) => status))).toEqual(new Set([503]));
    for (const { again } of early) expect(again).toBeGreaterThanOrEqual(1);
    goOn();
    await until(() => isServed(second));
    const part = await got(second, { Range: 'bytes=262000-' });
    expect([part.status, part.bytes.equals(IMAGE.subarray(262_000))]).toEqual([206, true]);
    expect(s3.asked.filter(({ method }) => method === 'GET')).toHaveLength(1);
    expect(readdirSync(images)).toEqual([SHA256]);
    // A node that is pointed to the bucket asks for the key as it is.
    await second.call('PUT', '/api/settings', { firmware: { origin: s3.url } });
    await second.beat(heartbeat({ node: 'a' }));
    await begin(second, { groups: ['100%'] });
    expect((await node(second, 'a').offer()).body.url).toBe(new URL(KEY, s3.url).href);
  });

  it('while the bucket hangs what is in the folder is sent, heartbeats are taken, and an upload is told to come again', async () => {
    const [where, s3] = [await database(), await startS3()];
    const images = folder();
    const before = await fleetOn(where, { images, bucket: s3.options });
    await upload(before);
    await before.stop();
    s3.fault = () => ({ hangs: true });
    const fleet = await fleetOn(where, { images, bucket: s3.options, report: () => {} });
    const newer = makeImage({ variant: 'wifi', version: '0.3.0' });
    const late = upload(fleet, newer);
    await until(() => s3.asked.some(({ path }) => path.endsWith(sha256(newer))));
    expect(await isServed(fleet)).toBe(true);
    expect((await fleet.beat(heartbeat())).status).toBe(204);
    expect((await fleet.call('GET', '/api/releases')).body.releases).toHaveLength(1);
    s3.fault = () => ({ status: 500, code: 'InternalError' });
    s3.release();
    const { status, body, headers } = await late;
    expect([status, body]).toMatchObject([503, { error: 'busy' }]);
    expect(body.detail).toBe('the bucket of images answered 500 (InternalError)');
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await fleet.call('GET', '/api/releases')).body.releases).toHaveLength(1);
    expect(readdirSync(images)).toEqual([SHA256]);
    expect(s3.asked.some(({ method, path }) => method === 'GET' && path === KEY)).toBe(false);
    s3.fault = undefined;
    expect((await upload(fleet, newer)).status).toBe(200);
    expect(s3.objects.size).toBe(2);
  });

  it('what the bucket does not have as it was is sent to nobody; heartbeats are taken, and it is had once it is right', async () => {
    const [where, s3] = [await database(), await startS3()];
    const first = await fleetOn(where, { images: folder(), bucket: s3.options });
    await upload(first);
    await first.stop();
    const [images, faults] = [folder(), [] as string[]];
    const bucket = { ...s3.options };
    const fleet = await fleetOn(where, { images, bucket, report: ({ message }) => void faults.push(message) });
    s3.fault = () => ({ corrupts: true });
    expect((await got(fleet)).status).toBe(503);
    await until(() => faults.length > 0);
    expect(faults).toEqual([`the bucket of images has other bytes as ${SHA256}`]);
    const asked = s3.asked.length;
    const { status, again, bytes } = await got(fleet);
    expect([status, JSON.parse(bytes.toString()).detail]).toEqual([503, expect.stringContaining('cannot be had')]);
    expect(again).toBeGreaterThanOrEqual(1);
    expect((await fleet.beat(heartbeat())).status).toBe(204);
    expect([readdirSync(images), s3.asked.length, await failuresOf(fleet)]).toEqual([[], asked, 1]);
    s3.fault = undefined;
    await until(() => isServed(fleet));
  });

  it('who asks for what no release has makes the fleet ask the bucket for nothing', async () => {
    const [where, s3] = [await database(), await startS3()];
    const fleet = await fleetOn(where, { images: folder(), bucket: s3.options });
    s3.objects.set(KEY, { bytes: IMAGE, cacheControl: undefined, type: undefined });
    const paths = [SHA256, '0'.repeat(64), 'upload-x', '..%2fsettings', SHA256.toUpperCase()];
    const answers = await Promise.all(
      paths.map(async (name) => (await fetch(`${fleet.url}/firmware/${name}`, { method: 'HEAD' })).status),
    );
    expect(answers).toEqual(paths.map(() => 404));
    expect((await got(fleet)).status).toBe(404);
    expect(s3.asked).toEqual([]);
  });

  it('what is of no release is sent to nobody, and nobody is told whether it is on the disk', async () => {
    const images = folder();
    const fleet = await fleetOn(await database(), { images });
    writeFileSync(join(images, SHA256), IMAGE);
    for (const method of ['GET', 'HEAD']) expect((await fetch(path(fleet), { method })).status).toBe(404);
    expect((await upload(fleet)).status).toBe(200);
    expect((await fetch(path(fleet), { method: 'HEAD' })).status).toBe(200);
  });

  it('what is left of uploads that broke off goes from the folder of each process', async () => {
    const [where, s3] = [await database(), await startS3()];
    const folders = [folder(), folder()];
    const yesterday = new Date(Date.now() - 25 * 3_600_000);
    for (const images of folders) {
      writeFileSync(join(images, 'upload-a'), '');
      utimesSync(join(images, 'upload-a'), yesterday, yesterday);
      await fleetOn(where, { images, bucket: s3.options });
    }
    await until(() => folders.every((images) => readdirSync(images).length === 0));
  });

  it('two images come from the bucket at a time, and the next one when one of them is there', async () => {
    const [where, s3] = [await database(), await startS3()];
    const first = await fleetOn(where, { images: folder(), bucket: s3.options });
    const digests: string[] = [];
    for (const version of ['0.3.0', '0.4.0', '0.5.0'])
      digests.push((await upload(first, makeImage({ variant: 'wifi', version }))).body.sha256);
    await first.stop();
    const fleet = await fleetOn(where, { images: folder(), bucket: s3.options });
    let goOn = () => {};
    s3.waits = new Promise((resolve) => {
      goOn = resolve;
    });
    const ask = () => Promise.all(digests.map(async (each) => (await fetch(`${fleet.url}/firmware/${each}`)).status));
    const gets = () => s3.asked.filter(({ method }) => method === 'GET').length;
    expect(await ask()).toEqual([503, 503, 503]);
    await until(() => gets() === 2);
    expect(await ask()).toEqual([503, 503, 503]);
    expect(gets()).toBe(2);
    goOn();
    await until(ask, (all) => all.every((status) => status === 200));
    expect(gets()).toBe(3);
  });

  it('who may upload no more when the bucket has taken his image has made no release', async () => {
    const [where, s3] = [await database(), await startS3()];
    const fleet = await fleetOn(where, { images: folder(), bucket: s3.options });
    const { body: made } = await fleet.call('POST', '/api/tokens', { name: 'ci', scope: 'release', days: 1 });
    let goOn = () => {};
    s3.waits = new Promise((resolve) => {
      goOn = resolve;
    });
    const late = fleet.call('POST', '/api/releases', IMAGE, { Authorization: `Bearer ${made.token}` });
    await until(() => s3.asked.length === 1);
    expect((await fleet.call('DELETE', `/api/tokens/${made.id}`)).status).toBe(204);
    goOn();
    expect((await late).status).toBe(401);
    expect((await fleet.call('GET', '/api/releases')).body.releases).toEqual([]);
  });

  it('an image that is refused is not put into the bucket', async () => {
    const [where, s3] = [await database(), await startS3()];
    const fleet = await fleetOn(where, { images: folder(), bucket: s3.options });
    await upload(fleet);
    const image = (version: string, floor = FLOOR) => makeImage({ variant: 'wifi', version, floor });
    const unsigned = image('0.4.0');
    unsigned.writeUInt8((unsigned.at(-1) ?? 0) ^ 1, unsigned.length - 1);
    for (const [refused, status] of [
      [image('0.2.0'), 409],
      [image('0.3.0', FLOOR - 1), 422],
      [image('0.4.0-rc.1'), 422],
      [unsigned, 422],
    ] as const)
      expect((await upload(fleet, refused)).status).toBe(status);
    expect([...s3.objects.keys()]).toEqual([KEY]);
  });

  it('images that were there before the bucket go into it by themselves, and once', async () => {
    const [where, s3, images] = [await database(), await startS3(), folder()];
    const before = await fleetOn(where, { images });
    await upload(before);
    await before.stop();
    const fleet = await fleetOn(where, { images, bucket: s3.options });
    await until(() => s3.objects.has(KEY));
    await fleet.stop();
    const asked = s3.asked.length;
    await fleetOn(where, { images, bucket: s3.options });
    await until(() => s3.asked.length > asked);
    expect(s3.asked.map(({ method }) => method)).toEqual(['HEAD', 'PUT', 'HEAD']);
  });

  it('images that were there before a bucket that is away go into it when it is back', async () => {
    const [where, s3, images] = [await database(), await startS3(), folder()];
    const before = await fleetOn(where, { images });
    await upload(before);
    await before.stop();
    const bucket = new Bucket(s3.options, () => false);
    const on = await openDatabase(where);
    onTestFinished(() => on.close());
    const faults: Error[] = [];
    s3.fault = () => ({ status: 403, code: 'AccessDenied' });
    const told = (error: Error) => {
      faults.push(error);
      if (faults.length === 2) s3.fault = undefined;
    };
    // One without them in its folder has nothing to put.
    await fillBucket(on, new Images(folder(), bucket), bucket, told, 1);
    expect([s3.asked, faults]).toEqual([[], []]);
    await fillBucket(on, new Images(images, bucket), bucket, told, 1);
    expect([s3.objects.has(KEY), faults.length]).toEqual([true, 2]);
    expect(faults[0]?.message).toContain('the bucket of images answered 403 (AccessDenied)');
  });
});

it('whatever strangers ask for, the database is asked for all releases once a second, and none of them keeps anybody from an image', async () => {
  const release = { sha256: SHA256, length: IMAGE.length };
  let questions = 0;
  const database = {
    async query<Row>(): Promise<Row[]> {
      questions += 1;
      return (questions < 3 ? [] : [release]) as Row[];
    },
  };
  const known = new KnownImages(database);
  const ask = (many: number) =>
    Promise.all(Array.from({ length: many }, (_, at) => known.find(sha256(Buffer.from(String(at))))));
  expect([await known.find('upload-x'), questions]).toEqual([undefined, 0]);
  expect(new Set(await ask(300))).toEqual(new Set([undefined]));
  const from = performance.now();
  expect(new Set(await ask(3000))).toEqual(new Set([undefined]));
  expect(performance.now() - from).toBeGreaterThan(500);
  const strange = ask(3000);
  expect([await known.find(SHA256), questions]).toEqual([release, 3]);
  await strange;
  // What is known needs no question, also while strangers wait for one.
  const more = ask(300);
  expect([await known.find(SHA256), questions]).toEqual([release, 3]);
  await more;
});
