/** Schemas of the recipe table that nodes fetch, and of its versions. */
import { type Static, Type } from '@sinclair/typebox';
import { closed, open } from '../../base/schema.ts';

/** The largest table that a node takes (runtime/services/cloud). */
export const TABLE_BYTES = 1_000_000;

const Text = Type.String({
  maxLength: TABLE_BYTES,
  description: 'a maker file as in recipes/README.md: {"maker": …, "rows": […]}; a row may name another make',
});

/** The body of POST /api/recipes/check. */
export const RecipeText = closed({ text: Text }, { $id: 'RecipeText' });

/** The body of PUT /api/recipes. */
export const RecipePut = closed(
  {
    text: Text,
    note: Type.Optional(Type.String({ maxLength: 200, description: 'why it was changed' })),
    base: Type.Optional(
      Type.Integer({ minimum: 0, description: 'the version that was edited: 409 where there is a newer one' }),
    ),
  },
  { $id: 'RecipePut' },
);
export type RecipePut = Static<typeof RecipePut>;

const Faults = (description: string) =>
  Type.Array(
    open({
      line: Type.Integer({ description: 'from 1' }),
      row: Type.Optional(Type.String()),
      field: Type.String(),
      reason: Type.String(),
    }),
    { description },
  );

/** What `npm run recipes -- check` says of a text. */
export const RecipeFaults = open(
  {
    faults: Faults('with any of them the text is refused'),
    warnings: Faults('of a text without faults: rows that no node which says its codecs will use'),
  },
  { $id: 'RecipeFaults' },
);

const version = {
  version: Type.Integer({ description: 'counts up; 0 before the first' }),
  at: Type.String({ description: 'ISO 8601' }),
  who: Type.String(),
  note: Type.String(),
  rows: Type.Integer(),
  etag: Type.String(),
};
/** The response of GET and PUT /api/recipes. */
export const RecipeVersion = open({ ...version, text: Type.String() }, { $id: 'RecipeVersion' });
export type RecipeVersion = Static<typeof RecipeVersion>;

/** The response of GET /api/recipes/versions, newest first. */
export const RecipeVersions = open({ versions: Type.Array(open(version)) }, { $id: 'RecipeVersions' });
