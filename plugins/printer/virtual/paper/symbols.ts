/** From the data of GS k and GS ( k to the symbol on paper. Undefined where the printer prints none. */
import { utf8Text } from '../state/bytes.ts';
import type { Modes } from '../state/modes.ts';
import { encodeBarcode, type LinearSymbology } from '../symbols/barcode.ts';
import { encodePdf417 } from '../symbols/pdf417.ts';
import { encodeQr } from '../symbols/qr.ts';
import type { AskedPrint } from './asked-symbols.ts';
import type { PrintedSymbol } from './rows.ts';

/** Height of the human readable text of a bar code, by its font. */
export const HRI_HEIGHT = { a: 24, b: 17 } as const;
/** The frame of a symbol that is only named, in dots. */
const FRAME = { width: 240, height: 120, letter: 13 };
const NO_HRI = { hri: 'none' } as const;

/** A bar code with its human readable text; bars of `moduleWidth` dots. */
export const barcodeOf = (symbology: LinearSymbology, data: Uint8Array, modes: Modes): PrintedSymbol | undefined => {
  const encoded = encodeBarcode(symbology, data);
  return encoded && linear(symbology, encoded.text, encoded.bars, modes);
};

const linear = (symbology: string, text: string, bars: string, modes: Modes): PrintedSymbol => {
  const { hri, hriFont, moduleWidth, barcodeHeight } = modes;
  const lines = hri === 'none' ? 0 : hri === 'both' ? 2 : 1;
  return {
    width: bars.length * moduleWidth,
    height: barcodeHeight + lines * HRI_HEIGHT[hriFont],
    ...{ symbology, text, modules: [bars], hri, hriFont },
  };
};

/** QR Code model 2. */
export const qrOf = (data: Uint8Array, modes: Modes): PrintedSymbol | undefined => {
  const modules = encodeQr(data, modes.qrLevel);
  const size = (modules?.length ?? 0) * modes.qrModule;
  return modules && { width: size, height: size, symbology: 'qr', text: utf8Text(data), modules, ...NO_HRI };
};

/** PDF417, in at most `across` dots. */
export const pdf417Of = (data: Uint8Array, modes: Modes, across: number): PrintedSymbol | undefined => {
  const { module, rowHeight } = modes.pdf417;
  const modules = encodePdf417(data, modes.pdf417, across);
  if (!modules) return undefined;
  const size = { width: modules[0]!.length * module, height: modules.length * rowHeight * module };
  return { ...size, symbology: 'pdf417', text: utf8Text(data), modules, ...NO_HRI };
};

/** A symbol of which the modules are known; bars are as high as GS h says. */
export const askedOf = (
  { symbology, text, module, bars }: AskedPrint,
  modules: readonly string[],
  modes: Modes,
): PrintedSymbol => {
  const size = { width: modules[0]!.length * module, height: modules.length * module };
  if (!bars) return { ...size, symbology, text: utf8Text(bytesOf(text)), modules, ...NO_HRI };
  return linear(symbology, text, modules[0]!, { ...modes, moduleWidth: module });
};

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0));

/** A frame with what stands in it; `across` is how much room there is. */
export const frameOf = (symbology: string, text: string, across: number): PrintedSymbol => ({
  ...{
    width: Math.min(Math.max(FRAME.width, symbology.length * FRAME.letter), across),
    height: FRAME.height,
    symbology,
    text,
    modules: [],
  },
  ...NO_HRI,
});
