/**
 * What the node and its drawing thread say to each other: which job a piece is drawn of, and back its answer or that there is more;
 * and faults of the faces.
 */
import type { EscposOptions } from '../../../codecs/escpos.ts';
import type { Dither, PictureFault } from '../../../codecs/picture.ts';
import type { Bitmap } from '../../../codecs/raster.ts';
import type { Line } from '../contract/lines.ts';
import type { AskedSymbol, SymbolModules } from '../contract/twin.ts';
import type { LayoutSettings, Rendered } from '../layout/layout.ts';

/** Lines to lay out, with a typesetter, for a printer with these options. */
export interface DrawingJob {
  readonly lines: readonly Line[];
  readonly settings: LayoutSettings;
  readonly options: EscposOptions;
  /** Direction controls that these lines have no more, for who looks at their paper. */
  readonly leftOut?: number;
  /** `bytes` for the printer, the paper that they make on it, or whether there are any. */
  readonly as: 'bytes' | 'paper' | 'check';
}

/** Symbols to draw for the paper of the virtual printer. */
export interface SymbolsJob {
  readonly as: 'symbols';
  readonly symbols: readonly AskedSymbol[];
}

/** A file to decode, whose dots are so many across. */
export interface PictureJob {
  readonly as: 'picture';
  readonly file: Uint8Array;
  readonly width: number;
  readonly dither: Dither;
}

/** The dots of a picture, or what is wrong with it. */
export type DrawnPicture =
  | { readonly ok: true; readonly bitmap: Bitmap }
  | { readonly ok: false; readonly error: PictureFault; readonly detail: string };

/** The modules of each. */
export interface DrawnSymbols {
  readonly ok: true;
  readonly symbols: readonly SymbolModules[];
}

/** The bytes of a job, what of them is drawn text, and how many graphemes are printed as a question mark. */
export type DrawnBytes = Extract<Rendered, { ok: true }>;

/** The paper of a job as a document in SVG: `data-substituted` and `data-left-out` on its root, its text in `<desc>`. */
export interface DrawnPaper {
  readonly ok: true;
  /** In UTF-8. */
  readonly svg: Uint8Array;
}

/** The answer to `check`: the lines can be printed. */
export interface DrawnNothing {
  readonly ok: true;
}

/** Why lines make no job: a code of the error table. */
export type DrawingRefusal = Exclude<Extract<Rendered, { ok: false }>, { error: 'needs_shaping' }>;

/** What a job comes to. */
export type DrawingAnswer = DrawnBytes | DrawnNothing | DrawnPaper | DrawnSymbols | DrawnPicture | DrawingRefusal;

/**
 * Asks for a piece of a job: with `job` for its first one. Each is answered before the next is asked for. `isDropped`: nobody
 * waits for the rest, which has no answer.
 */
export interface PieceOfJob {
  readonly id: number;
  readonly job?: DrawingJob | SymbolsJob | PictureJob;
  readonly isDropped?: true;
}

/**
 * What a job is at: its lines are laid out, which keeps little in the thread; or a paper or the dots of a picture are drawn, which
 * take many times as much.
 */
export type DrawingStage = 'lines' | 'paper' | 'picture';

/** The answer of the job, where it was drawn to its end. `stage`: where the next piece is of another one. */
export type PieceDrawn = DrawingAnswer | { readonly more: true; readonly stage?: DrawingStage };

/** What the thread is started with. */
export interface DrawingSettings {
  /** Whether the build put faces into this image, so that their absence is a fault. */
  readonly hasFaces: boolean;
}

/** Why jobs are laid out without the faces, as a stack trace. */
export interface DrawingFault {
  readonly fault: string;
}
