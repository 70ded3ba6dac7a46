/** Which schemas of a composition are validated, and how they are compiled. For the build and for tests; not in an image. */
import { type TSchema, Type } from '@sinclair/typebox';
import { createAjv } from './ajv.ts';
import type { Composition } from './composition.ts';
import { CONFIG_PATCH, type ConfigDeclaration } from './config.ts';
import type { CompiledValidator, Validators } from './contract.ts';
import { closed } from './schema.ts';

/** The shape of PUT /config in an image: every declared key, optional, nothing else. */
export const configPatchSchema = (declarations: Iterable<ConfigDeclaration>): TSchema =>
  closed(Object.fromEntries([...declarations].map(({ key, schema }) => [key, Type.Optional(schema)])), {
    $id: CONFIG_PATCH,
  });

/** Every schema an input is checked against, by `$id`. */
export function inputSchemas({ plugins, routes, config }: Composition): Map<string, TSchema> {
  const schemas = new Map<string, TSchema>([[CONFIG_PATCH, configPatchSchema(config.values())]]);
  const add = (schema: TSchema, what: string) => {
    const id = schema.$id;
    if (id === undefined) throw new Error(`${what} has no $id`);
    if (schemas.has(id) && schemas.get(id) !== schema) throw new Error(`two schemas are called ${id}`);
    schemas.set(id, schema);
  };
  for (const { method, path, body } of routes) {
    if (body !== undefined && body.schema.$id !== CONFIG_PATCH) add(body.schema, `the body of ${method} ${path}`);
  }
  for (const { name, inputs = [] } of plugins) {
    for (const schema of inputs) add(schema, `an input of ${name}`);
  }
  return new Map([...schemas].map(([id, schema]) => [id, compact(schema) as TSchema]));
}

/**
 * The same schema as it is compiled: a union of constants of one type, the way to write "one of these strings" here, is
 * an `enum`, for which ajv writes one comparison where it writes a block for each variant of a union.
 */
function compact(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(compact);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { anyOf, ...others } = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, compact(value)]));
  if (!Array.isArray(anyOf)) return anyOf === undefined ? others : { ...others, anyOf };
  const types = new Set(anyOf.map(({ type }: { type?: unknown }) => type));
  const isChoice = types.size === 1 && anyOf.every((each: object) => 'const' in each);
  return isChoice ? { ...others, type: [...types][0], enum: anyOf.map((each) => each.const) } : { ...others, anyOf };
}

/** Validators for a composition, compiled here and now (about 200 ms; an image has them ready-made). */
export function compileValidators(composition: Composition): Validators {
  const ajv = createAjv();
  const validators: Record<string, CompiledValidator> = {};
  for (const [id, schema] of inputSchemas(composition)) validators[id] = ajv.compile(schema) as CompiledValidator;
  return validators;
}
