/** A display that is bound: what it was told last, and whether it still takes what it is told. */
import { type Bound, type Resolution, type SerialLine, UsbError } from 'tillnode/plugin';
import { appearance, type Brightness, DEFAULT_COLUMNS, type DisplayOptions, initialise, showLines } from './codec.ts';
import type { DisplaySettings } from './contract.ts';

export class Display implements Bound {
  readonly recipe: Resolution;
  readonly #line: SerialLine;
  #lines: readonly string[] = [];
  #idle = true;
  #silentAt: number | undefined;

  constructor(line: SerialLine, recipe: Resolution) {
    this.recipe = recipe;
    this.#line = line;
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  get columns(): number {
    return this.#options.columns ?? DEFAULT_COLUMNS;
  }

  /** A display says nothing: it is silent once it has not taken what it was sent, until it does. */
  silentSince(): number | undefined {
    return this.#silentAt;
  }

  /** Initialises it. Rejects with a UsbError, but for a display that takes nothing now: that one is silent. */
  async begin(settings: DisplaySettings): Promise<void> {
    try {
      await this.#write(initialise(this.#options));
      await this.configure(settings);
    } catch (error) {
      if (!(error instanceof UsbError && error.fault === 'timeout')) throw error;
    }
  }

  /** Rejects with a UsbError. The idle text is cut to what the display has room for: it was not written for this one. */
  async configure({ brightness, blink, idle }: DisplaySettings): Promise<void> {
    await this.#write(appearance(brightness as Brightness, blink));
    if (this.#idle) await this.rest(idle);
  }

  async rest(idle: readonly string[]): Promise<void> {
    await this.show(idle.map((line) => [...line].slice(0, this.columns).join('')));
    this.#idle = true;
  }

  /** Resolves with why the lines do not fit, undefined once they are shown. Rejects with a UsbError. */
  async show(lines: readonly string[]): Promise<string | undefined> {
    const bytes = showLines(lines, this.#options);
    if (!bytes.ok) return bytes.reason;
    await this.#write(bytes.value);
    this.#lines = lines;
    this.#idle = false;
    return undefined;
  }

  release(): Promise<void> {
    return this.#line.close();
  }

  get #options(): DisplayOptions {
    return this.recipe.row.options;
  }

  async #write(bytes: Uint8Array): Promise<void> {
    try {
      await this.#line.write(bytes);
      this.#silentAt = undefined;
    } catch (error) {
      if (error instanceof UsbError && error.fault === 'timeout') this.#silentAt ??= performance.now();
      throw error;
    }
  }
}
