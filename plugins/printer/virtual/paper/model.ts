/** What a model of printer makes of its bytes, by the names that its recipe uses. */
import type { PrinterModel } from '../../contract.ts';
import { glyphsOf } from './codepages.ts';
import type { PaperModel } from './paper.ts';
import { twoByteGlyphsOf } from './two-byte-glyphs.ts';

export type { PaperModel };

/** The paper of a printer with these recipe options. */
export const paperModelOf = ({ dots, columns, codePages, twoByte = 'none' }: PrinterModel): PaperModel => {
  const font = twoByteGlyphsOf(twoByte);
  return { dots, columns, glyph: glyphsOf(codePages), ...(font && { twoByte: font }) };
};
