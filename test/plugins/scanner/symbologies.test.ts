import { describe, expect, it } from 'vitest';
import { SYMBOLOGIES } from '../../../codecs/symbology.ts';
import { ScannedSymbology } from '../../../plugins/scanner/contract.ts';

describe('a symbology', () => {
  it('has a name that the configuration can allow, and every name there is one', () => {
    const allowed: readonly { const: string }[] = ScannedSymbology.anyOf;
    expect([...SYMBOLOGIES].sort()).toEqual(allowed.map((it) => it.const).sort());
  });
});
