/** Generates the module `virtual:answers`, by which the command line knows a node's answers from another server's. */
import { createAjv } from '../../base/ajv.ts';
import { defined } from '../../base/defined.ts';
import { STATUS } from '../../base/schema.ts';
import type { Json } from '../../http/openapi-parts.ts';
import type { Composition } from '../../kernel/composition.ts';
import { CONFIG_STORED, CONFIG_VIEW } from '../../kernel/config.ts';
import type { ImageInfo } from '../../kernel/node.ts';
import type { Plugin } from '../../kernel/plugin.ts';
import { openapi } from '../docs/openapi.ts';
import { IMPORTED, validatorOf } from './validators-module.ts';

/** Shapes that every room may add to: a node with other rooms has other parts of them. */
const SHARED = [STATUS, CONFIG_VIEW, CONFIG_STORED];
const REF = '#/components/schemas/';

interface Operation {
  readonly operationId: string;
  readonly responses: { readonly 200: { readonly content: Readonly<Record<string, { readonly schema: Json }>> } };
}

/**
 * The source of the module: by `METHOD /path`, the media type of a success, and for JSON the validator of what all
 * versions of a node agree on: names that are required, and types; no values and no bounds.
 */
export async function answersSource(info: ImageInfo, composition: Composition): Promise<string> {
  const { paths, components } = openapi(info, composition) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    readonly components: { readonly schemas: Readonly<Record<string, Json>> };
  };
  const shapes = Object.fromEntries(Object.entries(components.schemas).map(([id, each]) => [id, loose(each)]));
  const sharedBy = (plugin: Plugin) =>
    Object.fromEntries(
      SHARED.flatMap((id) => {
        const each = components.schemas[id];
        return each === undefined ? [] : [[id, loose(ownPartOf(each, plugin))]];
      }),
    );
  // One for all of them: each compiles the schema of schemas for itself, which takes longer than a route.
  const ajv = createAjv({ messages: false });
  const entries = composition.plugins.flatMap((plugin) =>
    (plugin.routes ?? []).map(async ({ method, path }) => {
      const operation = paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
      const [type = '', { schema = {} } = {}] = Object.entries(operation?.responses[200].content ?? {})[0] ?? [];
      const name = `${method} ${path}`;
      if (type !== 'application/json') return `${JSON.stringify(name)}: ${JSON.stringify({ type })}`;
      const id = operation?.operationId ?? name;
      ajv.addSchema({ ...(loose(schema) as Json), $defs: { ...shapes, ...sharedBy(plugin) } }, id);
      const validate = await validatorOf(ajv, id);
      return `${JSON.stringify(name)}: { type: ${JSON.stringify(type)}, validate: ${validate} }`;
    }),
  );
  return `${IMPORTED}\nexport const answers = {\n${(await Promise.all(entries)).join(',\n')}\n};`;
}

/** The part of this room of a shape that all rooms add to: only that has to be there. */
function ownPartOf(shape: Json, { status, config = [] }: Plugin): Json {
  const own = [
    'ok',
    ...Object.keys(status?.properties ?? {}),
    ...config.map(({ key, secrets = [] }) => (secrets.includes(key) ? `${key}Set` : key)),
  ];
  return { ...shape, required: (shape['required'] as readonly string[]).filter((name) => own.includes(name)) };
}

/** A schema of the OpenAPI document without what a later version may change. */
function loose(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(loose);
  const { $ref, type, required, properties, items, anyOf, oneOf, const: only } = schema as Json;
  const parts = (anyOf ?? oneOf) as readonly unknown[] | undefined;
  return {
    ...(typeof $ref === 'string' && { $ref: $ref.replace(REF, '#/$defs/') }),
    ...defined({ type }),
    ...(typeof only === 'boolean' && { const: only }),
    ...defined({ required }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties as Json).map(([name, each]) => [name, loose(each)])),
    }),
    ...(items !== undefined && { items: loose(items) }),
    ...(parts !== undefined && { anyOf: loose(parts) }),
  };
}
