/**
 * The schemas of the contract as an OpenAPI document has them: plain JSON Schema, named ones under components, and
 * those that follow from what the rooms of an image declare together. For the build; not in an image.
 */
import { type TObject, type TSchema, Type } from '@sinclair/typebox';
import type { Composition } from '../kernel/composition.ts';
import type { ConfigDeclaration } from '../kernel/config.ts';
import { CONFIG_STORED, CONFIG_VIEW } from '../kernel/config.ts';
import { open, STATUS, WEBHOOK_EVENT } from '../kernel/schema.ts';
import { configPatchSchema } from '../kernel/schemas.ts';

export type Json = { readonly [key: string]: unknown };

/** What regular expressions of ECMA-262 have and those of Python or Rust (pydantic) lack, so that they refuse the whole. */
const ECMA_ONLY = /\(\?<?[=!]|\\[pP]\{|\\u[dD][89a-fA-F]|\\[1-9]/;

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isObject = (schema: TSchema): schema is TObject => schema['type'] === 'object' && isRecord(schema['properties']);

export class Shapes {
  /** Schemas that were referred to, by name. */
  readonly components: Record<string, Json> = {};
  readonly #known = new Map<string, TSchema>();

  constructor(composition: Composition) {
    for (const schema of composed(composition)) this.#learn(schema);
    const { plugins, routes, events, config } = composition;
    for (const { body, response } of routes) for (const schema of [body?.schema, response]) this.#learn(schema);
    for (const { schema } of [...events.values(), ...config.values()]) this.#learn(schema);
    for (const { body } of plugins.flatMap(({ webhooks = [] }) => webhooks)) this.#learn(body);
  }

  /** A reference where it has a name, else the schema itself. The shape of a room that is not there is any object. */
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

  /** Of an object: name, schema and whether it has to be there. */
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

  /** Without the marks of the library that made it, and without keywords that no reader knows. */
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

/** What rooms write under these names is a part of it, or stands for it. */
const COMPOSED = [STATUS, WEBHOOK_EVENT];

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const isEnumeration = (value: unknown): value is { const: unknown }[] =>
  Array.isArray(value) && value.every((each) => isRecord(each) && 'const' in each);

/** The shapes that no room states alone. */
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

/** The types of events that a webhook of the image can carry. */
export const choiceOf = (webhookEvents: readonly string[]): TSchema =>
  Type.Union(
    webhookEvents.map((type) => Type.Literal(type)),
    { $id: WEBHOOK_EVENT },
  );

/** One key as GET /config shows it: what has a default is always there, a credential is a flag. */
function shown({ key, schema, default: value, secrets = [] }: ConfigDeclaration): [string, TSchema] {
  const flag = Type.Boolean({ description: 'whether one is stored' });
  if (secrets.includes(key)) return [`${key}Set`, flag];
  // With its default it is no longer the shape that goes by the name.
  const { $id: _, ...unnamed } = schema;
  if (!isObject(schema)) return [key, { ...unnamed, default: value } as TSchema];
  const { properties, description } = schema;
  const visible = Object.entries(properties).filter(([name]) => !secrets.includes(name));
  const known = Object.entries(Object(value)).filter(([name]) => !secrets.includes(name));
  return [
    key,
    {
      type: 'object',
      ...(description !== undefined && { description }),
      properties: Object.fromEntries([...visible, ...secrets.map((name) => [`${name}Set`, flag])]),
      required: [
        ...visible.map(([name]) => name).filter((name) => isRecord(value) && name in value),
        ...secrets.map((name) => `${name}Set`),
      ],
      default: Object.fromEntries(known),
    } as unknown as TSchema,
  ];
}

/** An object that two rooms write into has the properties of both; anything else is what the later one says. */
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
