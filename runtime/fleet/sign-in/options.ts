/** The options of the command line that are about signing in. */
import { isLoopback } from '../../base/loopback.ts';
import type { OpenIdOptions } from './openid.ts';

/** For `parseArgs`. */
export const OPENID_ARGUMENTS = {
  openid: { type: 'string', default: '' },
  'openid-client': { type: 'string', default: '' },
  'openid-people': { type: 'string', default: '' },
} as const;

type Given = { readonly [Name in keyof typeof OPENID_ARGUMENTS]: string };

/** The provider, undefined where none is named. Throws with what is missing. `secret`: of the client; '' for none. */
export function openIdOf(given: Given, secret: string): OpenIdOptions | undefined {
  const { openid: issuer, 'openid-client': client, 'openid-people': list } = given;
  if (issuer === '') return undefined;
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (!isSafe) throw new Error('--openid is not the https:// URL of a provider');
  if (client === '') throw new Error('--openid-client is needed with --openid: the id of the fleet at the provider');
  const people = list.split(',').flatMap((each) => each.trim() || []);
  if (people.length === 0)
    throw new Error(
      '--openid-people is needed with --openid: a@example.org=owner, @example.org=viewer, group:staff=operator, subjects, or *',
    );
  return { issuer, client, secret, people };
}
