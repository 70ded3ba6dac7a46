/**
 * Text that no font of the printer has: rows a second against what else draws text from Node, the first row and the others
 * after it, and what drawing costs the node, its memory and its event loop.
 */
import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import { resolveOptions } from '../../codecs/escpos.ts';
import type { Line } from '../../plugins/printer/contract.ts';
import { Pack } from '../../plugins/printer/drawing/pack.ts';
import { PackTypesetter } from '../../plugins/printer/drawing/typesetter.ts';
import { render } from '../../plugins/printer/layout/layout.ts';
import { ShapedText } from '../../plugins/printer/layout/shaped/shaped-text.ts';
import { VirtualPrinter } from '../../plugins/printer/virtual/device.ts';
import { besideSources } from '../../runtime/assembly/variant/beside-sources.ts';
import { startTestNode } from '../../runtime/node/testing.ts';
import { wifiPlugins } from '../plugins.ts';
import { faceFile, MONO } from '../scripts/pango.ts';
import { receipt, type Shop, shops } from '../scripts/shop.ts';
import { alternate, type Entry, median, rssOf } from './measure.ts';
import { startTwin } from './twin.ts';

const PACK = 'dist/twin/fonts.pack';
const WIDTH = 576;
const ROW = 34;
const ROWS = 40;
const ROUNDS = 7;
const FIRST_MS = 150;
const ROW_MS = 2;
const LOOP_MS = 20;
const RECEIPTS = 100;
const MB = 2 ** 20;
const RSS_BYTES = 40 * MB;
const PACK_BYTES = 2 * MB;

const shopIn = (code: string): Shop => shops.find((shop) => shop.code === code)!;

/** Goods and prices of a shop: of no two jobs the same, so that nobody can keep what it drew of the one before. */
let sold = 0;
const sales = (code: string, count = ROWS): { readonly name: string; readonly price: string }[] =>
  Array.from({ length: count }, (_, index) => {
    sold += 1;
    const { goods } = shopIn(code);
    const name = `${goods[index % goods.length]} ${goods[sold % goods.length]}`;
    return { name: `${name} ${sold}`, price: (index * 1.37).toFixed(2) };
  });

const linesOf = (rows: ReturnType<typeof sales>): Line[] =>
  rows.map(({ name, price }) => ({
    type: 'columns',
    cells: [{ value: name }, { value: price, width: 10, align: 'right' }],
  }));

function ours(typesetter: PackTypesetter, code: string): number {
  const settings = { columns: 48, cutClearanceLines: 4 };
  const rendered = render(linesOf(sales(code)), settings, resolveOptions({}), new ShapedText(typesetter));
  if (!rendered.ok || rendered.substituted > 0) throw new Error('the receipt does not render');
  return rendered.bytes.length;
}

interface Encoder {
  initialize(): Encoder;
  image(image: object, width: number, height: number, algorithm: string): Encoder;
  encode(): Uint8Array;
}

interface Context {
  font: string;
  fillStyle: string;
  textAlign: string;
  fillRect(x: number, y: number, width: number, height: number): void;
  fillText(text: string, x: number, y: number): void;
  getImageData(x: number, y: number, width: number, height: number): object;
}

/** Each rival printing the rows of a Thai receipt as pictures, by the word of its entry. */
async function rivals(): Promise<Record<string, () => number>> {
  const require = createRequire(pathToFileURL(join(process.env['RIVALS'] ?? '', 'package.json')));
  const { default: ReceiptPrinterEncoder } = (await import(
    pathToFileURL(require.resolve('@point-of-sale/receipt-printer-encoder')).href
  )) as { default: new (options: object) => Encoder };
  const receiptline = require('receiptline') as { transform(source: string, printer: object): string };
  const { createCanvas, GlobalFonts } = require('@napi-rs/canvas') as {
    createCanvas(width: number, height: number): { getContext(kind: '2d'): Context };
    GlobalFonts: { registerFromPath(path: string, name: string): void };
  };
  const { Resvg } = require('@resvg/resvg-js') as {
    Resvg: new (svg: string, options: object) => { render(): { pixels: Uint8Array; width: number; height: number } };
  };
  const [thai, mono] = [faceFile(shopIn('th').face), faceFile(MONO)];
  GlobalFonts.registerFromPath(thai, 'Thai');
  GlobalFonts.registerFromPath(mono, 'Mono');
  /** An encoder takes pictures whose sides are multiples of 8. */
  const encoded = (image: object, height: number): number =>
    new ReceiptPrinterEncoder({ language: 'esc-pos', columns: 48 })
      .initialize()
      .image(image, WIDTH, height & ~7, 'threshold')
      .encode().length;
  return {
    canvas: () => {
      const height = ROWS * ROW;
      const context = createCanvas(WIDTH, height).getContext('2d');
      context.fillStyle = '#fff';
      context.fillRect(0, 0, WIDTH, height);
      context.fillStyle = '#000';
      context.font = '24px Mono, Thai';
      for (const [index, { name, price }] of sales('th').entries()) {
        context.textAlign = 'left';
        context.fillText(name, 0, index * ROW + 26);
        context.textAlign = 'right';
        context.fillText(price, WIDTH, index * ROW + 26);
      }
      return encoded(context.getImageData(0, 0, WIDTH, height & ~7), height);
    },
    'receiptline-image': () => {
      const source = sales('th').map(({ name, price }) => `${name} | ${price}\n`);
      const svg = receiptline.transform(`{border:none;width:*,10}\n${source.join('')}`, { cpl: 48, encoding: 'thai' });
      const font = { fontFiles: [thai, mono], loadSystemFonts: false, defaultFontFamily: 'Noto Sans Mono' };
      const fitTo = { mode: 'width', value: WIDTH };
      const { pixels, width, height } = new Resvg(svg, { font, fitTo, background: '#fff' }).render();
      const rows = height & ~7;
      return encoded({ data: new Uint8ClampedArray(pixels.buffer, 0, width * rows * 4), width, height: rows }, rows);
    },
  };
}

