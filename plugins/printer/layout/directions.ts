/** Direction controls in the lines of a job (codecs/direction-controls.ts). */
import { hasControls, withoutOverrides } from '../../../codecs/direction-controls.ts';
import type { Line } from '../contract/lines.ts';

function mayTurn(line: Line): boolean {
  if (line.type === 'columns') return line.cells.some(({ value }) => hasControls(value));
  return (line.type === 'text' || line.type === 'banner') && hasControls(line.value);
}

/** The lines without what would show digits in another order, and how many characters were left out. */
export function linesWithoutOverrides(lines: readonly Line[]): {
  readonly lines: readonly Line[];
  readonly dropped: number;
} {
  if (!lines.some(mayTurn)) return { lines, dropped: 0 };
  let dropped = 0;
  const settled = (value: string): string => {
    const kept = withoutOverrides(value);
    dropped += kept.dropped;
    return kept.text;
  };
  const kept = lines.map((line): Line => {
    const before = dropped;
    switch (line.type) {
      case 'text':
      case 'banner': {
        const value = settled(line.value);
        return dropped === before ? line : { ...line, value };
      }
      case 'columns': {
        const cells = line.cells.map((cell) => ({ ...cell, value: settled(cell.value) }));
        return dropped === before ? line : { ...line, cells };
      }
      default:
        return line;
    }
  });
  return { lines: dropped === 0 ? lines : kept, dropped };
}
