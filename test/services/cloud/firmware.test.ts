import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { signatureOf } from '../../../runtime/http/delivery.ts';
import { Outbound } from '../../../runtime/http/outbound.ts';
import type { IncomingImage, UpdatePolicy } from '../../../runtime/image/updates.ts';
import { isNewer } from '../../../runtime/image/version.ts';
import { ApiError } from '../../../runtime/kernel/errors.ts';
import { Firmware } from '../../../runtime/services/cloud/firmware.ts';
import { answer, type Behaviour, hang, startReceiver } from '../../http/receiver.ts';
import { until } from '../../node.ts';
import { at, reply, routes, startCloudNode, TOKEN, updateRoom } from './node.ts';

const IMAGE = 'i'.repeat(5000);
const sha256 = createHash('sha256').update(IMAGE).digest('hex');
const OFFER = { version: '1.2.3', length: IMAGE.length, sha256, url: 'firmware/new.img' };

interface Taken extends Omit<IncomingImage, 'chunks'> {
  readonly text: string;
}

/** A node on which something else installs; with a policy it also looks by itself. */
async function start(offer: Behaviour, image: Behaviour = reply(200, IMAGE), policy: UpdatePolicy = 'off') {
  const cloud = await startReceiver(routes({ '/c/firmware': offer, '/c/firmware/new.img': image }));
  const taken: Taken[] = [];
  const refusal: { error?: ApiError } = {};
  const installer = updateRoom(async ({ chunks, ...rest }) => {
    if (refusal.error !== undefined) throw refusal.error;
    let text = '';
    for await (const chunk of chunks) text += Buffer.from(chunk).toString();
    taken.push({ ...rest, text });
    return { version: '1.2.3', variant: 'twin' };
  }, policy);
  const node = await startCloudNode({ also: [installer] });
  await node.call('PUT', '/cloud', { url: `${cloud.url}/c`, token: TOKEN });
  const source = () => node.kernel.offered('update')?.source.call() ?? expect.fail();
  return { cloud, node, taken, refusal, look: (apply: boolean) => source().look({ apply }) };
}

