/** The rules of PUT /update, one by one, without a node: what is asked of whom, stored, and answered. */
import { describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../../runtime/kernel/errors.ts';
import type { Call } from '../../../runtime/kernel/plugin.ts';
import type { UpdateRequest } from '../../../runtime/services/update/contract.ts';
import type { Installer } from '../../../runtime/services/update/installer.ts';
import { answerTo, isRevertAlone, ownerWasHere } from '../../../runtime/services/update/requests.ts';

const KEY = 'update-key-0123456789';
const NEXT = 'another-update-key-1';

interface Around {
  readonly update?: object;
  readonly updateKey?: string;
  readonly hasUpdateKey?: boolean;
  readonly hasApiKey?: boolean;
  readonly isFactory?: boolean;
  readonly busy?: boolean;
  readonly ageMs?: number;
  /** What its source of updates finds, or refuses with; null: it has no source. */
  readonly found?: string | Error | null;
  readonly storage?: Error;
  readonly revoked?: AbortSignal;
  readonly check?: () => void;
}

function around({ found, storage, ageMs = 0, hasUpdateKey = false, hasApiKey = false, ...more }: Around = {}) {
  let stored: Record<string, unknown> = { ...(more.update && { update: more.update }), updateKey: more.updateKey };
  const look = vi.fn(async (_options: object) => {
    if (found instanceof Error) throw found;
    return found ?? undefined;
  });
  const keyChanged = vi.fn();
  const revert = vi.fn(async () => {});
  const node = {
    settings: {
      read: (name: string) => stored[name],
      update: async (mutate: (draft: object) => void) => {
        if (storage !== undefined) throw storage;
        const draft = { ...stored };
        mutate(draft);
        stored = draft;
      },
    },
    startedAt: performance.now() - ageMs,
    hooks: { updateKeyChanged: { call: keyChanged } },
    log: { warn: () => {} },
  } as unknown as Call['node'];
  const room = {
    ...{ busy: false, isFactory: false, ...more, requireRevertible: () => {}, revert },
    source: { call: () => (found === null ? undefined : { look }) },
  } as unknown as Installer;
  const { revoked = new AbortController().signal, check = () => {} } = more;
  const put = (body: UpdateRequest) => {
    const call = { node, room, body, hasApiKey, hasUpdateKey, admission: { revoked, check } };
    return answerTo(call as unknown as Call<UpdateRequest, Installer>).catch((error: unknown) =>
      error instanceof ApiError ? [error.code, error.detail] : error,
    );
  };
  return { node, put, look, revert, keyChanged, stored: () => stored };
}

describe('a revert alone', () => {
  it.each<[unknown, boolean]>([
    [{ boot: 'factory' }, true],
    [{ boot: 'a' }, false],
    [{ boot: 'factory', check: false }, false],
    [{}, false],
    [null, false],
    ['boot', false],
    [['factory'], false],
  ])('is %j: %s', (body, is) => expect(isRevertAlone(body)).toBe(is));

  const TOO_SOON = ['ota_busy', expect.stringContaining('ten minutes')];
  const NOTED = { openRevert: true };
  const done = { ok: true, enabled: true, policy: 'auto', updateKeySet: false, boot: 'factory' };
  it.each<[string, Around, unknown, unknown]>([
    ['the first', {}, done, NOTED],
    ['one behind another', { update: NOTED }, TOO_SOON, NOTED],
    ['one with the key of the API', { update: NOTED, hasApiKey: true }, done, { openRevert: false }],
    ['one just before ten minutes', { update: NOTED, ageMs: 599_000 }, TOO_SOON, NOTED],
    ['one after ten minutes', { update: NOTED, ageMs: 600_000 }, done, NOTED],
    ['one of the factory image', { update: NOTED, isFactory: true }, done, NOTED],
    ['one of the factory image, the first', { isFactory: true }, done, undefined],
  ])('without a credential may be repeated after ten minutes: %s', async (_, box, answer, noted) => {
    const { put, revert, stored } = around(box);
    expect(await put({ boot: 'factory' })).toEqual(answer);
    expect([revert.mock.calls.length, stored()['update']]).toEqual([answer === done ? 1 : 0, noted]);
  });

  it('may be repeated once the owner was here, of whom nothing else is kept', async () => {
    const after = around({ update: { ...NOTED, policy: 'off' } });
    await ownerWasHere(after.node);
    expect(after.stored()['update']).toEqual({ openRevert: false, policy: 'off' });
    const never = around();
    await ownerWasHere(never.node);
    expect(never.stored()['update']).toBeUndefined();
  });

  it('is done also where that cannot be noted', async () => {
    const { node, stored } = around({ update: NOTED, storage: new Error('EIO') });
    await ownerWasHere(node);
    expect(stored()['update']).toEqual(NOTED);
  });
});

describe('check and apply', () => {
  const { signal } = new AbortController();
  it.each<[UpdateRequest, Around, unknown]>([
    [{ check: true }, {}, { available: null }],
    [{ check: true }, { found: '2.0.0' }, { available: '2.0.0' }],
    [{ apply: true }, { found: '2.0.0' }, { available: '2.0.0' }],
    [{ check: true, boot: 'factory' }, {}, ['invalid_config', expect.stringContaining('boot')]],
    [{ check: true }, { found: null }, ['cloud_not_configured', undefined]],
    [{ check: true }, { busy: true }, ['restart_pending', undefined]],
    [{ check: true }, { update: { enabled: false } }, ['update_disabled', undefined]],
    [{ check: true, enabled: true }, { update: { enabled: false } }, { enabled: true, available: null }],
    [{ apply: true, enabled: false }, {}, ['update_disabled', undefined]],
    [{ apply: true }, { found: new ApiError('image_invalid', 'why') }, ['image_invalid', 'why']],
    [
      { apply: true },
      { found: new Error('x'), revoked: AbortSignal.abort(new ApiError('api_locked')) },
      ['api_locked', undefined],
    ],
  ])('answer %j', async (body, box, answer) => {
    const { put, look } = around({ revoked: signal, ...box });
    const usual = { ok: true, enabled: true, policy: 'auto', updateKeySet: false };
    expect(await put(body)).toEqual(Array.isArray(answer) ? answer : { ...usual, ...(answer as object) });
    for (const [asked] of look.mock.calls)
      expect(asked).toEqual({ apply: body.apply ?? false, signal: box.revoked ?? signal });
  });

  it.each<[UpdateRequest, string]>([
    [{ policy: 'off' }, 'the disk is full'],
    [{ policy: 'off', check: true }, 'the disk is full'],
    [{ policy: 'off', apply: true }, 'the disk is full, but image 2.0.0 is installed'],
    [{ policy: 'off', boot: 'factory' }, 'the disk is full, but the factory image is booted next'],
  ])('%j says what was done where the rest cannot be stored', async (body, detail) => {
    const full = new ApiError('persist_failed', 'the disk is full');
    expect(await around({ found: '2.0.0', storage: full }).put(body)).toEqual(['persist_failed', detail]);
    const broken = new Error('a fault of the program');
    expect(await around({ found: '2.0.0', storage: broken }).put(body)).toBe(broken);
  });

  it('says so also where the caller may no more than that', async () => {
    const check = () => {
      throw new ApiError('api_locked');
    };
    const { put, stored } = around({ found: '2.0.0', check });
    expect(await put({ apply: true, policy: 'off' })).toEqual(['api_locked', 'but image 2.0.0 is installed']);
    expect(stored()['update']).toBeUndefined();
  });
});

describe('the update key', () => {
  const LOCKED = ['ota_locked', undefined];
  const REFUSED = ['invalid_config', expect.stringContaining('updateKey')];
  it.each<[string, Around, unknown]>([
    ['x'.repeat(15), {}, REFUSED],
    ['x'.repeat(16), {}, 'x'.repeat(16)],
    ['x'.repeat(128), {}, 'x'.repeat(128)],
    ['x'.repeat(129), {}, REFUSED],
    ['', {}, undefined],
    [NEXT, { updateKey: KEY }, LOCKED],
    ['short', { updateKey: KEY }, LOCKED],
    [NEXT, { updateKey: KEY, hasUpdateKey: true }, NEXT],
    ['', { updateKey: KEY, hasUpdateKey: true }, undefined],
  ])('%j with %j comes to %j', async (updateKey, box, kept) => {
    const { put, keyChanged, stored } = around(box);
    const answer = await put({ updateKey });
    const refused = Array.isArray(kept);
    expect(answer).toEqual(refused ? kept : expect.objectContaining({ updateKeySet: kept !== undefined }));
    expect(stored()['updateKey']).toBe(refused ? box.updateKey : kept);
    expect(keyChanged).toHaveBeenCalledTimes(refused ? 0 : 1);
  });

  it('is told of where it was given, and nothing else is changed with it', async () => {
    const { put, keyChanged, stored } = around({ updateKey: KEY, update: { policy: 'check' } });
    await put({});
    await put({ enabled: false });
    expect(keyChanged).not.toHaveBeenCalled();
    expect(stored()).toEqual({ updateKey: KEY, update: { policy: 'check', enabled: false } });
  });
});
