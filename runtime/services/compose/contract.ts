/**
 * Schemas of POST /compose and of the request to the cloud (specification 1, 4). The lines are those of POST /print.
 */
import { type Static, Type } from '@sinclair/typebox';
import { closed, named, open } from '../../kernel/schema.ts';

/** The body of POST /compose. */
export const ComposeBody = closed(
  {
    id: Type.String({ minLength: 1, maxLength: 128 }),
    endpoint: Type.String({ minLength: 1, maxLength: 64 }),
    prompt: Type.String({ minLength: 1, maxLength: 1000 }),
    print: Type.Optional(Type.Boolean({ description: 'print the lines, too' })),
  },
  { $id: 'ComposeBody' },
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

/** What the node posts to `url/compose`. */
export const ComposeRequest = open(
  { id: Type.String(), prompt: Type.String(), columns: Type.Integer({ description: 'print width, Font A' }) },
  { $id: 'ComposeRequest' },
);
export type ComposeRequest = Static<typeof ComposeRequest>;

/** The response of `url/compose`. Each line is then checked as a line of POST /print. */
export const ComposeAnswer = open({ lines: Type.Array(Type.Unknown()) }, { $id: 'ComposeAnswer' });
export type ComposeAnswer = Static<typeof ComposeAnswer>;
