/** The part of node-thermal-printer 4.6.1 that is built on; what it gets wrong is not declared. */
declare module 'node-thermal-printer/lib/core.js' {
  /** The byte constants that are right, by the names of lib/types/epson-config.js. */
  interface EpsonCommands {
    readonly HW_INIT: Uint8Array;
    readonly CD_KICK_2: Uint8Array;
    readonly CD_KICK_5: Uint8Array;
    readonly PAPER_FULL_CUT: Uint8Array;
    readonly PAPER_PART_CUT: Uint8Array;
    readonly BARCODE_TXT_OFF: Uint8Array;
    readonly BARCODE_TXT_ABV: Uint8Array;
    readonly BARCODE_TXT_BLW: Uint8Array;
    readonly BARCODE_TXT_BTH: Uint8Array;
    readonly BARCODE_FONT_A: Uint8Array;
    readonly QRCODE_MODEL2: Uint8Array;
    readonly QRCODE_CORRECTION_L: Uint8Array;
    readonly QRCODE_CORRECTION_M: Uint8Array;
    readonly QRCODE_CORRECTION_Q: Uint8Array;
    readonly QRCODE_CORRECTION_H: Uint8Array;
    readonly QRCODE_PRINT: Uint8Array;
    readonly PDF417_COLUMNS: Uint8Array;
    readonly PDF417_WIDTH: Uint8Array;
    readonly PDF417_ROW_HEIGHT: Uint8Array;
    readonly PDF417_OPTION_STANDARD: Uint8Array;
    readonly PDF417_PRINT: Uint8Array;
    readonly S_RASTER_N: Uint8Array;
  }
  class ThermalPrinter {
    constructor(config: { readonly type: 'epson'; readonly breakLine: 'NONE' });
    readonly printer: { readonly config: EpsonCommands };
    append(bytes: Uint8Array | string): void;
    getBuffer(): Uint8Array;
    initHardware(): void;
    bold(on: boolean): void;
    underline(on: boolean): void;
    invert(on: boolean): void;
    alignLeft(): void;
    alignCenter(): void;
    alignRight(): void;
    setTypeFontA(): void;
    setTypeFontB(): void;
    newLine(): void;
  }
  const core: { readonly ThermalPrinter: typeof ThermalPrinter };
  export default core;
}
