/** Macros of ESC/POS: GS : begins and ends the definition of one, GS ^ runs it (Epson TM-T88VI command manual, GS : and GS ^). */

/**
 * What printers may hold in their memory for macros. It outlives a replug, because a printer with a power supply of its own
 * keeps it.
 */
export interface MacroMemory {
  /** GS : may have been read, in whatever place it stood: there may be a macro, and what runs it does harm. */
  begun: boolean;
  /** GS : may have been read alone, so that a printer may be recording now. */
  recording: boolean;
  /** A drawer pulse of the node went out while one may have been recording: it may be in the macro. */
  pulse: boolean;
}

export const noMacros = (): MacroMemory => ({ begun: false, recording: false, pulse: false });

export const GS_COLON = Uint8Array.of(0x1d, 0x3a);
/** The smallest memory for a macro that a manual names (Epson TM-T88III, GS :). */
const MAX_BYTES = 2048;

/** What follows GS : until the GS : that ends it. It is kept back, so that no other job gets into a macro. */
export class MacroDefinition {
  #body: Uint8Array[] = [];
  #length = 0;
  #open = false;

  get isOpen(): boolean {
    return this.#open;
  }

  begin(): void {
    this.#open = true;
  }

  /** Keeps a copy. False once it is too long for a macro. */
  add(bytes: Uint8Array): boolean {
    this.#body.push(bytes.slice());
    this.#length += bytes.length;
    return this.#length <= MAX_BYTES;
  }

  /** Ends it: the whole definition in one piece, GS : at both ends. */
  end(): Uint8Array {
    return Buffer.concat([GS_COLON, ...this.abandon(), GS_COLON]);
  }

  /** Ends it without a macro: what was kept, to go out as plain commands. Empty where none was open. */
  abandon(): readonly Uint8Array[] {
    const body = this.#body;
    this.#body = [];
    this.#length = 0;
    this.#open = false;
    return body;
  }
}
