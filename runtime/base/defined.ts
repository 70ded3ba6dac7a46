type Defined<T> = { -readonly [Key in keyof T]?: Exclude<T[Key], undefined> };

/** The same values without those that are undefined, for an object whose optional keys are there or not. */
export function defined<T extends object>(values: T): Defined<T> {
  const there: Partial<T> = {};
  for (const key of Object.keys(values) as (keyof T)[]) if (values[key] !== undefined) there[key] = values[key];
  return there as Defined<T>;
}
