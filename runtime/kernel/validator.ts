/**
 * Validation of values against declared schemas. The build compiles the validators; here they are looked up by `$id`.
 */
import type { TSchema } from '@sinclair/typebox';

/** The first fault of a body: where it is and what is wrong there. */
export interface SchemaFault {
  /** JSON pointer without its leading slash, '' for the body itself. */
  readonly path: string;
  readonly message: string;
  /** The JSON Schema keyword that failed. */
  readonly keyword: string;
}

/** The part of ajv's standalone validation function that is used here: true if valid, else `errors` is set. */
export interface CompiledValidator {
  (value: unknown): boolean;
  errors?: readonly AjvFault[] | null;
}
/** One error of ajv: where (JSON pointer, RFC 6901), which keyword failed, and its parameters. */
export interface AjvFault {
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Compiled validators by `$id`. */
export type Validators = Readonly<Record<string, CompiledValidator>>;

/** Validates values by the `$id` of their schema. */
export class Contract {
  readonly #validators: Validators;
  constructor(validators: Validators) {
    this.#validators = validators;
  }

  /** The first fault of a value; undefined if it is valid. Throws if the schema has no compiled validator. */
  fault(schema: Pick<TSchema, '$id'>, value: unknown): SchemaFault | undefined {
    const validate = schema.$id === undefined ? undefined : this.#validators[schema.$id];
    if (validate === undefined) throw new Error(`no compiled validator for schema ${schema.$id ?? '(without $id)'}`);
    if (validate(value)) return undefined;
    const [first] = validate.errors ?? [];
    return first === undefined ? { path: '', message: 'is not valid', keyword: 'unknown' } : describe(first);
  }

  /** Whether a schema with this `$id` can be validated. */
  has(id: string): boolean {
    return this.#validators[id] !== undefined;
  }
}

function describe(fault: AjvFault): SchemaFault {
  const path = fault.instancePath.slice(1).replaceAll('~1', '/').replaceAll('~0', '~');
  return { path, message: wording(fault), keyword: fault.keyword };
}

function wording({ keyword, message, params }: AjvFault): string {
  switch (keyword) {
    case 'additionalProperties':
      return `has an unknown key "${String(params['additionalProperty']).slice(0, 64)}"`;
    case 'discriminator':
      return params['error'] === 'mapping'
        ? `has an unknown ${String(params['tag'])} "${String(params['tagValue']).slice(0, 64)}"`
        : `needs a ${String(params['tag'])}`;
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`;
    case 'enum':
      return `must be ${(params['allowedValues'] as readonly unknown[]).map((each) => JSON.stringify(each)).join(' or ')}`;
    case 'maxUtf8Bytes':
      return `must be at most ${String(params['limit'])} UTF-8 bytes`;
    default:
      return message ?? 'is not valid';
  }
}
