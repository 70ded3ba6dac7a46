import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { IncomingImage, UpdatePolicy } from '../../../runtime/image/updates.ts';
import { isNewer } from '../../../runtime/image/version.ts';
import { ApiError } from '../../../runtime/kernel/errors.ts';
import { type Behaviour, hang, startReceiver } from '../../http/receiver.ts';
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
