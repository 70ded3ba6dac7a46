/** What a model of printer makes of its bytes, by the names that its recipe uses. */
import type { PrinterModel, SymbolModules } from '../../contract.ts';
import { type Glyphs, glyphsOf } from './codepages.ts';
import { type TwoByteGlyphs, twoByteGlyphsOf } from './two-byte-glyphs.ts';

/** What is said of a command that a model does not have. */
export type Lack = 'told' | 'listed';

/** What a model of printer makes of its bytes. */
export interface PaperModel {
  readonly glyph: Glyphs;
  readonly twoByte?: TwoByteGlyphs;
  /** Dots across that the head prints. */
  readonly dots: number;
  /** Characters of Font A across. */
  readonly columns: number;
  /** Commands that this model does not have, by name: told on the paper, or in its list alone. */
  readonly lacks?: ReadonlyMap<string, Lack>;
  /** The symbols that are drawn in another place, by their key. */
  readonly symbols?: ReadonlyMap<string, SymbolModules>;
}

/** What a printer without a cutter does not have. */
const CUTS = ['GS V', 'ESC i', 'ESC m'].map((name) => [name, 'told'] as const);
/** And one without a two-byte font. Libraries send them with each line, to be sure, and the paper would be full of notes. */
const TWO_BYTE = [...'!&-.2?CSW'].map((second) => [`FS ${second}`, 'listed'] as const);

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
    lacks: new Map([...(cutter ? [] : CUTS), ...(font ? [] : TWO_BYTE)]),
  };
};
