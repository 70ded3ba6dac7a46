/** Rules for configured URLs, and URLs derived from them. */

/** A scheme and visible characters. No backslash, which URL parsers read as a slash. */
const literal = () => /^https?:\/\/(?!\/)[^\p{C}\p{Z}\\]+$/iu;

/** What is wrong with a configured URL, worded to follow its name (`must be ...`); undefined if it is valid or ''. */
export function urlFault(url: string): string | undefined {
  if (url === '') return undefined;
  if (!literal().test(url)) return 'must be http:// or https:// and printable, without spaces';
  if (!URL.canParse(url)) return 'is not a URL';
  if (url.includes('#')) return 'must have no fragment: no request has one';
  const authority = url.split(/[/?#]/, 3)[2] ?? '';
  // An internationalized name is sent in another form (Punycode), and may look like another name.
  if (!/^[!-~]*$/.test(authority)) return 'must name its host in ASCII';
  return authority.includes('@') ? 'must not hold a user name or password' : undefined;
}

/** The path as it is sent: characters beyond ASCII percent-encoded (RFC 3987, 3.1), all others unchanged. */
export const onTheWire = (path: string): string => path.replaceAll(/[^!-~]+/gu, encodeURIComponent);

/** Appends the path `part` to a URL that has neither query nor fragment. */
export const under = (url: string, part: string): string => `${url.replace(/\/+$/, '')}/${part}`;
