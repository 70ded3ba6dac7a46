type Defined<T> = { -readonly [Key in keyof T]?: Exclude<T[Key], undefined> };

/** The same values without those that are undefined, for an object whose optional keys are there or not. */
export const defined = <T extends object>(values: T): Defined<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
