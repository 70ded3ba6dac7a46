/** Shapes of GET and PUT /config that belong to no other room (specification 2.6 and 5). */
import { Type } from '@sinclair/typebox';
import { CONFIG_PATCH } from '../../kernel/config.ts';
import { open } from '../../kernel/schema.ts';

export const ApiMode = Type.Union([Type.Literal('open'), Type.Literal('admin'), Type.Literal('strict')]);

/** Length and characters are a rule, not a shape: a missing credential is answered before either. */
export const ApiKey = Type.String({ description: '16 to 128 printable ASCII characters, or "" to clear; write only' });

/** Names the node answers to beside its own: dot-separated labels (RFC 1123, 2.1; underscores occur in the field). */
export const Hosts = Type.Array(
  Type.String({
    maxLength: 253,
    pattern: '^[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?(\\.[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)*$',
  }),
  { maxItems: 8, uniqueItems: true },
);

/** The body of PUT /config: its properties are the keys that the rooms of an image declare. */
export const ConfigPatch = Type.Unsafe<Readonly<Record<string, unknown>>>({ $id: CONFIG_PATCH });

const view = { apiMode: ApiMode, apiKeySet: Type.Boolean(), hosts: Hosts };
/** Every key of the image stands here; the other rooms' are in their contracts. */
export const Config = open(view, { $id: 'Config' });
export const ConfigStored = open({ ok: Type.Literal(true), ...view }, { $id: 'ConfigStored' });
