/**
 * Converts the schemas of the contract for an OpenAPI document: plain JSON Schema, named ones under `components`, and
 * those that are composed from the declarations of several rooms. For the build; not in an image.
 */
import { type TObject, type TSchema, Type } from '@sinclair/typebox';
import { defined } from '../../base/defined.ts';
import { open, STATUS, WEBHOOK_EVENT } from '../../base/schema.ts';
import type { Composition } from '../../kernel/composition.ts';
import type { ConfigDeclaration } from '../../kernel/config.ts';
import { CONFIG_STORED, CONFIG_VIEW } from '../../kernel/config.ts';
import { configPatchSchema } from '../../kernel/schemas.ts';

/** A JSON object. */
export type Json = { readonly [key: string]: unknown };

/** What regular expressions of ECMA-262 have and those of Python or Rust (pydantic) lack, so that they refuse the whole. */
const ECMA_ONLY = /\(\?<?[=!]|\\[pP]\{|\\u[dD][89a-fA-F]|\\[1-9]/;

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isObject = (schema: TSchema): schema is TObject => schema['type'] === 'object' && isRecord(schema['properties']);

/** The schemas of one image. Throws in the constructor if two different schemas have the same `$id`. */
export class Shapes {
  /** The schemas that `of` has referred to, by name: the `components.schemas` of the document. */
  readonly components: Record<string, Json> = {};
  readonly #known = new Map<string, TSchema>();

  constructor(composition: Composition) {
    for (const schema of composed(composition)) this.#learn(schema);
    const { plugins, routes, events, config } = composition;
    for (const { body, response } of routes) for (const schema of [body?.schema, response]) this.#learn(schema);
    for (const { schema } of [...events.values(), ...config.values()]) this.#learn(schema);
    for (const { body } of plugins.flatMap(({ webhooks = [] }) => webhooks)) this.#learn(body);
  }

  /**
   * A reference if the schema has a name, else the schema itself. A schema of a room not in the image is any object.
   */
  of(schema: TSchema): Json {
    const { $id } = schema;
    if ($id === undefined) return this.#plain(schema);
    const known = this.#known.get($id);
    if (known === undefined) return { type: 'object' };
    if (this.components[$id] === undefined) {
      this.components[$id] = {};
      this.components[$id] = this.#plain(known);
    }
    return { $ref: `#/components/schemas/${$id}` };
  }

  /** The first example of a schema, by its name; undefined where it has none. */
  exampleOf({ $id = '' }: TSchema): unknown {
    return this.#known.get($id)?.['examples']?.[0];
  }

  /** The properties of an object schema: name, schema and whether it is required. */
  properties(schema: TObject): readonly (readonly [name: string, schema: Json, required: boolean])[] {
    return Object.entries(schema.properties).map(([name, each]) => [
      name,
      this.of(each),
      schema.required?.includes(name) === true,
    ]);
  }

  #learn(schema: unknown): void {
    if (Array.isArray(schema)) for (const part of schema) this.#learn(part);
    if (!isRecord(schema)) return;
    const { $id } = schema;
    if (typeof $id === 'string' && Object.keys(schema).length > 1) {
      const other = this.#known.get($id);
      if (other !== undefined && other !== schema && !COMPOSED.includes($id) && !isSame(other, schema)) {
        throw new Error(`two schemas are called ${$id}`);
      }
      if (other === undefined) this.#known.set($id, schema as unknown as TSchema);
    }
    for (const part of Object.values(schema)) this.#learn(part);
  }

  /** The schema without `$id`, with keywords that every reader knows. */
  #plain(schema: TSchema): Json {
    const plain: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === '$id') continue;
      if (keyword === 'maxUtf8Bytes') plain['x-max-utf8-bytes'] = value;
      else if (keyword === 'pattern' && ECMA_ONLY.test(value)) plain['x-pattern'] = value;
      else if (keyword === 'anyOf' && isEnumeration(value)) plain['enum'] = value.map(({ const: only }) => only);
      else if (['anyOf', 'oneOf', 'allOf'].includes(keyword))
        plain[keyword] = (value as TSchema[]).map((s) => this.of(s));
      else if (keyword === 'items') plain[keyword] = this.of(value as TSchema);
      else if (keyword === 'properties') {
        plain[keyword] = Object.fromEntries(
          Object.entries(value as Record<string, TSchema>).map(([name, each]) => [name, this.of(each)]),
        );
      } else plain[keyword] = value;
    }
    return plain;
  }
}

/** Names under which several rooms declare a schema each: together they make up the named one. */
const COMPOSED = [STATUS, WEBHOOK_EVENT];

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const isEnumeration = (value: unknown): value is { const: unknown }[] =>
  Array.isArray(value) && value.every((each) => isRecord(each) && 'const' in each);

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
