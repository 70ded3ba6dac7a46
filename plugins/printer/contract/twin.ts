/** The virtual printer, as the twin's bench and the drawing thread see it. */
import type { DrawnText } from '../../../codecs/escpos-encoder.ts';

export type { DrawnText };

/** The properties of a virtual printer, named as the recipe options of `codecs/escpos.ts`. */
export interface PrinterModel {
  readonly dots: number;
  readonly columns: number;
  readonly codePages: string;
  readonly twoByte?: string;
  /** A cutter, GS ( H, GS ( D: it has these where they are left out. */
  readonly cutter?: boolean;
  readonly endOfPrint?: boolean;
  readonly realtimePulseDisable?: boolean;
  /** Largest multiple of the character size; 8 where it is left out. */
  readonly maxSize?: number;
}

/** A symbol that the virtual printer leaves to the drawing thread, by its name in BWIPP, as are its options. */
export interface AskedSymbol {
  readonly type:
    | ('azteccode' | 'datamatrix' | 'databaromni' | 'databartruncated' | 'databarlimited' | 'databarexpanded')
    | ('databarstacked' | 'databarstackedomni' | 'databarexpandedstacked');
  /** A character for each byte. */
  readonly text: string;
  readonly options: Readonly<Record<string, string | number>>;
}

/** Rows of modules, '1' is dark; undefined for what the symbology does not hold. */
export type SymbolModules = readonly string[] | undefined;

/** What the paper of the virtual printer tells of the commands that it came from; `tornOff` is in bytes, `tornOffRows` of `rows`. */
export interface PaperFacts {
  readonly rows: number;
  readonly commands: number;
  readonly ignored: { readonly command: string; readonly count: number }[];
  readonly tornOff: number;
  readonly tornOffRows: number;
}

/** What the twin's bench changes and reads of the virtual printer. */
export interface PrinterBench {
  /** Changes the model of the printer. */
  become(model: PrinterModel): void;
  set(change: {
    cover?: 'open' | 'closed';
    paper?: 'ok' | 'low' | 'out';
    drawer?: 'open' | 'closed';
    silent?: boolean;
    slow?: number;
  }): void;
  readonly state: Readonly<Record<string, unknown>> & { readonly cover: string; readonly paper: string };
  /** The text of these drawn rows, which `paperText` then gives back. */
  drew(texts: readonly DrawnText[]): void;
  /** Symbols of the paper that was made last, which it has no modules of: they are frames. */
  readonly undrawn: readonly AskedSymbol[];
  /** Takes the modules of symbols that were undrawn. */
  drewSymbols(asked: readonly AskedSymbol[], modules: readonly SymbolModules[]): void;
  paperText(): string;
  paperBytes(): Uint8Array;
  paperSvg(): string;
  paperFacts(): PaperFacts;
  /** The same as bytes: until the paper changes, all who ask get the same ones. */
  paper(as: 'svg' | 'text' | 'bytes'): Uint8Array;
  tearOff(): void;
}
