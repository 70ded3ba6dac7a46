/** The only place where ajv is configured. Used by the build and by tests; no image contains ajv. */
import { _, Ajv2020, type AnySchemaObject, type KeywordCxt, type ValidateFunction } from 'ajv/dist/2020.js';
import type { KeywordErrorCxt } from 'ajv/dist/types/index.js';

/**
 * An ajv for JSON Schema 2020-12 in strict mode. Its keyword `maxUtf8Bytes` bounds the UTF-8 length of a string.
 * `inlineRefs`: whether what a schema refers to is copied into its code, where it refers to nothing itself. `messages`: ajv's
 * own, for those who do not say a fault by its keyword and parameters (`shapeFaultOf`).
 */
export function createAjv({ inlineRefs = true, messages = true } = {}): Ajv2020 {
  const ajv = new Ajv2020({
    inlineRefs,
    messages,
    strict: true,
    // A tagged union requires its tag beside the variants that describe it.
    strictRequired: false,
    // A union of literals is JSON Schema's way to say "one of these strings".
    allowUnionTypes: true,
    discriminator: true,
    allErrors: false,
    coerceTypes: false,
    useDefaults: false,
    code: { source: true, lines: false },
  });
  ajv.addKeyword({
    keyword: 'maxUtf8Bytes',
    type: 'string',
    schemaType: 'number',
    error: {
      message: 'must be shorter in UTF-8',
      params: ({ schemaCode }: KeywordErrorCxt) => _`{limit: ${schemaCode}}`,
    },
    code(context: KeywordCxt) {
      context.fail(_`Buffer.byteLength(${context.data}) > ${context.schemaCode}`);
    },
  });
  return ajv;
}

let compiler: Ajv2020 | undefined;
const compiled = new Map<string, ValidateFunction>();

/**
 * The validator of a schema that stands in code, never of one that came from outside: each text is kept, and compiled once
 * in a process. Most of the time of an ajv goes into the schema of schemas, which each one compiles for itself.
 */
export function compiledOnce(schema: AnySchemaObject): ValidateFunction {
  const text = JSON.stringify(schema);
  const before = compiled.get(text);
  if (before !== undefined) return before;
  compiler ??= createAjv();
  try {
    const validate = compiler.compile(schema);
    compiled.set(text, validate);
    return validate;
  } finally {
    // Another schema may have the same name.
    compiler.removeSchema(schema);
  }
}
