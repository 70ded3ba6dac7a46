/** What the two CUPS of the tests write into their configuration (cupsd.conf(5), cups-files.conf(5)). */

/** Everybody who can reach its socket may do everything. */
export const OPEN =
  '<Location />\n</Location>\n<Location /admin>\n</Location>\n<Policy default>\n<Limit All>\n</Limit>\n</Policy>\n';

/** A line for each directive. */
export const settings = (lines: Readonly<Record<string, string | number>>): string =>
  Object.entries(lines)
    .map((line) => `${line.join(' ')}\n`)
    .join('');
