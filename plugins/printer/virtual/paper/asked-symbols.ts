/** Symbols of one paper that are drawn in another place: what is known of them, and what has to be asked. */
import type { AskedSymbol, SymbolModules } from '../../contract/twin.ts';

/** Most symbols of a paper that are drawn in another place; the others are frames. */
export const MAX_SYMBOLS = 256;

/** A symbol that is asked for: what it is called on the paper, and dots of its modules; bars are as high as GS h says. */
export interface AskedPrint {
  readonly asked: AskedSymbol;
  readonly symbology: 'aztec' | 'datamatrix' | 'gs1-databar';
  readonly text: string;
  readonly module: number;
  readonly bars: boolean;
}

/** By what a symbol that was drawn is found again. */
export const symbolKey = (symbol: AskedSymbol): string => JSON.stringify(symbol);

/** Knows the symbols of one paper that were drawn already, and collects the others. */
export class AskedSymbols {
  readonly #drawn: ReadonlyMap<string, SymbolModules>;
  readonly #seen = new Set<string>();
  readonly #undrawn = new Map<string, AskedSymbol>();

  /** `drawn`: by `symbolKey`. */
  constructor(drawn: ReadonlyMap<string, SymbolModules> = new Map()) {
    this.#drawn = drawn;
  }

  /** Symbols that were not known. */
  get undrawn(): readonly AskedSymbol[] {
    return [...this.#undrawn.values()];
  }

  /** Undefined where it was not drawn yet, or could not be. */
  modulesOf(symbol: AskedSymbol): SymbolModules {
    const key = symbolKey(symbol);
    if (!this.#seen.has(key) && this.#seen.size >= MAX_SYMBOLS) return undefined;
    this.#seen.add(key);
    if (!this.#drawn.has(key)) this.#undrawn.set(key, symbol);
    return this.#drawn.get(key);
  }
}
