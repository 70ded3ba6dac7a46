/** What a model of printer makes of its bytes, by the names that its recipe uses. */
import type { PrinterModel } from '../../contract.ts';
import { type Glyphs, glyphsOf } from './codepages.ts';
import { type TwoByteGlyphs, twoByteGlyphsOf } from './two-byte-glyphs.ts';

/** What a model of printer makes of its bytes. */
export interface PaperModel {
  readonly glyph: Glyphs;
  readonly twoByte?: TwoByteGlyphs;
  /** Dots across that the head prints. */
  readonly dots: number;
  /** Characters of Font A across. */
  readonly columns: number;
  /** Commands that this model does not have, by name. */
  readonly lacks?: ReadonlySet<string>;
}

/** What a printer without a cutter does not have. */
const CUTS: ReadonlySet<string> = new Set(['GS V', 'ESC i', 'ESC m']);

/** The paper of a printer with these recipe options. */
export const paperModelOf = ({
  dots,
  columns,
  codePages,
  twoByte = 'none',
  cutter = true,
}: PrinterModel): PaperModel => {
  const font = twoByteGlyphsOf(twoByte);
  return {
    ...{ dots, columns, glyph: glyphsOf(codePages) },
    ...(font && { twoByte: font }),
    ...(!cutter && { lacks: CUTS }),
  };
};
