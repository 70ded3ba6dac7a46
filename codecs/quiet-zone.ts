/** White that symbols keep above and below them, in dots, as a job is written from its top to its end. */

/**
 * White rows behind a cut, and at the beginning, where the job before this one ended with the white of its last symbol: more
 * than any symbol wants.
 */
export const CLEAR = 0xffff;

/** White rows of a picture at its top and bottom; undefined where it has no ink. `rowBytes`: of a row. */
export function whiteRows(
  data: Uint8Array,
  rowBytes: number,
): { readonly above: number; readonly below: number } | undefined {
  const first = data.findIndex((byte) => byte !== 0);
  if (first < 0) return undefined;
  const last = data.findLastIndex((byte) => byte !== 0);
  return { above: Math.floor(first / rowBytes), below: Math.floor((data.length - 1 - last) / rowBytes) };
}
