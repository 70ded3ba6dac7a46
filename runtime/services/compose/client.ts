/** The calls of this room in the client, and their types. */
import type { Static } from '@sinclair/typebox';
import type { Access } from '../../client/access.ts';
import type { CallOptions } from '../../client/transport.ts';
import type * as Contract from './contract.ts';
import type { ComposeBody } from './contract.ts';

export type { ComposeBody };
/** The response of POST /compose. */
export type Composed = Static<typeof Contract.Composed>;

/** Whether this request makes a printer print or opens a drawer: it is then never repeated. */
export const prints = (path: string, body: unknown): boolean =>
  path === '/compose' && (body as Partial<ComposeBody> | undefined)?.print === true;

/** Returns the calls of this room, for a client of one node. */
export const calls = (node: Access) => ({
  /** Has the cloud write a receipt from a sentence; with `print` it is printed, and sent once, as `print`. */
  compose: (body: ComposeBody, options?: CallOptions): Promise<Composed> =>
    node.request('POST', '/compose', body, options),
});

declare module '../../kernel/registry.ts' {
  interface Calls extends ReturnType<typeof calls> {}
}
