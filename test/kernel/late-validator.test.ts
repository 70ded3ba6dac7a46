/** A validator that an image carries as text. */
import { describe, expect, it } from 'vitest';
import { lateValidator } from '../../runtime/kernel/late-validator.ts';

const TEXT = `(() => {
  globalThis.compiledValidators = (globalThis.compiledValidators ?? 0) + 1;
  const validate = (value) => {
    validate.errors = value === 1 ? null : [{ instancePath: '', keyword: 'const', params: { allowedValue: 1 } }];
    return value === 1;
  };
  return { One: validate };
})`;
const compiled = () => (globalThis as { compiledValidators?: number }).compiledValidators ?? 0;

describe('a validator that an image carries as text', () => {
  it('is compiled once, when it is first called', () => {
    const before = compiled();
    const validate = lateValidator('One', TEXT);
    expect(compiled()).toBe(before);
    expect([validate(1), validate(2), validate(1)]).toEqual([true, false, true]);
    expect(compiled()).toBe(before + 1);
  });

  it('has the errors of the last value, and none of one before it', () => {
    const validate = lateValidator('One', TEXT);
    validate(2);
    expect(validate.errors).toMatchObject([{ keyword: 'const' }]);
    validate(1);
    expect(validate.errors).toBeNull();
  });

  it('is named where its text is no program', () => {
    const validate = lateValidator('Broken', 'this is no program');
    expect(() => validate(1)).toThrow(
      expect.objectContaining({ stack: expect.stringContaining('validator of Broken') }),
    );
  });
});
