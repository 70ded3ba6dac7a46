/** What bytes print on a printer with these properties, its own fonts drawn with faces of this tree. */
import { glyphsOf } from '../../plugins/printer/virtual/paper/codepages.ts';
import { type Bitmap, blank } from './bitmap.ts';
import { cells, MONO } from './pango.ts';
import { type Fonts, type Printout, printout } from './printout.ts';

/** Options of a recipe row (`codecs/escpos.ts`). */
export interface PrinterOptions {
  readonly columns?: number;
  readonly dots?: number;
  readonly codePages?: string;
  readonly twoByte?: string;
}

/** What an Epson printer is. */
export const MODEL = { dots: 576, columns: 48, codePages: 'epson', twoByte: 'none' };

/** The face of a printer's two-byte font, and the name of its bytes. */
const TWO_BYTE: Readonly<Record<string, { readonly encoding: string; readonly face: string }>> = {
  gb18030: { encoding: 'gb18030', face: 'noto-sans-sc' },
  big5: { encoding: 'big5', face: 'noto-sans-sc' },
  shift_jis: { encoding: 'shift_jis', face: 'noto-sans-sc' },
  ks: { encoding: 'euc-kr', face: 'nanum-gothic' },
};

/** What these bytes print on a printer with these options. */
export async function decoded(bytes: Uint8Array, options: PrinterOptions = {}): Promise<Printout> {
  const { dots, codePages, twoByte } = { ...MODEL, ...options };
  const pages = glyphsOf(codePages);
  const wide = TWO_BYTE[twoByte];
  // Once to learn which characters are printed, in cells of which size, and once with their glyphs.
  const wanted = new Map<
    string,
    { readonly width: number; readonly height: number; readonly characters: Set<string> }
  >();
  const fonts: Fonts = {
    character: (byte, page) => pages(byte, page, 0),
    ...(wide && { twoByte: wide.encoding }),
    glyph: (character, width, height) => {
      const size = `${width}x${height}`;
      if (!wanted.has(size)) wanted.set(size, { width, height, characters: new Set() });
      wanted.get(size)?.characters.add(character);
      return blank(width, height);
    },
  };
  printout(bytes, fonts, dots);
  const drawn = new Map<string, ReadonlyMap<string, Bitmap>>();
  for (const [size, { width, height, characters }] of wanted) {
    const face = width === height && wide !== undefined ? wide.face : MONO;
    drawn.set(size, await cells([...characters], face, width, height));
  }
  return printout(bytes, { ...fonts, glyph: (each, w, h) => drawn.get(`${w}x${h}`)?.get(each) ?? blank(w, h) }, dots);
}
