/** Which code page of its make a printer has selected, and which one has a character. */
import { byteTable, MAKES, type Make, type NumberedPage } from './code-pages.ts';

/** A printer after a reset, and the first page of its make selected. */
export class SelectedPage {
  readonly #pages: readonly NumberedPage[];
  #page: NumberedPage;
  #table: Uint8Array;

  constructor(make: Make) {
    this.#pages = MAKES[make];
    this.#page = this.first;
    this.#table = byteTable(this.#page.page);
  }

  get first(): NumberedPage {
    return this.#pages[0]!;
  }

  get page(): NumberedPage {
    return this.#page;
  }

  set page(page: NumberedPage) {
    this.#page = page;
    this.#table = byteTable(page.page);
  }

  /** The byte of the page for each UTF-16 code, 0 where it has none. */
  get table(): Uint8Array {
    return this.#table;
  }

  /** The selected page where it has the character of this code, else the first page that has it. */
  pageOf(code: number): NumberedPage | undefined {
    if (code >= this.#table.length) return undefined;
    if (this.#table[code] !== 0) return this.#page;
    for (const page of this.#pages) if (byteTable(page.page)[code] !== 0) return page;
    return undefined;
  }
}
