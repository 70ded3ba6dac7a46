/** Validators that an image carries as text. */
import { runInThisContext } from 'node:vm';
import type { CompiledValidator } from './contract.ts';

/**
 * A validator that is compiled when it is first called. `name`: what stack traces show; `source`: an expression whose
 * value is the validator of ajv. An image has more code for validation than for anything else, and to read it as a string
 * takes a tenth of the time.
 */
export function lateValidator(name: string, source: string): CompiledValidator {
  let compiled: CompiledValidator | undefined;
  const validate: CompiledValidator = (value) => {
    compiled ??= runInThisContext(source, { filename: `validator of ${name}` }) as CompiledValidator;
    const isValid = compiled(value);
    validate.errors = compiled.errors ?? null;
    return isValid;
  };
  return validate;
}
