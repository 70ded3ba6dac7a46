/** Byte ranges of a response (RFC 9110, section 14). */

export interface Range {
  readonly first: number;
  /** Included. */
  readonly last: number;
}

/**
 * The range that a request asks for of a whole of `length` bytes: undefined for the whole, also where several are asked
 * for or the field is not understood (units are the same in any case); 'unsatisfiable' where it lies behind the end.
 */
export function rangeOf(field: string, length: number): Range | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/i.exec(field.trim()) ?? [];
  if (from === '' && to === '') return undefined;
  if (from === '')
    return to === '0' || Number(to) === 0
      ? 'unsatisfiable'
      : { first: Math.max(0, length - Number(to)), last: length - 1 };
  const [first, last] = [Number(from), to === '' ? length - 1 : Math.min(Number(to), length - 1)];
  if (to !== '' && Number(to) < first) return undefined;
  return first >= length ? 'unsatisfiable' : { first, last };
}
