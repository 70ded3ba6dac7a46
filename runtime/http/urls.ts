/** URLs that the node is told to send to: what they may look like, and what stands under them. */

/** Characters that can be seen, after the scheme. No backslash, which URL parsers read as a slash. */
const LITERAL = /^https?:\/\/(?!\/)[^\p{C}\p{Z}\\]+$/iu;

/** What is wrong with a URL to send to, to follow its name in a sentence; undefined for a good one and for ''. */
export function urlFault(url: string): string | undefined {
  if (url === '') return undefined;
  if (!LITERAL.test(url)) return 'must be http:// or https:// and printable, without spaces';
  if (!URL.canParse(url)) return 'is not a URL';
  if (url.includes('#')) return 'must have no fragment: no request has one';
  const authority = url.split(/[/?#]/, 3)[2] ?? '';
  // A name of other letters is another name on the wire, and may look like somebody else's.
  if (!/^[!-~]*$/.test(authority)) return 'must name its host in ASCII';
  return authority.includes('@') ? 'must not hold a user name or password' : undefined;
}

/** As it goes on the wire: bytes beyond ASCII percent-encoded (RFC 3987, 3.1), all others as they are. */
export const onTheWire = (path: string): string => path.replaceAll(/[^!-~]+/gu, encodeURIComponent);

/** `part` under a URL that has neither query nor fragment. */
export const under = (url: string, part: string): string => `${url.replace(/\/+$/, '')}/${part}`;
