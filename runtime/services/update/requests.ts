/** PUT /update: its rules, and the order in which they are checked (specification 5.10, 5.11 and 7). */
import { defined } from '../../base/defined.ts';
import { invalidConfig } from '../../kernel/config.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Node } from '../../kernel/node.ts';
import type { Call } from '../../kernel/plugin.ts';
import type { StoredSettings } from '../../kernel/registry.ts';
import type { UpdateRequest } from './contract.ts';
import type { Installer } from './installer.ts';
import { type StoredUpdate, storedUpdate } from './stored.ts';

/** Visible ASCII: a bearer token must not contain spaces (RFC 6750, 2.1). */
const KEY = /^[!-~]{16,128}$/;
/** Time after a start in which a second revert without a credential is refused. */
const OPEN_REVERT_MS = 600_000;

/** Whether the request only asks to boot the factory image. */
export const isRevertAlone = (body: unknown): boolean =>
  typeof body === 'object' &&
  body !== null &&
  Object.keys(body).join() === 'boot' &&
  (body as UpdateRequest).boot === 'factory';

/**
 * Handles PUT /update; resolves with the response. Rejects with an ApiError; what was already done is in its detail.
 */
export async function answerTo(call: Call<UpdateRequest, Installer>): Promise<object> {
  const { node, room: installer, body, hasApiKey, hasUpdateKey, admission } = call;
  const { check = false, apply = false, boot, updateKey } = body;
  const shown = hasUpdateKey ? node.settings.read('updateKey') : undefined;
  if (updateKey !== undefined) {
    requireUpdateKey(node.settings.read('updateKey'), shown);
    if (updateKey !== '' && !KEY.test(updateKey)) {
      throw invalidConfig('updateKey must be 16 to 128 visible ASCII characters, or ""');
    }
  }
  const looks = check || apply;
  if (looks && boot !== undefined) throw invalidConfig('boot cannot be combined with check or apply');
  const source = looks ? sourceFor(body, node, installer) : undefined;
  if (boot !== undefined) requireRevert(node, installer, hasApiKey);

  // What can fail for external reasons is done first, so that a request that fails has stored nothing.
  const { revoked } = admission;
  const look = source?.look({ apply, signal: revoked }).catch((error: unknown) => {
    throw revoked.aborted ? revoked.reason : error;
  });
  const available = look === undefined ? undefined : ((await look) ?? null);
  if (boot !== undefined) await revert(node, installer, hasApiKey);
  const installed = apply && typeof available === 'string' ? `image ${available} is installed` : undefined;
  await store(call, shown).catch((error: unknown) => {
    throw alsoDone(error, boot === undefined ? installed : 'the factory image is booted next');
  });

  const { enabled, policy } = storedUpdate(node.settings);
  const updateKeySet = node.settings.read('updateKey') !== undefined;
  return {
    ok: true,
    enabled,
    policy,
    updateKeySet,
    ...defined({ available, boot }),
  };
}

/** Adds to an error of the storage what the request has already done. */
const alsoDone = (error: unknown, done: string | undefined): unknown =>
  error instanceof ApiError && done !== undefined
    ? new ApiError(error.code, [error.detail, `but ${done}`].filter(Boolean).join(', '))
    : error;

function requireUpdateKey(current: unknown, shown: unknown): void {
  if (current !== undefined && shown !== current) throw new ApiError('ota_locked');
}

function sourceFor({ enabled }: UpdateRequest, node: Node, installer: Installer) {
  if (!(enabled ?? storedUpdate(node.settings).enabled)) throw new ApiError('update_disabled');
  if (installer.busy) throw new ApiError('restart_pending');
  const source = installer.source.call();
  if (source === undefined) throw new ApiError('cloud_not_configured');
  return source;
}

/**
 * Checks a revert. It returns the node to its oldest image, so without a credential it cannot be repeated at will. An
 * upload with the update key since then shows that the owner was present, and permits it again.
 */
function requireRevert(node: Node, installer: Installer, hasApiKey: boolean): void {
  installer.requireRevertible();
  if (installer.isFactory) return;
  const young = performance.now() - node.startedAt < OPEN_REVERT_MS;
  if (!hasApiKey && young && storedUpdate(node.settings).openRevert) {
    throw new ApiError('ota_busy', 'reverted without a credential a short while ago; try again in ten minutes');
  }
}

async function revert(node: Node, installer: Installer, hasApiKey: boolean): Promise<void> {
  await installer.revert();
  if (!installer.isFactory) await note(node, { openRevert: !hasApiKey });
}

/** Somebody who has the update key installed an image. Where it cannot be stored, the next revert waits. */
export async function ownerWasHere(node: Node): Promise<void> {
  if (storedUpdate(node.settings).openRevert) await note(node, { openRevert: false });
}

async function note(node: Node, changes: Partial<StoredUpdate>): Promise<void> {
  await node.settings
    .update((draft) => patch(draft, changes))
    .catch((error: unknown) => {
      node.log.warn({ error: String(error) }, 'the revert was not noted');
    });
}

/**
 * Checks the keys again inside the transaction: outside it, two clients that set a first key at once would both pass.
 */
async function store({ node, body, admission }: Call<UpdateRequest>, shown: unknown): Promise<void> {
  const { enabled, policy, updateKey } = body;
  await node.settings.update((draft) => {
    admission.check();
    if (enabled !== undefined) patch(draft, { enabled });
    if (policy !== undefined) patch(draft, { policy });
    if (updateKey === undefined) return;
    requireUpdateKey(draft.updateKey, shown);
    if (updateKey === '') delete draft.updateKey;
    else draft.updateKey = updateKey;
  });
  if (updateKey !== undefined) node.hooks.updateKeyChanged.call();
}

function patch(draft: Partial<StoredSettings>, changes: Partial<StoredUpdate>): void {
  draft.update = { ...draft.update, ...changes };
}
