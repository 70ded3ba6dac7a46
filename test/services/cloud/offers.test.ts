/** Updates from the cloud without a node or a socket: when it is asked, which offers are taken, and what is installed. */
import { describe, expect, it, vi } from 'vitest';
import { signatureOf } from '../../../runtime/http/delivery.ts';
import type { IncomingImage, UpdatePolicy } from '../../../runtime/image/updates.ts';
import { ApiError } from '../../../runtime/kernel/errors.ts';
import { silentLogger } from '../../../runtime/kernel/log.ts';
import { Firmware, type FirmwareNode } from '../../../runtime/services/cloud/firmware.ts';

const TOKEN = 'open-sesame-0123456789';
const OFFER = { version: '1.2.3', length: 4, sha256: 'of the image', url: 'new.img' };
const [SIX_HOURS, HERE] = [21_600_000, 'https://cloud.test/c/new.img'];
type Read = { status: number; headers?: Record<string, string>; body?: string };

interface Around {
  readonly cloud?: { readonly url?: string; readonly token?: string };
  readonly policy?: UpdatePolicy;
  readonly failed?: readonly string[];
  readonly systemFailed?: readonly string[];
  readonly download?: number;
}
const offers = (offer: object, headers = {}): Read => ({
  status: 200,
  headers,
  body: JSON.stringify({ ...OFFER, ...offer }),
});

/** `answers`: of the cloud, one after the other. */
function around(answers: readonly (Read | Error)[], more: Around = {}) {
  const { cloud = { url: 'https://cloud.test/c', token: TOKEN }, policy = 'auto', download = 200 } = more;
  const left = [...answers];
  const read = vi.fn(
    async (_method: string, _asked: { url: string; headers: object; deadlineMs: number }, _limit: number) => {
      const answer = left.shift() ?? expect.fail('asked once too often');
      if (answer instanceof Error) throw answer;
      return { status: answer.status, headers: answer.headers ?? {}, body: Buffer.from(answer.body ?? '') };
    },
  );
  const open = vi.fn(async (_method: string, _asked: { url: string; headers: object; signal: AbortSignal }) => ({
    ...{ status: download, headers: {} },
    chunks: (async function* () {
      yield Buffer.from('abcd');
    })(),
  }));
  const taken: Omit<IncomingImage, 'chunks'>[] = [];
  const install = vi.fn(async ({ chunks, ...image }: IncomingImage) => {
    for await (const _ of chunks);
    taken.push(image);
    return { version: image.version ?? '', variant: 'twin' };
  });
  const info = vi.fn();
  const node = {
    ...{ deviceId: 'a-node', image: { variant: 'twin', version: '1.0.0' }, log: { ...silentLogger, info } },
    settings: { read: () => cloud },
    contract: {
      fault: (_: unknown, offer: { sha256?: string }) =>
        offer?.sha256 ? undefined : { path: '/sha256', message: 'is missing' },
    },
    bindings: {
      boot: {
        ...(more.failed && { slots: { failed: more.failed } }),
        ...(more.systemFailed && { system: { failed: more.systemFailed } }),
      },
    },
  } as unknown as FirmwareNode;
  const firmware = new Firmware(node, { read, open } as never, { policy, install }, 1);
  const look = (apply: boolean, signal?: AbortSignal) =>
    firmware.look({ apply, ...(signal && { signal }) }).catch((error: ApiError) => `${error.code}: ${error.detail}`);
  return { firmware, look, read, open, taken, info };
}
const { signal } = new AbortController();

describe('the cloud', () => {
  it.each([
    [{}, undefined],
    [{ url: 'https://cloud.test' }, undefined],
    [{ token: TOKEN }, undefined],
    [{ url: 'https://cloud.test', token: TOKEN }, SIX_HOURS],
  ])('of %j is asked each %s ms', (cloud, ms) => {
    const { firmware } = around([], { cloud });
    expect([firmware.isConfigured, firmware.everyMs()]).toEqual([ms !== undefined, ms]);
  });

  it.each([
    ['59', 60_000],
    ['61', 61_000],
    ['21600', SIX_HOURS],
    ['21601', SIX_HOURS],
    ['1234567890', SIX_HOURS],
    ['61 s', SIX_HOURS],
  ])('that has nothing is asked again as it says (%s), until it says something else', async (after, ms) => {
    const none = { status: 204, headers: { 'retry-after': after } };
    const { firmware, look } = around([none, { status: 500 }, none, offers({})]);
    const told: unknown[] = [];
    for (const _ of [1, 2, 3, 4]) told.push(await look(false), firmware.everyMs());
    const fault = 'cloud_unreachable: the cloud answered 500';
    expect(told).toEqual([undefined, ms, fault, SIX_HOURS, undefined, ms, '1.2.3', SIX_HOURS]);
  });

  it('is asked with variant, version and id, has ten seconds and 4,096 bytes', async () => {
    const { look, read } = around([offers({})]);
    await look(false, signal);
    const headers = { 'User-Agent': 'tillnode/1.0.0 (twin)', Authorization: `Bearer ${TOKEN}` };
    const url = 'https://cloud.test/c/firmware?variant=twin&version=1.0.0&node=a-node';
    expect(read.mock.calls).toEqual([['GET', { url, headers, deadlineMs: 10_000, signal }, 4096]]);
  });

  it('that cannot be asked is unreachable, for a reason of 200 characters', async () => {
    expect(await around([new Error('x'.repeat(300))]).look(true)).toBe(`cloud_unreachable: ${'x'.repeat(200)}`);
  });
});

