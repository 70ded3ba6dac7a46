/** The schemas of the keys of idempotency (keys.ts). For the build and for tests; not in an image. */
import { type Static, Type } from '@sinclair/typebox';
import { closed, open } from '../base/schema.ts';
import { IDEMPOTENCY_KEY, IDEMPOTENCY_MARK, KEY_PATTERN, STORED } from './key-names.ts';

/** The header fields of routes that run commands. */
export const KeyHeader = open({
  [IDEMPOTENCY_KEY]: Type.Optional(
    Type.String({
      pattern: KEY_PATTERN,
      description:
        'made by the client, new for each new request: sent again with its key, a request is done once, and answered with the ' +
        'stored result and `Idempotency-Replayed: true`; it is the same request where the JSON of its body has the same ' +
        'value, also with other white space or its members in another order; the last 1,000 are kept, for 24 hours in which the node runs',
    }),
  ),
  [IDEMPOTENCY_MARK]: Type.Optional(
    Type.String({
      description:
        'for a request that may have been sent before: `idempotency.mark` of GET /status, as it was told before the first time. ' +
        'A key that the node does not know is then `write_failed`, and nothing is done, unless the node surely has forgotten no key that came behind that',
    }),
  ),
});

/** One line of the file. Without `status` and `free`: it began, and of one with `left` something may have left. The last line of a key counts. */
export const StoredKey = closed(
  {
    key: Type.String({ pattern: KEY_PATTERN }),
    print: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of method, path and body' }),
    at: Type.Integer({ description: "when it began, by the node's clock, in ms since 1970; for people" }),
    ran: Type.Integer({
      minimum: 0,
      description: 'how long the node had run by then, in all its runs that are known, in ms',
    }),
    command: Type.Optional(
      closed(
        { type: Type.String(), id: Type.String(), endpoint: Type.String(), from: Type.String() },
        { description: 'what began; left out once its end is known' },
      ),
    ),
    machineRun: Type.Optional(
      Type.String({ maxLength: 64, description: 'the start of the machine in which it began' }),
    ),
    left: Type.Optional(
      Type.Literal(true, {
        description: 'a byte of it was about to leave; not on the disk yet, where the power was cut',
      }),
    ),
    free: Type.Optional(Type.Literal(true, { description: 'nothing was done; the key may be used again' })),
    status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })),
    body: Type.Optional(Type.Unknown()),
  },
  STORED,
);
export type StoredKey = Static<typeof StoredKey>;
