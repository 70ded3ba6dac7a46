/** Types for the byte constants of node-thermal-printer 4.6.1 that this project uses. */
declare module 'node-thermal-printer/lib/types/epson-config.js' {
  const commands: {
    readonly HW_INIT: Uint8Array;
    readonly TXT_BOLD_ON: Uint8Array;
    readonly TXT_BOLD_OFF: Uint8Array;
    readonly TXT_UNDERL_ON: Uint8Array;
    readonly TXT_UNDERL_OFF: Uint8Array;
    readonly TXT_INVERT_ON: Uint8Array;
    readonly TXT_INVERT_OFF: Uint8Array;
    readonly TXT_FONT_A: Uint8Array;
    readonly TXT_FONT_B: Uint8Array;
    readonly TXT_ALIGN_LT: Uint8Array;
    readonly TXT_ALIGN_CT: Uint8Array;
    readonly TXT_ALIGN_RT: Uint8Array;
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
  };
  export default commands;
}
