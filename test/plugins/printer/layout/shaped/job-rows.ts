/** Lines set in boxes, as rows of ink. */
import { type EscposOptions, resolveOptions } from '../../../../../codecs/escpos.ts';
import type { Line } from '../../../../../plugins/printer/contract.ts';
import { render } from '../../../../../plugins/printer/layout/layout.ts';
import { ShapedText } from '../../../../../plugins/printer/layout/shaped/shaped-text.ts';
import type { Typesetter } from '../../../../../plugins/printer/layout/typesetter.ts';
import { Boxes } from '../boxes.ts';
import { type InkRow, inkOf } from './columns-of-ink.ts';

/** The bytes of these lines, and the rows of ink that they are. Fails where the layout refuses them. */
export const job = (
  lines: readonly Line[],
  columns = 48,
  typesetter: Typesetter = new Boxes(),
  options: Partial<EscposOptions> = {},
) => {
  const dots = columns * 12;
  const made = render(
    lines,
    { columns, cutClearanceLines: 0 },
    resolveOptions({ columns, dots, ...options }),
    new ShapedText(typesetter),
  );
  if (!made.ok) throw new Error(made.detail);
  return { ...made, rows: inkOf(made.bytes, dots) };
};
/** The rows of one text. */
export const textRows = (value: string, style: object = {}, columns = 48, options: Partial<EscposOptions> = {}) =>
  job([{ type: 'text', value, ...style }], columns, new Boxes(), options).rows;
/** The first and the last dot of a row. */
export const edges = ({ ink }: InkRow) => [ink[0], ink.at(-1)];
