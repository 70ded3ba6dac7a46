/** Pictures of which nothing is printed. */
import type { Line } from '../contract.ts';

/** True for a raster without a dot: base64 of zeros alone. */
const isBlank = (line: Line): boolean => line.type === 'raster' && !/[^A=]/.test(line.data);

/** The index of the first picture without a black dot; -1 where there is none. */
export const blankPictureIn = (lines: readonly Line[]): number => lines.findIndex(isBlank);
