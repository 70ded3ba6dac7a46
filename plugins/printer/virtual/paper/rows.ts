/** What a paper shows: rows of it, with positions in dots from the top. */
import type { StoredGraphics } from '../state/memory.ts';
import type { Modes } from '../state/modes.ts';

export type Style = Pick<Modes, 'bold' | 'underline' | 'invert' | 'font' | 'width' | 'height'> & {
  /** Whether it is of the two-byte font. */
  readonly wide?: boolean;
  /** ESC V: each character lies on its right side. */
  readonly turned?: boolean;
  /** GS b. */
  readonly smooth?: boolean;
};
export type Bitmap = StoredGraphics;

export interface Box {
  /** Dots from the left edge of the paper, or of the line for a piece of one. */
  readonly x: number;
  readonly width: number;
  readonly height: number;
}

export type Piece = (Box & { readonly kind: 'text'; readonly text: string; readonly style: Style }) | ImagePiece;
export type ImagePiece = Box & { readonly kind: 'image'; readonly bitmap: Bitmap };

export interface PrintedSymbol {
  readonly width: number;
  readonly height: number;
  readonly symbology: string;
  readonly text: string;
  /** Rows of modules, 1 is dark; a bar code has one. None where the symbol is not drawn. */
  readonly modules: readonly string[];
  readonly hri: Modes['hri'];
  /** Font A where it is left out. */
  readonly hriFont?: Modes['font'];
}

/** Something on a page: its corner on the page, and how far it is turned about it, clockwise. */
export interface PageItem {
  readonly x: number;
  readonly y: number;
  readonly turn: 0 | 90 | 180 | 270;
  readonly mark: Piece | (PrintedSymbol & { readonly kind: 'symbol' });
}

export type Row = { readonly y: number } & (
  | {
      readonly kind: 'line';
      readonly x: number;
      readonly height: number;
      readonly pieces: readonly Piece[];
      /** ESC {: turned by 180 degrees. */
      readonly upsideDown?: boolean;
    }
  | { readonly kind: 'feed'; readonly height: number; readonly lines: number }
  | (Box & {
      readonly kind: 'raster';
      readonly bitmap: Bitmap;
      /** The data of each command that is part of it. */
      readonly sent: readonly Uint8Array[];
    })
  | (Box & { readonly kind: 'symbol' } & PrintedSymbol)
  | { readonly kind: 'page'; readonly height: number; readonly items: readonly PageItem[] }
  | { readonly kind: 'cut'; readonly height: number; readonly partial: boolean }
  /** Commands that this paper does not show, where they stood. It takes no room. */
  | { readonly kind: 'note'; readonly height: 0; readonly commands: readonly string[] }
);
export type RowOf<Kind extends Row['kind']> = Extract<Row, { kind: Kind }>;

export interface RasterShape {
  readonly rowBytes: number;
  readonly scaleX: number;
  readonly scaleY: number;
  /** Dots of a row that are printed; all of them by default. */
  readonly width?: number;
}
