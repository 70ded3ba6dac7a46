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
  return schemas;
}

/** Validators for a composition, compiled here and now (about 200 ms; an image has them ready-made). */
export function compileValidators(composition: Composition): Validators {
  const ajv = createAjv();
  const validators: Record<string, CompiledValidator> = {};
  for (const [id, schema] of inputSchemas(composition)) validators[id] = ajv.compile(schema) as CompiledValidator;
  return validators;
}
