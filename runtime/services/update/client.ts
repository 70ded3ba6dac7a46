/** The calls of this room in the client, and their types. */
import type { Static } from '@sinclair/typebox';
import type { Access } from '../../client/access.ts';
import type { CallOptions } from '../../client/transport.ts';
import type * as Contract from './contract.ts';
import type { UpdateRequest } from './contract.ts';

export type { UpdateRequest };
/** The response of PUT /update. */
export type UpdateStored = Static<typeof Contract.UpdateStored>;
/** The response of POST /update. */
export type UpdateInstalled = Static<typeof Contract.UpdateInstalled>;
/** The response of POST /restart. */
export type Restarting = Static<typeof Contract.Restarting>;

/** Options of an upload. */
export interface UploadOptions extends CallOptions {
  /** 64 hexadecimal digits. Required if the platform has no crypto.subtle, as in a page over plain HTTP. */
  readonly sha256?: string | undefined;
  /** Whether to accept an image for other hardware. */
  readonly allowVariantChange?: boolean | undefined;
}

/** As long as a node takes an upload. */
const UPLOAD_MS = 3_600_000;

/** Returns the calls of this room, for a client of one node. */
export const calls = (node: Access) => ({
  /** Looks for an update, installs it, changes the policy or the update key, or reverts. */
  update: (request: UpdateRequest, options?: CallOptions): Promise<UpdateStored> =>
    node.request('PUT', '/update', request, options),
  /**
   * Uploads an image, and the node restarts with it. Rejects with a TypeError if the digest cannot be computed here.
   */
  upload: async (image: Blob | Uint8Array, options: UploadOptions = {}): Promise<UpdateInstalled> => {
    const { sha256 = await digestOf(image), allowVariantChange = false, signal, timeoutMs = UPLOAD_MS } = options;
    const headers = {
      'X-NODE-Image-Sha256': sha256,
      ...(allowVariantChange && { 'X-NODE-Allow-Variant-Change': '1' }),
    };
    const body = image as Blob | Uint8Array<ArrayBuffer>;
    return node.send('POST', '/update', { body, headers, signal, timeoutMs });
  },
  /** Restarts the node behind the jobs that are under way, which may go on for 30 s. */
  restart: (id: string, options?: CallOptions): Promise<Restarting> =>
    node.request('POST', '/restart', { type: 'restart', id }, options),
});

declare module '../../kernel/registry.ts' {
  interface Calls extends ReturnType<typeof calls> {}
}

async function digestOf(image: Blob | Uint8Array): Promise<string> {
  if (globalThis.crypto?.subtle === undefined) throw new TypeError('crypto.subtle is missing: set the option sha256');
  const bytes = image instanceof Blob ? await image.arrayBuffer() : image;
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
