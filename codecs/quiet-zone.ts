/** White that symbols keep above and below them, in dots, as a job is written from its top to its end. */

/** White rows that a symbol wants at each side. */
export interface Quiet {
  readonly above: number;
  readonly below: number;
}

/** What is known at the end of what was written: white rows since the last ink, and how many the symbol there wants. */
export interface Space {
  readonly white: number;
  readonly wanted: number;
}

/** Behind a cut, and at the beginning: the job before this one ended with the white of its last symbol. */
export const CLEAR_SPACE: Space = { white: Number.POSITIVE_INFINITY, wanted: 0 };

/** Rows to add before ink that itself wants `quiet` of them and has `own`. */
export const lackingRows = ({ white, wanted }: Space, quiet: number, own: number): number =>
  Math.max(0, Math.max(wanted, quiet) - own - white);

/** White rows of a picture at its top and bottom; undefined where it has no ink. `rowBytes`: of a row. */
export function whiteRows(data: Uint8Array, rowBytes: number): Quiet | undefined {
  const first = data.findIndex((byte) => byte !== 0);
  if (first < 0) return undefined;
  const last = data.findLastIndex((byte) => byte !== 0);
  return { above: Math.floor(first / rowBytes), below: Math.floor((data.length - 1 - last) / rowBytes) };
}
