/**
 * From parsed JSON lines to bytes, wrapping included, against what else people print with from Node: the same receipt
 * with bold and large text, accents, the euro sign, EAN-13 and (but for node-escpos) a QR code.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { resolveOptions } from '../../codecs/escpos.ts';
import type { Line } from '../../plugins/printer/contract.ts';
import { render } from '../../plugins/printer/layout/layout.ts';
import { type Entry, median } from './measure.ts';

const COLUMNS = 48;
const QR = 'https://example.com/r/12345';
const EAN = '4006381333931';
const TITLE = 'LE PETIT CAFÉ';
const TOTAL = 'TOTAL 959,00 €';
const GOODS = ['Café crème', 'Brötchen', 'Piña colada', "Jus d'orange", 'Croissant aux amandes', 'Bière', 'Água'];

/** A name on the left, a price on the right, and the two across the line. */
const items = (count: number): { left: string; right: string; row: string }[] =>
  Array.from({ length: count }, (_, index) => {
    const left = `${GOODS[index % GOODS.length]} #${index}`;
    const right = `${(index * 1.37).toFixed(2)} €`;
    return { left, right, row: left + ' '.repeat(COLUMNS - left.length - right.length) + right };
  });
/** As it comes from the parser. */
const parsed = <T>(value: T): T => JSON.parse(JSON.stringify(value));

/** A receipt of `count` lines. */
function receipt(count: number, withQr = true): Line[] {
  const rows = items(count - (withQr ? 6 : 5));
  return parsed<Line[]>([
    { type: 'text', value: TITLE, bold: true, align: 'center', size: '2x' },
    ...rows.map(({ row }): Line => ({ type: 'text', value: row })),
    { type: 'rule' },
    { type: 'text', value: TOTAL, bold: true, align: 'right' },
    ...(withQr ? [{ type: 'barcode', symbology: 'qr', value: QR, size: 3 } as const] : []),
    { type: 'barcode', symbology: 'ean13', value: EAN, height: 60 },
    { type: 'cut' },
  ]);
}

const settings = { columns: COLUMNS, cutClearanceLines: 4 };
const options = resolveOptions({});

function ours(lines: readonly Line[]): number {
  const rendered = render(lines, settings, options);
  if (!rendered.ok || rendered.substituted > 0) throw new Error('the receipt does not render');
  return rendered.bytes.length;
}

interface EscposPrinter {
  align(value: string): EscposPrinter;
  style(value: string): EscposPrinter;
  size(width: number, height: number): EscposPrinter;
  text(value: string): EscposPrinter;
  drawLine(): EscposPrinter;
  barcode(value: string, type: string, options: object): EscposPrinter;
  cut(): EscposPrinter;
  readonly buffer: { flush(): Uint8Array };
}

interface Encoder {
  initialize(): Encoder;
  codepage(value: string): Encoder;
  align(value: string): Encoder;
  bold(value: boolean): Encoder;
  size(width: number, height: number): Encoder;
  line(value: string): Encoder;
  rule(): Encoder;
  qrcode(value: string, options: object): Encoder;
  barcode(value: string, symbology: string, options: object): Encoder;
  cut(): Encoder;
  encode(): Uint8Array;
}

interface ThermalPrinter {
  alignCenter(): void;
  alignLeft(): void;
  alignRight(): void;
  bold(on: boolean): void;
  setTextSize(height: number, width: number): void;
  println(value: string): void;
  drawLine(): void;
  printQR(value: string, options: object): void;
  printBarcode(value: string, type: number, options: object): void;
  cut(): void;
  getBuffer(): Uint8Array;
}

type Make<T> = new (...parameters: unknown[]) => T;
type Run = () => number;