describe('a newer image', () => {
  it('is offered for the variant and version that ask, with the token', async () => {
    const { cloud, node, look, taken } = await start(reply(200, OFFER));
    expect(await look(false)).toBe('1.2.3');
    const request = cloud.received.find(at('/c/firmware')) ?? expect.fail();
    const { deviceId } = node.kernel.settings.read('identity') ?? expect.fail();
    expect([request.target, request.headers['authorization']]).toEqual([
      `/c/firmware?variant=twin&version=0.0.0-test&node=${deviceId}`,
      `Bearer ${TOKEN}`,
    ]);
    expect(taken).toEqual([]);
  });

  it('goes to where uploads go, byte for byte, with its version, length and digest', async () => {
    const { look, taken } = await start(reply(200, OFFER));
    expect(await look(true)).toBe('1.2.3');
    expect(taken).toEqual([{ version: '1.2.3', length: IMAGE.length, sha256, anyVariant: false, text: IMAGE }]);
  });

  it.each<[string, Behaviour]>([
    ['204', reply(204)],
    ['an older version', reply(200, { ...OFFER, version: '0.0.0' })],
  ])('is none where the cloud has %s', async (_name, offer) => {
    const version = _name === '204' ? undefined : '0.0.0';
    const { look, taken } = await start(offer);
    // A release is newer than the pre-release that runs.
    expect(await look(true)).toBe(version);
    expect(taken).toHaveLength(version === undefined ? 0 : 1);
  });

  it.each([
    ['7200', 7_200_000],
    ['5', 60_000],
    ['999999', 21_600_000],
    ['Tue, 26 Nov 2126 20:00:00 GMT', 21_600_000],
    [undefined, 21_600_000],
  ])(
    'is asked for again when the cloud says so (Retry-After: %s), from a minute to six hours',
    async (after, wanted) => {
      const cloud = await startReceiver(answer(204, ...(after === undefined ? [] : [`Retry-After: ${after}`])));
      const node = await startCloudNode();
      await node.call('PUT', '/cloud', { url: `${cloud.url}/c`, token: TOKEN });
      const none = { policy: 'auto' as const, install: () => expect.fail() };
      const firmware = new Firmware(node.kernel, new Outbound({ refuses: () => false }), none);
      expect(firmware.everyMs()).toBe(21_600_000);
      await firmware.follow(AbortSignal.timeout(10_000));
      expect(firmware.everyMs()).toBe(wanted);
    },
  );

  it('is newer by its numbers', () => {
    const than = (running: string) => ['0.9.9', '1.0.0', '1.0.1', '1.10.0'].filter((each) => isNewer(each, running));
    expect(than('1.0.0')).toEqual(['1.0.1', '1.10.0']);
    expect(than('1.0.0-rc.1')).toEqual(['1.0.0', '1.0.1', '1.10.0']);
    expect(than('1.9.0')).toEqual(['1.10.0']);
  });

  it('is newer by its pre-release, in the order that Semantic Versioning gives as its example', () => {
    const order = ['alpha', 'alpha.1', 'alpha.beta', 'beta', 'beta.2', 'beta.11', 'rc.1'].map((pre) => `1.0.0-${pre}`);
    const versions = [...order, '1.0.0'];
    for (const [at, version] of versions.entries())
      expect(versions.filter((each) => isNewer(each, version))).toEqual(versions.slice(at + 1));
    expect(isNewer('1.0.0+2', '1.0.0+1')).toBe(false);
  });

  it.each<[string, Behaviour, RegExp]>([
    ['answers 500', reply(500), /answered 500/],
    ['answers no offer', reply(200, { version: '1.2.3' }), /not an offer/],
    ['offers an image elsewhere', reply(200, { ...OFFER, url: 'http://evil.example/new.img' }), /another origin/],
    ['offers an image at another scheme', reply(200, { ...OFFER, url: 'file:///etc/passwd' }), /another origin/],
    ['offers an image with a user', reply(200, { ...OFFER, url: '//a:b@127.0.0.1/new.img' }), /another origin/],
    ['offers more than an image can be', reply(200, { ...OFFER, length: 2 ** 40 }), /not an offer/],
    ['offers a version that is none', reply(200, { ...OFFER, version: '1.2.3\r\nX: y' }), /not an offer/],
    ['answers too much', reply(200, { ...OFFER, more: 'x'.repeat(5000) }), /over 4096 bytes/],
  ])('is not taken where the cloud %s', async (_name, offer, detail) => {
    const { look, taken } = await start(offer);
    const refused = await look(true).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(refused).toMatchObject({ code: 'cloud_unreachable', detail: expect.stringMatching(detail) });
    expect(taken).toEqual([]);
  });

  it('that breaks off is not installed', async () => {
    const { look, taken } = await start(reply(200, OFFER), (socket) => {
      socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${IMAGE.length}\r\n\r\nabc`);
    });
    await expect(look(true)).rejects.toMatchObject({ code: 'cloud_unreachable' });
    expect(taken).toEqual([]);
  });

  it('that breaks off is fetched on from where it was', async () => {
    const asked: string[] = [];
    const { cloud, look, taken } = await start(reply(200, OFFER), (socket, { headers }) => {
      const range = headers['range'] ?? '';
      asked.push(range);
      const from = Number(/^bytes=(\d+)-$/.exec(range)?.[1] ?? 0);
      const status = range === '' ? '200 OK' : `206 Partial Content\r\nContent-Range: bytes ${from}-4999/5000`;
      socket.end(`HTTP/1.1 ${status}\r\nContent-Length: ${5000 - from}\r\n\r\n${IMAGE.slice(from, from + 2000)}`);
    });
    expect(await look(true)).toBe('1.2.3');
    expect(asked).toEqual(['', 'bytes=2000-', 'bytes=4000-']);
    expect(taken[0]?.text).toBe(IMAGE);
    expect(cloud.received.filter(at('/c/firmware'))).toHaveLength(1);
  });

  it('is taken also where the cloud sends all of it again, or another part than was asked for', async () => {
    let times = 0;
    const { look, taken } = await start(reply(200, OFFER), (socket) => {
      times += 1;
      const part = 'HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 7-4999/5000\r\nContent-Length: 4993\r\n\r\n';
      const whole = `HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n`;
      socket.end(times === 2 ? `${part}${IMAGE.slice(7)}` : `${whole}${IMAGE.slice(0, 2000 * times)}`);
    });
    expect(await look(true)).toBe('1.2.3');
    expect([times, taken[0]?.text]).toEqual([3, IMAGE]);
  });

  it('is waited for unasked where the cloud is busy, as long as it says; somebody who asks is told', async () => {
    let times = 0;
    const busy: Behaviour = (socket) => {
      times += 1;
      if (times < 3) socket.end('HTTP/1.1 503 Service Unavailable\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n');
      else socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n${IMAGE}`);
    };
    const { taken } = await start(reply(200, OFFER), busy, 'auto');
    await until(() => taken.length === 1);
    expect(times).toBe(3);
    times = 0;
    const { look } = await start(reply(200, OFFER), busy);
    await expect(look(true)).rejects.toMatchObject({ code: 'cloud_unreachable', detail: expect.stringMatching(/503/) });
  });

  it('is asked for again unasked where the connection breaks before the answer, five times; somebody who asks is told', async () => {
    let times = 0;
    const breaks: Behaviour = (socket) => {
      times += 1;
      if (times < 3) socket.destroy();
      else socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n${IMAGE}`);
    };
    const { cloud, node, look } = await start(reply(200, OFFER), breaks);
    const installed: number[] = [];
    const following = {
      policy: 'auto' as const,
      install: async ({ length }: IncomingImage) => void installed.push(length),
    };
    const firmware = new Firmware(node.kernel, new Outbound({ refuses: () => false }), following as never, 0);
    const follow = () => firmware.follow(AbortSignal.timeout(10_000));
    await follow();
    expect([times, installed]).toEqual([3, [5000]]);
    times = Number.NEGATIVE_INFINITY;
    const before = cloud.received.filter(at('/c/firmware/new.img')).length;
    await expect(follow()).rejects.toMatchObject({ code: 'cloud_unreachable' });
    expect(cloud.received.filter(at('/c/firmware/new.img'))).toHaveLength(before + 5);
    times = 0;
    await expect(look(true)).rejects.toMatchObject({ code: 'cloud_unreachable' });
    expect([times, installed]).toEqual([1, [5000]]);
  });

  it('is fetched from another origin where the offer is signed with the token, which does not go there', async () => {
    const elsewhere = await startReceiver(routes({ '/new': reply(200, IMAGE) }));
    const body = JSON.stringify({ ...OFFER, url: `${elsewhere.url}/new` });
    const offers =
      (secret: string): Behaviour =>
      (socket) =>
        void socket.end(
          `HTTP/1.1 200 OK\r\nX-NODE-Signature: ${signatureOf(body, secret)}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        );
    const signed = await start(offers(TOKEN));
    expect(await signed.look(true)).toBe('1.2.3');
    expect(signed.taken[0]?.text).toBe(IMAGE);
    const [asked] = elsewhere.received;
    expect([asked?.headers['authorization'], asked?.headers['x-node-id']]).toEqual([undefined, undefined]);
    const forged = await start(offers('another token'));
    await expect(forged.look(true)).rejects.toMatchObject({ detail: expect.stringMatching(/not signed/) });
    expect([forged.taken.length, elsewhere.received.length]).toEqual([0, 1]);
  });

  it.each([
    ['shorter', IMAGE.slice(1)],
    ['longer', `${IMAGE}i`],
  ])('that is %s than was offered is the cloud\u2019s fault, and not installed', async (_, image) => {
    const { look, taken } = await start(reply(200, OFFER), reply(200, image));
    await expect(look(true)).rejects.toMatchObject({ code: 'cloud_unreachable' });
    expect(taken).toEqual([]);
  });

  it('that is refused before its bytes were read lets go of the connection', async () => {
    const { cloud, look, refusal } = await start(reply(200, OFFER), (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${IMAGE.length}\r\n\r\n`);
    });
    refusal.error = new ApiError('internal', 'busy');
    await expect(look(true)).rejects.toBe(refusal.error);
    const { connection } = cloud.received.find(at('/c/firmware/new.img')) ?? expect.fail();
    await until(() => cloud.sockets[connection - 1]?.destroyed === true);
  });

  it.each<[UpdatePolicy, number]>([
    ['auto', 1],
    ['check', 0],
  ])('is looked for unasked under the policy %s, and installed %i times', async (policy, installed) => {
    const { cloud, node, taken } = await start(reply(200, OFFER), reply(200, IMAGE), policy);
    await until(() => (policy === 'auto' ? taken.length > 0 : node.logged.join().includes('1.2.3')));
    expect([taken.length, cloud.received.filter(at('/c/firmware')).length]).toEqual([installed, 1]);
  });

  it('is not looked for unasked under the policy off', async () => {
    const { cloud } = await start(hang);
    await until(() => cloud.received.some(at('/c/heartbeat')) && cloud.received.some(at('/c/recipes')));
    expect(cloud.received.filter(at('/c/firmware'))).toEqual([]);
  });

  it('cannot be had without URL and token', async () => {
    const node = await startCloudNode({ also: [updateRoom()] });
    const source = () => node.kernel.offered('update')?.source.call();
    expect(source()).toBeUndefined();
    await node.call('PUT', '/cloud', { url: 'http://127.0.0.1:1/' });
    expect(source()).toBeUndefined();
    await node.call('PUT', '/cloud', { token: TOKEN });
    expect(source()).toBeDefined();
  });
});
