/** Validators that an image carries as text. */
import { runInThisContext } from 'node:vm';
import equal from 'ajv/dist/runtime/equal.js';
import ucs2length from 'ajv/dist/runtime/ucs2length.js';
import { laterText } from '../base/later.ts';
import type { CompiledValidator } from './validator.ts';

/** What validators of ajv load of it, by the names by which they do. */
export const PACKAGES: Readonly<Record<string, unknown>> = {
  'ajv/dist/runtime/equal': equal,
  'ajv/dist/runtime/ucs2length': ucs2length,
};

type Text = (require: (name: string) => unknown) => Readonly<Record<string, CompiledValidator>>;

/**
 * A validator that is compiled when it is first called. `id`: of its schema, which stack traces show; `text`: an expression
 * whose value is a function from a `require` to validators of ajv, by id. An image has more code for validation than for
 * anything else, and to read it as a string takes a tenth of the time.
 */
export function lateValidator(id: string, text: string): CompiledValidator {
  let compiled: CompiledValidator | undefined;
  const validate: CompiledValidator = (value) => {
    compiled ??= (runInThisContext(laterText(text), { filename: `validator of ${id}` }) as Text)(
      (name) => PACKAGES[name],
    )[id]!;
    const isValid = compiled(value);
    validate.errors = compiled.errors ?? null;
    return isValid;
  };
  return validate;
}
