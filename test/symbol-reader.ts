/** Reads the symbols of a receipt as a till's scanner would: the paper as a grey picture, given to ZXing. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { prepareZXingModule, type ReadInputBarcodeFormat, readBarcodes } from 'zxing-wasm/reader';
import type { PrintedSymbology } from '../codecs/symbol-size.ts';
import type { Row } from '../plugins/printer/virtual/paper/rows.ts';

export type SymbolRow = Extract<Row, { kind: 'symbol' }>;

/** White beside the dots of the head, as on 80 mm paper: 4 mm. */
const MARGIN = 32;

const FORMATS: Readonly<Record<PrintedSymbology, ReadInputBarcodeFormat>> = {
  ean13: 'EAN-13',
  ean8: 'EAN-8',
  upca: 'UPC-A',
  upce: 'UPC-E',
  code39: 'Code39',
  code93: 'Code93',
  code128: 'Code128',
  itf: 'ITF',
  codabar: 'Codabar',
  qr: 'QRCode',
  pdf417: 'PDF417',
  'gs1-128': 'Code128',
  'gs1-databar': 'DataBar',
  'gs1-databar-expanded': 'DataBarExpanded',
  datamatrix: 'DataMatrix',
  aztec: 'Aztec',
};

/** The modules of a symbol as they stand on paper `dots` wide: RGBA, white around them. */
function photographed({ x, width, height, modules }: SymbolRow, dots: number) {
  const picture = { width: dots + 2 * MARGIN, height: height + 2 * MARGIN };
  const data = new Uint8ClampedArray(4 * picture.width * picture.height).fill(255);
  const columns = modules[0]?.length ?? 1;
  for (let down = 0; down < height; down += 1) {
    const row = modules[Math.floor((down * modules.length) / height)] ?? '';
    const line = (MARGIN + down) * picture.width + MARGIN + x;
    for (let right = 0; right < width; right += 1) {
      if (row[Math.floor((right * columns) / width)] !== '1') continue;
      const at = 4 * (line + right);
      data.fill(0, at, at + 3);
    }
  }
  return { ...picture, data, colorSpace: 'srgb' as const };
}

/** What is read from a symbol; undefined where nothing is. */
export async function scan(symbol: SymbolRow, symbology: PrintedSymbology, dots: number): Promise<string | undefined> {
  const [read] = await readBarcodes(photographed(symbol, dots), {
    formats: [FORMATS[symbology]],
    tryCode39ExtendedMode: false,
    tryDownscale: false,
    tryRotate: false,
    tryInvert: false,
    maxNumberOfSymbols: 1,
  });
  return read?.isValid ? read.text : undefined;
}

export async function loadReader(): Promise<void> {
  const wasm = await readFile(createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm'));
  await prepareZXingModule({ overrides: { wasmBinary: wasm.buffer as ArrayBuffer }, fireImmediately: true });
}
