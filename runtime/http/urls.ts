/** URLs that the node is told to send to: what they may look like, and what stands under them. */

/** Printable ASCII after the scheme: what goes on the wire as it stands. No backslash, which URL parsers read as a slash. */
const LITERAL = /^https?:\/\/(?!\/)[!-[\]-~]+$/i;

/** What is wrong with a URL to send to, to follow its name in a sentence; undefined for a good one and for ''. */
export function urlFault(url: string): string | undefined {
  if (url === '') return undefined;
  if (!LITERAL.test(url)) return 'must be http:// or https:// and printable ASCII without spaces';
  if (!URL.canParse(url)) return 'is not a URL';
  const authority = url.split(/[/?#]/, 3)[2] ?? '';
  return authority.includes('@') ? 'must not hold a user name or password' : undefined;
}

/** `part` under a URL that has neither query nor fragment. */
export const under = (url: string, part: string): string => `${url.replace(/\/+$/, '')}/${part}`;
