/** Rules for changes of the API key and the mode (specification 3.1 and 5, rules 5 to 9). */

import type { ConfigDeclaration } from '../../kernel/config.ts';
import { invalidConfig } from '../../kernel/config.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Call } from '../../kernel/plugin.ts';
import { ApiKey, ApiMode } from './contract.ts';

type Values = Readonly<Record<string, unknown>>;

/** Limits of the API key's length. */
export const API_KEY_LIMITS = { apiKeyMinCharacters: 16, apiKeyMaxCharacters: 128 };
/** No space at either end, where a header field would lose it (RFC 9110, 5.5). */
const KEY = /^[!-~][ -~]*[!-~]$/;

const isKey = (key: string): boolean =>
  key.length >= API_KEY_LIMITS.apiKeyMinCharacters && key.length <= API_KEY_LIMITS.apiKeyMaxCharacters && KEY.test(key);

/** Applies the patch of a request with the credential of that request. Rejects as `Config.patch`, or `api_locked`. */
export async function patchFor({ node: { config }, body, hasApiKey }: Call<Values>): Promise<void> {
  const shown = hasApiKey ? config.get('apiKey') : undefined;
  await config.patch(body, (previous) => authorize(shown, previous, body));
}

/** The declaration of `apiMode`. */
export const apiMode: ConfigDeclaration = { key: 'apiMode', schema: ApiMode, default: 'open' };

/** The declaration of `apiKey`, with the rules for both keys. */
export const apiKey: ConfigDeclaration = {
  key: 'apiKey',
  schema: ApiKey,
  default: '',
  secrets: ['apiKey'],
  check(next) {
    if (next['apiKey'] !== '' && !isKey(String(next['apiKey']))) {
      throw invalidConfig('apiKey must be 16 to 128 printable ASCII characters without a space at either end, or ""');
    }
    if (next['apiMode'] !== 'open' && next['apiKey'] === '') {
      throw invalidConfig(`apiMode ${String(next['apiMode'])} needs an apiKey; clearing it needs apiMode open as well`);
    }
  },
};

/** Throws `api_locked`. The mode is checked again, as it may have changed since the front checked the request. */
function authorize(key: string | undefined, previous: Values, patch: Values): void {
  const locked = previous['apiMode'] !== 'open' || Object.hasOwn(patch, 'apiKey');
  if (previous['apiKey'] !== '' && locked && key !== previous['apiKey']) throw new ApiError('api_locked');
}
