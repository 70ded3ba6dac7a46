/** Collects and compiles the schemas that input is validated with. For the build and for tests; not in an image. */
import { type TSchema, Type } from '@sinclair/typebox';
import { compiledOnce } from '../base/ajv.ts';
import { closed } from '../base/schema.ts';
import type { Composition } from './composition.ts';
import { CONFIG_PATCH, type ConfigDeclaration } from './config.ts';
import { StoredKey } from './keys-schema.ts';
import type { CompiledValidator, Validators } from './validator.ts';

/** The schema for the body of PUT /config: every declared key, optional, and no other. */
export const configPatchSchema = (declarations: Iterable<ConfigDeclaration>): TSchema =>
  closed(Object.fromEntries([...declarations].map(({ key, schema }) => [key, Type.Optional(schema)])), {
    $id: CONFIG_PATCH,
    // Of keys that have one.
    examples: [
      Object.fromEntries(
        [...declarations].flatMap(({ key, schema: { examples: [e] = [] } }) => (e === undefined ? [] : [[key, e]])),
      ),
    ],
  });

/** All schemas that input is validated with, by `$id`. Throws if one has no `$id` or two different ones share it. */
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
  add(StoredKey, 'an input of the kernel');
  return new Map([...schemas].map(([id, schema]) => [id, compact(schema) as TSchema]));
}

/**
 * Replaces each union of constants of one type by an equivalent `enum`, for which ajv generates much less code: one
 * comparison instead of one block for each member.
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

/**
 * The validators of a composition, each compiled when it is asked for: compiling all takes a second. An image contains them
 * already compiled.
 */
export function compileValidators(composition: Composition): Validators {
  const validators: Record<string, CompiledValidator> = {};
  for (const [id, schema] of inputSchemas(composition)) {
    let validator: CompiledValidator | undefined;
    const get = () => (validator ??= compiledOnce(schema) as CompiledValidator);
    Object.defineProperty(validators, id, { enumerable: true, get });
  }
  return validators;
}
