/** The part of a line of the printer that a job is laid out in: all of it, unless the settings have fewer columns. */
import type { EscposOptions } from '../../../codecs/escpos.ts';
import { fontADots } from '../../../codecs/escpos-line.ts';

/**
 * The options of a printer whose `columns` and `dots` are those of the print area: `columns` of its characters, from the left
 * edge on. The same options where the printer has no more columns.
 */
export function printAreaOf({ columns }: { readonly columns: number }, options: EscposOptions): EscposOptions {
  if (columns >= options.columns) return options;
  return { ...options, columns, dots: Math.min(options.dots, columns * fontADots(options)) };
}