describe('an offer', () => {
  const elsewhere = { url: 'https://images.test/new.img' };
  const signed = (offer: object) => {
    const { body = '', ...rest } = offers(offer);
    return { ...rest, body, headers: { 'x-node-signature': signatureOf(body, TOKEN) } };
  };
  const ORIGIN = 'cloud_unreachable: the image has another origin than the offer, which is not signed';
  it.each<[string, Read, string | undefined, string | undefined]>([
    ['newer', offers({}), '1.2.3', HERE],
    ['what runs', offers({ version: '1.0.0' }), undefined, undefined],
    ['older', offers({ version: '0.9.9' }), undefined, undefined],
    ['elsewhere', offers(elsewhere), ORIGIN, undefined],
    ['elsewhere, and signed', signed(elsewhere), '1.2.3', 'https://images.test/new.img'],
    ['at no address', offers({ url: 'https://' }), ORIGIN, undefined],
    ['at no address, and signed', signed({ url: 'https://' }), ORIGIN, undefined],
    ['at another scheme, and signed', signed({ url: 'file:///etc/passwd' }), ORIGIN, undefined],
    ['no JSON', { status: 200, body: '{' }, 'cloud_unreachable: not an offer: /sha256: is missing', undefined],
    ['no offer', { status: 200, body: '{}' }, 'cloud_unreachable: not an offer: /sha256: is missing', undefined],
    ['behind another status', { ...offers({}), status: 201 }, 'cloud_unreachable: the cloud answered 201', undefined],
  ])('that is %s', async (_, answer, result, from) => {
    const { look, open, taken } = around([answer]);
    expect(await look(true)).toBe(result);
    expect([open.mock.calls[0]?.[1].url, taken.length]).toEqual([from, from === undefined ? 0 : 1]);
  });

  it('is fetched with token and id where it was made, and with neither from elsewhere', async () => {
    const { look, open } = around([offers({}), signed(elsewhere)]);
    await look(true);
    await look(true);
    const agent = { 'User-Agent': 'tillnode/1.0.0 (twin)', 'Accept-Encoding': 'identity' };
    const known = { ...agent, Authorization: `Bearer ${TOKEN}`, 'X-NODE-Id': 'a-node' };
    expect(open.mock.calls.map(([, { headers }]) => headers)).toEqual([known, agent]);
    expect(open.mock.calls.map(([, asked]) => asked.signal.aborted)).toEqual([true, true]);
  });

  it('is installed as it was offered, of this variant alone, and by nobody who was locked out meanwhile', async () => {
    const caller = new AbortController();
    const { look, open, taken } = around([offers({}), offers({})]);
    await look(true);
    await look(true, caller.signal);
    const image = { version: '1.2.3', length: 4, sha256: 'of the image', anyVariant: false };
    expect(taken).toEqual([image, { ...image, admitted: expect.any(Function) }]);
    expect(taken[1]?.admitted?.()).toBeUndefined();
    caller.abort(new ApiError('api_locked'));
    expect(() => taken[1]?.admitted?.()).toThrow('api_locked');
    expect(open.mock.calls[1]?.[1].signal.aborted).toBe(true);
  });

  it('is not waited for by who asks', async () => {
    const { look } = around([offers({})], { download: 503 });
    expect(await look(true)).toBe('cloud_unreachable: the cloud answered 503 to the download');
  });
});

describe('the policy', () => {
  it.each<[string, Around, number, number]>([
    ['off asks for nothing', { policy: 'off' }, 0, 0],
    ['check says so', { policy: 'check' }, 0, 1],
    ['auto installs it', {}, 1, 0],
    ['auto installs another than what failed', { failed: ['1.2.2'], systemFailed: ['1.2.4'] }, 1, 0],
    ['auto does not install what failed', { failed: ['1.2.2', '1.2.3'] }, 0, 0],
    ['auto does not install a system that failed', { failed: [], systemFailed: ['1.2.3'] }, 0, 0],
    ['check is silent of what failed', { policy: 'check', failed: ['1.2.3'] }, 0, 0],
  ])('%s', async (_, box, installed, told) => {
    const { firmware, read, taken, info } = around([offers({})], box);
    await firmware.follow(signal);
    expect([taken.length, info.mock.calls.length]).toEqual([installed, told]);
    expect(read).toHaveBeenCalledTimes(box.policy === 'off' ? 0 : 1);
  });

  it.each(['auto', 'check'] as const)('%s does nothing where nothing is offered', async (policy) => {
    const { firmware, taken, info } = around([{ status: 204 }], { policy });
    await firmware.follow(signal);
    expect([taken.length, info.mock.calls.length]).toEqual([0, 0]);
  });
});