/** Each rival printing a receipt of 40 lines, by the word of its entry. */
async function rivals(): Promise<Record<string, Run>> {
  const directory = process.env['RIVALS'] ?? join(process.cwd(), 'test/bench/rivals');
  const require = createRequire(pathToFileURL(join(directory, 'package.json')));
  const load = async (name: string) => (await import(pathToFileURL(require.resolve(name)).href)) as never;
  const { default: ReceiptPrinterEncoder } = (await load('@point-of-sale/receipt-printer-encoder')) as {
    default: Make<Encoder>;
  };
  const receiptline = require('receiptline') as { transform(source: string, printer: object): string };
  const stock = require('node-thermal-printer') as { ThermalPrinter: Make<ThermalPrinter> };
  const { Printer } = (await load('@node-escpos/core')) as { Printer: Make<EscposPrinter> };
  const rows = parsed(items(34));
  const rowsWithoutQr = parsed(items(35));

  return {
    'receipt-printer-encoder': () => {
      const encoder = new ReceiptPrinterEncoder({
        language: 'esc-pos',
        columns: COLUMNS,
        codepageMapping: 'epson',
        feedBeforeCut: 4,
      });
      encoder.initialize().codepage('cp858').align('center').bold(true).size(2, 2).line(TITLE).size(1, 1).bold(false);
      encoder.align('left');
      for (const { row } of rows) encoder.line(row);
      encoder.rule().align('right').bold(true).line(TOTAL).bold(false).align('left');
      return encoder.qrcode(QR, { size: 3 }).barcode(EAN, 'ean13', { height: 60 }).cut().encode().length;
    },
    receiptline: () => {
      let source = `^^^"${TITLE}\n{border:none;width:*,12}\n`;
      for (const { left, right } of rows) source += `${left} | ${right}\n`;
      source += `-\n"${TOTAL} |\n{code:${QR};option:qrcode,3,M}\n{code:400638133393;option:ean,60}\n=`;
      return receiptline.transform(source, { cpl: COLUMNS, encoding: 'cp858', command: 'escpos', cutting: true })
        .length;
    },
    'node-thermal-printer': () => {
      const printer = new stock.ThermalPrinter({ type: 'epson', width: COLUMNS, characterSet: 'WPC1252' });
      printer.alignCenter();
      printer.bold(true);
      printer.setTextSize(1, 1);
      printer.println(TITLE);
      printer.setTextSize(0, 0);
      printer.bold(false);
      printer.alignLeft();
      for (const { row } of rows) printer.println(row);
      printer.drawLine();
      printer.alignRight();
      printer.bold(true);
      printer.println(TOTAL);
      printer.bold(false);
      printer.alignLeft();
      printer.printQR(QR, { cellSize: 3 });
      printer.printBarcode(EAN, 67, { height: 60 });
      printer.cut();
      return printer.getBuffer().length;
    },
    'node-escpos': () => {
      const printer = new Printer({ open() {}, write() {}, close() {} }, { encoding: 'CP1252' });
      printer.align('ct').style('b').size(2, 2).text(TITLE).size(1, 1).style('normal').align('lt');
      for (const { row } of rowsWithoutQr) printer.text(row);
      printer.drawLine().align('rt').style('b').text(TOTAL).style('normal').align('lt');
      printer.barcode(EAN.slice(0, 12), 'EAN13', { height: 60 }).cut();
      return printer.buffer.flush().length;
    },
  };
}

const ROUNDS = 15;
const ROUND_MS = 40;

/** Microseconds a call, over about `ROUND_MS`. */
function time(run: Run): number {
  const started = performance.now();
  let calls = 0;
  let took = 0;
  do {
    run();
    calls += 1;
    took = performance.now() - started;
  } while (took < ROUND_MS);
  return (took * 1000) / calls;
}

/** Medians of alternating rounds, warm. */
function compare(a: Run, b: Run): [number, number] {
  const times: [number[], number[]] = [[], []];
  for (const run of [a, b, a, b]) time(run);
  for (let round = 0; round < ROUNDS; round += 1) {
    times[0].push(time(a));
    times[1].push(time(b));
  }
  return [median(times[0]), median(times[1])];
}

export async function renderBench(): Promise<Entry[]> {
  const entries: Entry[] = [];
  const lines = 40;
  for (const [name, rival] of Object.entries(await rivals())) {
    const job = receipt(lines, name !== 'node-escpos');
    const [us, them] = compare(() => ours(job), rival);
    const perSecond = (micros: number) => (lines * 1e6) / micros;
    entries.push({
      name: `render.vs.${name}`,
      ratio: them / us,
      ours: perSecond(us),
      theirs: perSecond(them),
      unit: 'lines/s',
    });
  }
  const [long, short] = [receipt(2000), receipt(lines)];
  const [longMicros, shortMicros] = compare(
    () => ours(long),
    () => ours(short),
  );
  const [perLong, perShort] = [longMicros / long.length, shortMicros / short.length];
  entries.push({ name: 'render.growth', ratio: perLong / perShort, ours: perLong, theirs: perShort, unit: 'µs/line' });
  return entries;
}
