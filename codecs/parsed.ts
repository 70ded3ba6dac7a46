/** The result of a parser: the value, or the reason why the input is invalid. Parsers never throw. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };
