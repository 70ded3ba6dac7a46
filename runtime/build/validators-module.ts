/** What the build makes of schemas: validators as text, and of those of input the module `virtual:validators`. */
import { join } from 'node:path';
import type { TSchema } from '@sinclair/typebox';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { build, type Plugin as EsbuildPlugin } from 'esbuild';
import { createAjv } from '../kernel/ajv.ts';

const ROOT = process.cwd();
const NAME = 'validator';

/** What a module needs that has validators in it. */
export const IMPORTED = `import { lateValidator } from ${JSON.stringify(join(ROOT, 'runtime/kernel/late-validator.ts'))};`;

/** An export for each schema, by its `$id`; each is independent of the others. `collect` notes the packages in them. */
export async function validatorsSource(schemas: ReadonlyMap<string, TSchema>, collect: EsbuildPlugin): Promise<string> {
  const ajv = createAjv();
  for (const [id, schema] of schemas) ajv.addSchema(schema, id);
  const exported = [...schemas.keys()].map(
    async (id) => `export const ${id} = /* @__PURE__ */ ${await validatorOf(ajv, id, collect)};`,
  );
  return [IMPORTED, ...(await Promise.all(exported))].join('\n');
}

/** An expression whose value is the validator of the schema that `ajv` has by this id; throws if there is none. */
export async function validatorOf(
  ajv: ReturnType<typeof createAjv>,
  id: string,
  collect: EsbuildPlugin,
): Promise<string> {
  const validate = ajv.getSchema(id);
  if (validate === undefined) throw new Error(`ajv has no validator for ${id}`);
  const source = await scriptOf(standaloneCode.default(ajv, validate), collect);
  return `lateValidator(${JSON.stringify(id)}, ${JSON.stringify(source)})`;
}

/** The module as one expression, with what it needs of ajv inside. Nobody reads its names. */
async function scriptOf(contents: string, collect: EsbuildPlugin): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: ROOT },
    bundle: true,
    format: 'iife',
    globalName: NAME,
    minify: true,
    target: 'node20',
    write: false,
    logLevel: 'silent',
    plugins: [collect],
  });
  return `(()=>{${outputFiles[0]?.text ?? ''}return ${NAME}.default})()`;
}
