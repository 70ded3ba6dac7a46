/** What a program calls of this room, and the shapes that it gets. */
import type { Static } from '@sinclair/typebox';
import type { Access } from '../../client/access.ts';
import type { CallOptions } from '../../client/transport.ts';
import type * as Contract from './contract.ts';
import type { ComposeBody } from './contract.ts';

export type { ComposeBody };
export type Composed = Static<typeof Contract.Composed>;

export const prints = (path: string, body: unknown): boolean =>
  path === '/compose' && (body as Partial<ComposeBody> | undefined)?.print === true;

export const calls = (node: Access) => ({
  compose: (body: ComposeBody, options?: CallOptions): Promise<Composed> =>
    node.request('POST', '/compose', body, options),
});

declare module '../../kernel/registry.ts' {
  interface Calls extends ReturnType<typeof calls> {}
}
