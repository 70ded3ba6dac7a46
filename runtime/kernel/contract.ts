/** Validation against the schemas of the contract. Validators are compiled by the build; here they are only looked up. */
import type { TSchema } from '@sinclair/typebox';

/** The first fault of a body: where it is and what is wrong there. */
export interface SchemaFault {
  /** JSON pointer without its leading slash, '' for the body itself. */
  readonly path: string;
  readonly message: string;
  /** The JSON Schema keyword that failed. */
  readonly keyword: string;
}

/** The part of an ajv standalone function this project relies on. */
export interface CompiledValidator {
  (value: unknown): boolean;
  errors?: readonly AjvFault[] | null;
}
export interface AjvFault {
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Compiled validators by `$id`. */
export type Validators = Readonly<Record<string, CompiledValidator>>;

export class Contract {
  readonly #validators: Validators;
  constructor(validators: Validators) {
    this.#validators = validators;
  }

  /** Undefined where the value has the shape; else the first fault. */
  fault(schema: TSchema, value: unknown): SchemaFault | undefined {
    const validate = schema.$id === undefined ? undefined : this.#validators[schema.$id];
    if (validate === undefined) throw new Error(`no compiled validator for schema ${schema.$id ?? '(without $id)'}`);
    if (validate(value)) return undefined;
    const [first] = validate.errors ?? [];
    return first === undefined ? { path: '', message: 'is not valid', keyword: 'unknown' } : describe(first);
  }

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
