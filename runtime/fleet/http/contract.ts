/** Schemas that requests of many folders have. */
import { Type } from '@sinclair/typebox';

/**
 * The id of a node, as a key of tables, a part of URLs, and what its token is made of: without spaces, and with nothing that a
 * webhook begins with, as what else is signed with the master token must be no id.
 */
export const NodeId = Type.String({
  // The first two are steps of a path, which every client takes out of one.
  pattern: '^(?!\\.{1,2}$|\\{)[!-.0-~]{1,64}$',
  description: 'visible ASCII without /, not . or .., and not beginning with {',
});
const PATTERN = new RegExp(NodeId.pattern ?? '');
/** Whether a text is one. */
export const isNodeId = (text: string): boolean => PATTERN.test(text);

/** For lists that people scroll: programs go on behind the last one of the answer before, which costs less. */
export const Offset = Type.Optional(
  Type.Integer({ minimum: 0, maximum: 10_000_000, description: 'how many are left out before the first one' }),
);
