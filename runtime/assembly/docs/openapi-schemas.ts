/**
 * The schemas of an image for its OpenAPI document, with those that are composed from the declarations of several rooms. For the
 * build; not in an image.
 */

import { type TObject, type TSchema, Type } from '@sinclair/typebox';
import { defined } from '../../base/defined.ts';
import { isRecord } from '../../base/record.ts';
import { open, STATUS, WEBHOOK_EVENT } from '../../base/schema.ts';
import { Shapes } from '../../http/openapi-parts.ts';
import type { Composition } from '../../kernel/composition.ts';
import type { ConfigDeclaration } from '../../kernel/config.ts';
import { CONFIG_STORED, CONFIG_VIEW } from '../../kernel/config.ts';
import { configPatchSchema } from '../../kernel/schemas.ts';

const isObject = (schema: TSchema): schema is TObject => schema['type'] === 'object' && isRecord(schema['properties']);

/** Names under which several rooms declare a schema each: together they make up the named one. */
const COMPOSED = [STATUS, WEBHOOK_EVENT];

/** The schemas of one image. Throws if two different ones have the same `$id`. */
export function shapesOf(composition: Composition): Shapes {
  const { plugins, routes, events, config } = composition;
  return new Shapes(
    [
      ...composed(composition),
      ...routes.flatMap(({ body, response }) => [body?.schema, response]),
      ...[...events.values(), ...config.values()].map(({ schema }) => schema),
      ...plugins.flatMap(({ webhooks = [] }) => webhooks.map(({ body }) => body)),
    ],
    COMPOSED,
  );
}

/** The schemas that are composed from the declarations of several rooms. */
function composed({ plugins, config, webhookEvents }: Composition): TSchema[] {
  const keys = [...config.values()];
  const view = Object.fromEntries(keys.map(shown));
  const parts = plugins.flatMap(({ status }) => (status === undefined ? [] : [status]));
  return [
    choiceOf(webhookEvents),
    // A default would say that a key which is not sent is set to it.
    configPatchSchema(keys),
    open(view, { $id: CONFIG_VIEW }),
    open({ ok: Type.Literal(true), ...view }, { $id: CONFIG_STORED }),
    { ...parts.reduce<TSchema>(merged, open({})), $id: STATUS },
  ];
}

/** The schema of an event type that a webhook of the image can carry: an enumeration. */
export const choiceOf = (webhookEvents: readonly string[]): TSchema =>
  Type.Union(
    webhookEvents.map((type) => Type.Literal(type)),
    { $id: WEBHOOK_EVENT },
  );

/** One configuration key as GET /config shows it: a secret is a flag; what has a default is required. */
function shown({ key, schema, default: value, secrets = [] }: ConfigDeclaration): [string, TSchema] {
  const flag = Type.Boolean({ description: 'whether one is stored' });
  if (secrets.includes(key)) return [`${key}Set`, flag];
  // With a default it differs from the named schema, so it loses the name.
  const { $id: _, ...unnamed } = schema;
  if (!isObject(schema)) return [key, { ...unnamed, default: value } as TSchema];
  const { properties, description } = schema;
  const visible = Object.entries(properties).filter(([name]) => !secrets.includes(name));
  const known = Object.entries(Object(value)).filter(([name]) => !secrets.includes(name));
  return [
    key,
    {
      type: 'object',
      ...defined({ description }),
      properties: Object.fromEntries([...visible, ...secrets.map((name) => [`${name}Set`, flag])]),
      required: [
        ...visible.map(([name]) => name).filter((name) => isRecord(value) && name in value),
        ...secrets.map((name) => `${name}Set`),
      ],
      default: Object.fromEntries([...known, ...secrets.map((name) => [`${name}Set`, false])]),
    } as unknown as TSchema,
  ];
}

/** Merges two object schemas: the result has the properties of both. If one is not an object, the later one is used. */
function merged(a: TSchema, b: TSchema): TSchema {
  if (!isObject(a) || !isObject(b)) return b;
  const properties: Record<string, TSchema> = { ...a.properties };
  for (const [name, schema] of Object.entries(b.properties)) {
    const other = properties[name];
    properties[name] = other === undefined ? schema : merged(other, schema);
  }
  const required = [...new Set([...(a.required ?? []), ...(b.required ?? [])])];
  const { $id: _, ...rest } = b;
  return { ...rest, ...a, properties, ...(required.length > 0 && { required }) } as TSchema;
}
