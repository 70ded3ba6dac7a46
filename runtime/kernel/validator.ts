/**
 * Validation of values against declared schemas. The build compiles the validators; here they are looked up by `$id`.
 */
import type { TSchema } from '@sinclair/typebox';
import { type AjvFault, sentenceOf, shapeFaultOf } from '../base/shape-faults.ts';

/** The first fault of a body: where it is and what is wrong there. */
export interface SchemaFault {
  /** JSON pointer without its leading slash, '' for the body itself. */
  readonly path: string;
  readonly message: string;
  /** The JSON Schema keyword that failed. */
  readonly keyword: string;
}

/** What is wrong, behind where it is, as an answer says it. */
export const wordsOf = ({ path, message }: SchemaFault): string => (path === '' ? message : `${path}: ${message}`);

/** The part of ajv's standalone validation function that is used here: true if valid, else `errors` is set. */
export interface CompiledValidator {
  (value: unknown): boolean;
  errors?: readonly AjvFault[] | null;
}

/** Compiled validators by `$id`. */
export type Validators = Readonly<Record<string, CompiledValidator>>;

/** What a validator that names no fault is taken to say. */
const NOT_TOLD: AjvFault = { instancePath: '', keyword: 'schema', params: {} };

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
    const [first = NOT_TOLD] = validate.errors ?? [];
    return describe(first);
  }

  /** Whether a schema with this `$id` can be validated. */
  has(id: string): boolean {
    return Object.hasOwn(this.#validators, id);
  }
}

function describe(fault: AjvFault): SchemaFault {
  const path = fault.instancePath.slice(1).replaceAll('~1', '/').replaceAll('~0', '~');
  return { path, message: sentenceOf(shapeFaultOf(fault)), keyword: fault.keyword };
}
