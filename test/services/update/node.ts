/** A node that takes updates, images for it, and uploads. */
import { onTestFinished } from 'vitest';
import { VirtualBoot, type VirtualBootOptions, type VirtualSlots } from '../../../runtime/bindings/virtual/boot.ts';
import { VirtualStorage } from '../../../runtime/bindings/virtual/storage.ts';
import { rawPublicKey } from '../../../runtime/image/format.ts';
import type { Plugin } from '../../../runtime/kernel/plugin.ts';
import { startTestNode, type TestNode } from '../../../runtime/node/testing.ts';
import settings from '../../../runtime/services/settings/index.ts';
import update from '../../../runtime/services/update/index.ts';
import { openSocket } from '../../http/kernel.ts';
import { FLOOR, key, sha256, stranger } from '../../made-images.ts';

export const UPDATE_KEY = 'update-key-0123456789';
export const API_KEY = 'correct horse battery';
export interface Answer {
  readonly status: number;
  readonly error: string | undefined;
  readonly body: Record<string, unknown>;
}

export interface UpdateNode extends TestNode {
  readonly slots: VirtualSlots;
  /** POST /update with what a sender would add; an undefined field is left out. */
  upload(image: Uint8Array, fields?: Readonly<Record<string, string | undefined>>): Promise<Answer>;
  send(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Header of an upload, down to the empty line. */
  head(image: Uint8Array, ...more: string[]): string;
  /** A connection to the node, closed with the test. */
  dial(): ReturnType<typeof openSocket>;
}

export interface UpdateNodeOptions {
  readonly boot?: VirtualBootOptions;
  readonly plugins?: readonly Plugin[];
  readonly storage?: VirtualStorage;
  readonly updateKey?: string;
  readonly apiMode?: 'open' | 'admin' | 'strict';
}

export async function startUpdateNode({
  boot: bootOptions,
  plugins = [settings, update],
  storage = new VirtualStorage(),
  updateKey = UPDATE_KEY,
  apiMode,
}: UpdateNodeOptions = {}): Promise<UpdateNode> {
  const boot = new VirtualBoot(bootOptions);
  const node = await startTestNode({
    plugins,
    storage,
    boot,
    recipes: [],
    image: { trustedKeys: [rawPublicKey(stranger), rawPublicKey(key)].slice(1), securityFloor: FLOOR },
  });
  onTestFinished(() => node.stop());
  const send: UpdateNode['send'] = async (method, path, body, headers = {}) => {
    const sent = body instanceof Uint8Array || body === undefined ? body : JSON.stringify(body);
    const response = await fetch(`${node.url}${path}`, {
      method,
      headers,
      ...(sent === undefined ? {} : { body: sent }),
    });
    const answered = (await response.json()) as Record<string, unknown>;
    return { status: response.status, error: answered['error'] as string | undefined, body: answered };
  };
  if (updateKey !== '' && node.kernel.settings.read('updateKey') === undefined) {
    await node.kernel.settings.update((draft) => {
      draft['updateKey'] = updateKey;
    });
  }
  if (apiMode !== undefined) await node.kernel.config.patch({ apiKey: API_KEY, apiMode });
  const fieldsOf = (image: Uint8Array) => ({
    Authorization: `Bearer ${UPDATE_KEY}`,
    'X-NODE-Image-Sha256': sha256(image),
  });
  return {
    ...node,
    slots: boot.slots as VirtualSlots,
    send,
    upload: (image, fields = {}) => {
      const all = Object.entries({ ...fieldsOf(image), ...fields }).filter(([, value]) => value !== undefined);
      return send('POST', '/update', image, Object.fromEntries(all) as Record<string, string>);
    },
    head: (image, ...more) =>
      [
        'POST /update HTTP/1.1',
        'Host: 127.0.0.1',
        ...Object.entries(fieldsOf(image)).map(([name, value]) => `${name}: ${value}`),
        `Content-Length: ${image.length}`,
        ...more,
        '\r\n',
      ].join('\r\n'),
    dial: () => openSocket(Number(node.url.split(':').at(-1))).setNoDelay(true),
  };
}
