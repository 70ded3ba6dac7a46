/** What a model of printer makes of its bytes, by the names that its recipe uses. */
import type { PrinterModel, SymbolModules } from '../../contract/twin.ts';
import { type Lacks, lacksOf } from '../state/lacks.ts';
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
  /** Commands that this model does not have. */
  readonly lacks?: Lacks;
  /** Largest multiple of the character size. */
  readonly maxSize?: number;
  /** The symbols that are drawn in another place, by their key. */
  readonly symbols?: ReadonlyMap<string, SymbolModules>;
}

/** The paper of a printer with these recipe options and this name. */
export const paperModelOf = (model: PrinterModel, name?: string): PaperModel => {
  const { dots, columns, codePages, twoByte = 'none', maxSize = 8 } = model;
  const font = twoByteGlyphsOf(twoByte);
  return {
    ...{ dots, columns, glyph: glyphsOf(codePages) },
    ...(font && { twoByte: font }),
    ...{ lacks: lacksOf(model, name), maxSize },
  };
};
