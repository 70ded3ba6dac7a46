/** Schemas of GET and PUT /config, and of the keys of this room (specification 2.6 and 5). */
import { type Static, Type } from '@sinclair/typebox';
import { named } from '../../base/schema.ts';
import { CONFIG_PATCH, CONFIG_STORED, CONFIG_VIEW } from '../../kernel/config.ts';

/** The configuration key `apiMode`: which routes need the API key. */
export const ApiMode = Type.Union([Type.Literal('open'), Type.Literal('admin'), Type.Literal('strict')]);

/** Length and characters are checked by a rule, not by the schema: a missing credential is reported first. */
export const ApiKey = Type.String({ description: '16 to 128 printable ASCII characters, or "" to clear; write-only' });

/** Host names the node accepts in addition to its own: dot-separated labels (RFC 1123, 2.1; underscores are in use). */
export const Hosts = Type.Array(
  Type.String({
    maxLength: 253,
    // A name whose last label is a number would be parsed as an address (WHATWG URL, host parsing).
    pattern:
      '^(?!(.*\\.)?([0-9]+|0[xX][0-9A-Fa-f]*)$)[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?(\\.[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)*$',
  }),
  { maxItems: 8, uniqueItems: true },
);

/** The body of PUT /config: its properties are the keys that the rooms of an image declare. */
export const ConfigPatch = named(CONFIG_PATCH);

/** The response of GET /config: secrets only as `<name>Set`. */
export const Config = named(CONFIG_VIEW);
/** The response of PUT /config. */
export const ConfigStored = named(CONFIG_STORED);

declare module '../../kernel/registry.ts' {
  interface ConfigKeys {
    apiMode: Static<typeof ApiMode>;
    apiKey: Static<typeof ApiKey>;
    hosts: Static<typeof Hosts>;
  }
  interface ConfigSecrets {
    apiKey: 'apiKey';
  }
}
