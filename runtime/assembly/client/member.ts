/** How a name stands as a member of a type that is written down. */

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u;

/** The name as it is where it is an identifier, else quoted (`'coin-acceptor'`): ECMA-262, PropertyName. */
export const member = (name: string): string =>
  IDENTIFIER.test(name) ? name : `'${JSON.stringify(name).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
