/** Terms of a filter that buttons and lists set; the rest is typed. */

const termOf = (key: string) => new RegExp(`(?:^|\\s)${key}:("[^"]*"|[^\\s"]*)`, 'i');

/** The value of a key; '' where the filter has none. */
export const valueIn = (filter: string, key: string): string =>
  (termOf(key).exec(filter)?.[1] ?? '').replaceAll('"', '');

/** The filter with another value of a key; '' takes its term away. */
export function withValue(filter: string, key: string, value: string): string {
  const rest = filter.replace(termOf(key), '').trim();
  const quoted = /^[^\s",]+$/.test(value) ? value : `"${value.replaceAll('"', '')}"`;
  return value === '' ? rest : `${rest} ${key}:${quoted}`.trim();
}
