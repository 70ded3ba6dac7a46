import { describe, expect, it } from 'vitest';
import { languageFor } from '../../runtime/http/negotiation.ts';
import { languages } from '../catalogues.ts';

describe('the language of the document', () => {
  it.each([
    ['de-AT,de;q=0.9,en;q=0.8', undefined, 'de'],
    ['sv, pl;q=0.5, fr;q=0.7', undefined, 'fr'],
    ['sv', undefined, 'en'],
    [undefined, undefined, 'en'],
    ['de;q=0, it', undefined, 'it'],
    ['de', 'other=1; tillnode-language=nl', 'nl'],
    ['de', 'tillnode-language=xx', 'de'],
  ])('is for %s and the cookie %s: %s', (accepted, cookie, language) => {
    expect(languageFor(accepted, cookie, languages)).toBe(language);
  });
});
