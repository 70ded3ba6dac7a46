/** What the build makes of schemas: validators as text, and of those of input the module `virtual:validators`. */
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { TSchema } from '@sinclair/typebox';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { transform } from 'esbuild';
import { createAjv } from '../../base/ajv.ts';
import { LATER } from '../../base/later.ts';
import { PACKAGES } from '../../kernel/late-validator.ts';

/** What a module needs that has validators in it. */
export const IMPORTED = `import { lateValidator } from ${JSON.stringify(join(process.cwd(), 'runtime/kernel/late-validator.ts'))};`;

/** An export for each schema, by its `$id`. What several have within them, by its `$id` there, is in one text for all of them. */
export async function validatorsSource(schemas: ReadonlyMap<string, TSchema>): Promise<string> {
  const ajv = createAjv({ inlineRefs: false, messages: false });
  const parts = new Map<string, object>();
  const groups = new Map<string, string[]>();
  for (const [id, schema] of schemas) {
    const { $id: _, ...own } = schema;
    const used = new Set<string>();
    ajv.addSchema(referring(own, parts, used) as object, id);
    const key = used.size > 0 ? [...used].sort().join() : id;
    groups.set(key, [...(groups.get(key) ?? []), id]);
  }
  for (const [id, part] of parts) ajv.addSchema(part, id);
  const exported = [...groups.values()].map(async (ids, index) => [
    `const text${index} = ${JSON.stringify(LATER + (await textOf(ajv, ids)))};`,
    ...ids.map((id) => `export const ${id} = /* @__PURE__ */ lateValidator(${JSON.stringify(id)}, text${index});`),
  ]);
  return [IMPORTED, ...(await Promise.all(exported)).flat()].join('\n');
}

/** The schema with a reference in place of each one within it that has an `$id`; these come into `parts`. */
function referring(schema: unknown, parts: Map<string, object>, used: Set<string>): unknown {
  if (Array.isArray(schema)) return schema.map((each) => referring(each, parts, used));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $id, ...own } = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, referring(value, parts, used)]),
  );
  if (typeof $id !== 'string') return $id === undefined ? own : { $id, ...own };
  if (!isDeepStrictEqual(parts.get($id) ?? own, own)) throw new Error(`two schemas are called ${$id}`);
  parts.set($id, own);
  used.add($id);
  return { $ref: $id };
}

/** An expression whose value is the validator of the schema that `ajv` has by this id; throws if there is none. */
export async function validatorOf(ajv: ReturnType<typeof createAjv>, id: string): Promise<string> {
  return `lateValidator(${JSON.stringify(id)}, ${JSON.stringify(await textOf(ajv, [id]))})`;
}

/** The text for `lateValidator`, with the validators of these schemas. Nobody reads its names. */
async function textOf(ajv: ReturnType<typeof createAjv>, ids: readonly string[]): Promise<string> {
  const unknown = ids.find((id) => ajv.getSchema(id) === undefined);
  if (unknown !== undefined) throw new Error(`ajv has no validator for ${unknown}`);
  const module = standaloneCode.default(ajv, Object.fromEntries(ids.map((id) => [id, id])));
  for (const [, name = ''] of module.matchAll(/\brequire\("([^"]*)"\)/g)) {
    if (!(name in PACKAGES)) throw new Error(`a validator needs ${name}, which no image has`);
  }
  const lean = module
    // Nobody asks at which place of a schema a value is wrong: the answers say where in the value it is.
    .replaceAll(/schemaPath:"(?:[^"\\]|\\.)*",/g, '')
    // What assigns to `exports` is taken for a module, and given a loader.
    .replaceAll(/(?<=^|;)exports(?=[.[])/g, 'validators');
  const { code } = await transform(lean, { minify: true, treeShaking: true, format: 'iife', target: 'node20' });
  return `(require)=>{"use strict";const validators={};${code.trim()}return validators}`;
}
