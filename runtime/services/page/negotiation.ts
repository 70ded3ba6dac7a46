/** Two request fields of RFC 9110: which coding a reader takes, and whether it has the document already. */

/** Accept-Encoding (12.5.3): gzip by name or by `*`, unless its weight is 0. */
export function takesGzip(field: string | string[] | undefined): boolean {
  const codings = new Map(
    String(field ?? '')
      .toLowerCase()
      .split(',')
      .map((item) => {
        const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
        const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
        return [name, Number(weight) > 0] as const;
      }),
  );
  return codings.get('gzip') ?? codings.get('x-gzip') ?? codings.get('*') ?? false;
}

/** If-None-Match (13.1.2), by weak comparison. */
export const takesTag = (field: string | undefined, etag: string): boolean =>
  (field ?? '').split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
