/** Request fields: which coding and language a reader takes, and whether it has the document already. */

/** A list of RFC 9110 (12.4.2), in lower case: each item with its weight. */
const weighed = (field: string | string[] | undefined): Array<readonly [name: string, weight: number]> =>
  String(field ?? '')
    .toLowerCase()
    .split(',')
    .map((item) => {
      const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
      return [name, Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1')] as const;
    });

/** Accept-Encoding (12.5.3): gzip by name or by `*`, unless its weight is 0. */
export function takesGzip(field: string | string[] | undefined): boolean {
  const codings = new Map(weighed(field));
  return (codings.get('gzip') ?? codings.get('x-gzip') ?? codings.get('*') ?? 0) > 0;
}

const CHOSEN = /(?:^|;\s*)tillnode-language=([a-z]+)/;

/** What was chosen on the page (its cookie), else what the browser asks for most (12.5.4), else the first. */
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

/** If-None-Match (13.1.2), by weak comparison. */
export const takesTag = (field: string | undefined, etag: string): boolean =>
  (field ?? '').split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
