/** Schemas of POST /compose (specification 1, 4). The lines are those of POST /print. */
import { type Static, Type } from '@sinclair/typebox';
import { closed, named, open } from '../../base/schema.ts';

// The request to the cloud is described with this room: the build makes data only of what a room's contract.ts exports.
export { ComposeAnswer, ComposeRequest } from '../../http/contract.ts';

/** The body of POST /compose. */
export const ComposeBody = closed(
  {
    id: Type.String({ minLength: 1, maxLength: 128 }),
    endpoint: Type.String({ minLength: 1, maxLength: 64 }),
    prompt: Type.String({ minLength: 1, maxLength: 1000 }),
    print: Type.Optional(Type.Boolean({ description: 'print the lines, too' })),
  },
  { $id: 'ComposeBody', examples: [{ id: '1', endpoint: 'receipt', prompt: 'Say that we are back at noon' }] },
);
export type ComposeBody = Static<typeof ComposeBody>;

/** The response of POST /compose. */
export const Composed = open(
  {
    ok: Type.Literal(true),
    lines: Type.Array(named('Line')),
    /** If `print` was true. */
    result: Type.Optional(named('CommandResult')),
  },
  { $id: 'Composed' },
);
