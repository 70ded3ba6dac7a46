/**
 * Writes benign-receipts.json: what widely used receipt libraries send to port 9100. Run it after `npm ci` in
 * test/bench/rivals, with a Node that reads TypeScript (22.18 and later), or built by esbuild.
 */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

interface Fluent {
  [method: string]: (...parameters: unknown[]) => Fluent;
}
type Make<T> = new (...parameters: unknown[]) => T;

const directory = process.env['RIVALS'] ?? join(import.meta.dirname, '../bench/rivals');
const require = createRequire(pathToFileURL(join(directory, 'package.json')));
const load = async (name: string) => (await import(pathToFileURL(require.resolve(name)).href)) as never;

const ROWS = [
  'Café crème            2.80',
  'Brötchen              0.90',
  'pretzel, plain        1.20',
  'Piña colada           7.50',
];
const QR = 'https://example.com/r/12345';
const dots = {
  width: 64,
  height: 32,
  data: Uint8ClampedArray.from({ length: 64 * 32 * 4 }, (_, i) => (i * 7919) & 255),
};

function withEncoder(Encoder: Make<Fluent>): unknown {
  const encoder = new Encoder({ language: 'esc-pos', columns: 42, codepageMapping: 'epson', feedBeforeCut: 4 });
  encoder['initialize']!()['codepage']!('cp858')['align']!('center')['bold']!(true)['line']!('LE PETIT CAFE');
  encoder['bold']!(false)['align']!('left');
  for (const row of ROWS) encoder['line']!(row);
  encoder['rule']!()['image']!(dots, 64, 32, 'threshold')['qrcode']!(QR)['barcode']!('4006381333931', 'ean13', {
    height: 60,
  });
  return encoder['cut']!()['encode']!();
}

function withThermalPrinter(Printer: Make<Fluent>): unknown {
  const printer = new Printer({ type: 'epson', width: 42, characterSet: 'PC858_EURO' });
  printer['alignCenter']!();
  printer['bold']!(true);
  printer['println']!('LE PETIT CAFE');
  printer['bold']!(false);
  printer['alignLeft']!();
  for (const row of ROWS) printer['println']!(row);
  printer['drawLine']!();
  printer['printQR']!(QR, { cellSize: 3 });
  printer['printBarcode']!('4006381333931', 67, { height: 60 });
  printer['cut']!();
  return printer['getBuffer']!();
}

function withEscposCore(Printer: Make<Fluent & { buffer: { flush(): Uint8Array } }>): unknown {
  const printer = new Printer({ open() {}, write() {}, close() {} }, { encoding: 'CP1252' });
  printer['align']!('ct')['style']!('b')['size']!(2, 2)['text']!('LE PETIT CAFE')['size']!(1, 1)['style']!('normal');
  printer['align']!('lt');
  for (const row of ROWS) printer['text']!(row);
  printer['drawLine']!()['barcode']!('400638133393', 'EAN13', { height: 60 })['qrcode']!(QR, 3, 'L', 6)['feed']!(2);
  printer['cut']!();
  return printer.buffer.flush();
}

const { default: Encoder } = (await load('@point-of-sale/receipt-printer-encoder')) as { default: Make<Fluent> };
const { ThermalPrinter } = require('node-thermal-printer') as { ThermalPrinter: Make<Fluent> };
const { Printer } = (await load('@node-escpos/core')) as { Printer: never };
const receiptline = require('receiptline') as { transform(source: string, printer: object): string };
const source = `^^^"LE PETIT CAFE\n{width:*,12}\n${ROWS.map((row) => `${row.slice(0, 18)} | ${row.slice(18)}`).join('\n')}\n-\n{code:${QR};option:qrcode,3,M}\n{code:400638133393;option:ean,60}\n=`;

const receipts: Record<string, Uint8Array> = {
  'receipt-printer-encoder': withEncoder(Encoder) as Uint8Array,
  'node-thermal-printer': withThermalPrinter(ThermalPrinter) as Uint8Array,
  '@node-escpos/core': withEscposCore(Printer) as Uint8Array,
  receiptline: Buffer.from(
    receiptline.transform(source, { cpl: 42, encoding: 'cp858', command: 'escpos', cutting: true }),
    'latin1',
  ),
};
const version = (name: string) =>
  (require(`${join(directory, 'node_modules', name)}/package.json`) as { version: string }).version;
const list = Object.entries(receipts).map(([name, bytes]) => ({
  name: `${name} ${version(name.startsWith('receipt-') ? '@point-of-sale/receipt-printer-encoder' : name)}`,
  bytes: Buffer.from(bytes).toString('base64'),
}));
writeFileSync(join(import.meta.dirname, 'benign-receipts.json'), `${JSON.stringify(list, undefined, 2)}\n`);