/** Rows a second. */
const rate = (run: () => number): Promise<number> => {
  const started = performance.now();
  run();
  return Promise.resolve(ROWS / ((performance.now() - started) / 1000));
};

async function print(url: string, lines: readonly Line[], id: string): Promise<void> {
  const body = JSON.stringify({ type: 'print', id, endpoint: 'receipt', lines });
  const response = await fetch(`${url}/print`, { method: 'POST', body });
  const answer = (await response.json()) as { readonly ok: boolean };
  if (!answer.ok) throw new Error(JSON.stringify(answer));
}

/** Milliseconds of the first job of a node, of one Arabic row. */
async function first(): Promise<number> {
  const { child, port } = await startTwin();
  const url = `http://127.0.0.1:${port}`;
  await print(url, [{ type: 'text', value: 'TOTAL 9.00' }], 'latin');
  const started = performance.now();
  await print(url, [{ type: 'text', value: shopIn('ar').thanks }], 'arabic');
  const took = performance.now() - started;
  await child.end();
  return took;
}

/** Bytes of memory that the scripts of these shops cost a node. */
async function memory(codes: readonly string[]): Promise<number> {
  const { child, port } = await startTwin();
  const url = `http://127.0.0.1:${port}`;
  await print(url, [{ type: 'text', value: 'TOTAL 9.00' }], 'latin');
  await rest();
  const before = rssOf(child.pid);
  for (const code of codes) await print(url, receipt(shopIn(code)), code);
  await rest();
  const after = rssOf(child.pid);
  await child.end();
  return after - before;
}

/** p99 of how late the node's event loop runs while Arabic receipts are printed, in milliseconds. */
async function loop(): Promise<number> {
  const node = await startTestNode({
    plugins: wifiPlugins,
    beside: besideSources,
    devices: { printer: () => new VirtualPrinter() },
  });
  const lines = receipt(shopIn('ar'));
  await print(node.url, lines, 'warm');
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  for (let job = 0; job < RECEIPTS; job += 1) await print(node.url, lines, `job-${job}`);
  delay.disable();
  await node.stop();
  return delay.percentile(99) / 1e6;
}

export async function drawBench(): Promise<Entry[]> {
  const typesetter = new PackTypesetter(new Pack(PACK));
  const entries: Entry[] = [];
  for (const [name, rival] of Object.entries(await rivals())) {
    const [us, them] = [() => rate(() => ours(typesetter, 'th')), () => rate(rival)];
    await us();
    await them();
    const rates = await alternate(ROUNDS, us, them);
    entries.push({ name: `draw.thai.vs.${name}`, ratio: rates.ours / rates.theirs, ...rates, unit: 'rows/s' });
  }
  const over = (name: string, value: number, bar: number, unit: string): Entry => ({
    ...{ name, ratio: value / bar, ours: value, theirs: bar, unit },
  });
  const firsts: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) firsts.push(await first());
  ours(typesetter, 'ar');
  const rows: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rows.push(1000 / (await rate(() => ours(typesetter, 'ar'))));
  const rss = [await memory(['ar', 'th', 'hi']), await memory(['ar', 'th', 'hi']), await memory(['ar', 'th', 'hi'])];
  return [
    ...entries,
    over('draw.first', median(firsts), FIRST_MS, 'ms'),
    over('draw.row', median(rows), ROW_MS, 'ms'),
    over('draw.loop', await loop(), LOOP_MS, 'ms'),
    over('draw.rss', median(rss) / MB, RSS_BYTES / MB, 'MB'),
    over('draw.pack', statSync(PACK).size / MB, PACK_BYTES / MB, 'MB'),
  ];
}

const rest = () => new Promise((resolve) => setTimeout(resolve, 1500));
