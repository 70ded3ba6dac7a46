/** Reads header fields of a request: accepted coding and language, and whether the client has the document already. */

/** Parses a list with weights (RFC 9110, 12.4.2), in lower case. */
const weighed = (field: string | string[] | undefined): Array<readonly [name: string, weight: number]> =>
  String(field ?? '')
    .toLowerCase()
    .split(',')
    .map((item) => {
      const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
      return [name, Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1')] as const;
    });

/** Whether Accept-Encoding (RFC 9110, 12.5.3) permits gzip: by name or by `*`, unless its weight is 0. */
export function takesGzip(field: string | string[] | undefined): boolean {
  const codings = new Map(weighed(field));
  return (codings.get('gzip') ?? codings.get('x-gzip') ?? codings.get('*') ?? 0) > 0;
}

const CHOSEN = /(?:^|;\s*)tillnode-language=([a-z]+)/;

/**
 * The language of the response: the one that was chosen on the page (its cookie), else the one with the highest weight
 * in Accept-Language (RFC 9110, 12.5.4), else the first of `offered`.
 */
export function languageFor(
  accepted: string | string[] | undefined,
  cookie: string | undefined,
  offered: readonly string[],
): string {
  const chosen = CHOSEN.exec(cookie ?? '')?.[1] ?? '';
  if (offered.includes(chosen)) return chosen;
  const asked = weighed(accepted)
    .filter(([, weight]) => weight > 0)
    .sort(([, one], [, other]) => other - one)
    .map(([range]) => range.split('-')[0] ?? '');
  return asked.find((language) => offered.includes(language)) ?? offered[0] ?? '';
}

/** Whether If-None-Match (RFC 9110, 13.1.2) contains this entity tag, by weak comparison. */
export const takesTag = (field: string | undefined, etag: string): boolean =>
  (field ?? '').split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
