/** Macros of ESC/POS: GS : begins and ends the definition of one, GS ^ runs it (Epson TM-T88VI command manual, GS : and GS ^). */

/**
 * What the macro memory of a printer may contain. It is kept while the USB cable is unplugged, because a printer with its
 * own power supply keeps its macro.
 */
export interface MacroMemory {
  /** The printer may have read a GS : somewhere, so a macro may exist and GS ^ must not be sent. */
  begun: boolean;
  /** The printer may have read a first GS : without the second, so it may be recording now. */
  recording: boolean;
  /** The node sent a drawer pulse while the printer may have been recording, so the macro may contain it. */
  pulse: boolean;
}

/** The memory of a printer that never received GS :. */
export const noMacros = (): MacroMemory => ({ begun: false, recording: false, pulse: false });

/** GS :, which begins a macro definition and ends it. */
export const GS_COLON = Uint8Array.of(0x1d, 0x3a);
/** The smallest memory for a macro that a manual names (Epson TM-T88III, GS :). */
const MAX_BYTES = 2048;

/** Holds back a macro definition until the GS : that ends it, so that no bytes of another job are recorded. */
export class MacroDefinition {
  #body: Uint8Array[] = [];
  #length = 0;
  #open = false;
  /** The one that was begun last prints what has to stand at the beginning of a line. */
  beginsLine = false;

  get isOpen(): boolean {
    return this.#open;
  }

  begin(): void {
    this.#open = true;
    this.beginsLine = false;
  }

  /** Adds a copy of `bytes`. Returns false when the definition is longer than a macro may be. */
  add(bytes: Uint8Array): boolean {
    this.#body.push(bytes.slice());
    this.#length += bytes.length;
    return this.#length <= MAX_BYTES;
  }

  /** Ends the definition and returns it whole, with GS : at both ends. */
  end(): Uint8Array {
    return Buffer.concat([GS_COLON, ...this.abandon(), GS_COLON]);
  }

  /** Ends the definition without a macro. Returns its bytes, to be sent as plain commands; empty where none was open. */
  abandon(): readonly Uint8Array[] {
    const body = this.#body;
    this.#body = [];
    this.#length = 0;
    this.#open = false;
    return body;
  }
}
