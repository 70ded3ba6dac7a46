/** The API sends a printer that a row names no command that it lacks: it draws, leaves out, or refuses. */
import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../../codecs/escpos.ts';
import type { Line } from '../../../plugins/printer/contract.ts';
import { symbolDrawer } from '../../../plugins/printer/drawing/symbols.ts';
import { render } from '../../../plugins/printer/layout/layout.ts';
import { ShapedText } from '../../../plugins/printer/layout/shaped/shaped-text.ts';
import { paperOf } from '../../../plugins/printer/virtual/paper-of.ts';
import { rows } from '../../recipes/files.ts';
import { Boxes } from './layout/boxes.ts';

const symbol = (symbology: string, value: string) => ({ type: 'barcode', symbology, value }) as Line;
const LINES: readonly Line[] = [
  { type: 'text', value: 'TOTAL 9,99 € Žluťoučký ₺ 3 ไทย 中' },
  { type: 'text', value: 'שלום 12', align: 'right' },
  { type: 'text', value: 'small', font: 'b', underline: true, bold: true, align: 'center' },
  { type: 'text', value: 'black', invert: true },
  { type: 'text', value: 'two', size: '2x' },
  { type: 'text', value: 'eight', size: '8x' },
  { type: 'columns', cells: [{ value: 'Tea' }, { value: '2,50 ₹', align: 'right', bold: true }] },
  { type: 'banner', value: 'OPEN' },
  { type: 'rule', style: 'double' },
  { type: 'feed', lines: 2 },
  { type: 'cut', mode: 'full' },
  { type: 'raster', width: 8, height: 1, data: 'qg==', align: 'center' },
  ...[symbol('qr', 'https://example.com'), symbol('pdf417', 'A7'), symbol('aztec', 'A7'), symbol('datamatrix', 'A7')],
  ...[symbol('ean13', '400638133393'), symbol('code128', 'A7'), symbol('gs1-128', '(01)09521234543213(10)A7')],
  symbol('gs1-databar', '(01)09521234543213'),
];
/** Models whose commands the row of a whole family has to do without. */
const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  'epson-tm-ub-u05': ['TM-T70', 'TM-T88III', 'TM-T88IV'],
  'epson-tm-u220': ['TM-U220', 'TM-U220B', 'TM-U220PD'],
};
const escpos = rows.filter(({ codec }) => codec === 'escpos');
const alike = new Map(escpos.map((row) => [JSON.stringify(row.options), row]));
const printers = [...alike.values()].flatMap((row) =>
  (FAMILIES[row.id] ?? [row.model ?? '']).map((name) => ({ row, name })),
);

/** A job in so many columns: what its printer was told and does not have, or why it is refused. */
function outcomeOf(lines: readonly Line[], { row, name }: (typeof printers)[number], columns?: number) {
  const options = resolveOptions(row.options);
  const settings = { columns: columns ?? options.columns, cutClearanceLines: 4 };
  const shaping = new ShapedText(options.textOnly ? undefined : new Boxes(), symbolDrawer);
  const job = render(lines, settings, options, shaping);
  return job.ok ? [...paperOf(job.bytes, options, name).ignored.keys()] : job.detail;
}

describe('the API sends every printer that a row names', () => {
  it.each([undefined, 30])('nothing that it lacks, in %s columns', (columns) => {
    const faults = printers.flatMap((printer) =>
      LINES.flatMap((line) => {
        const outcome = outcomeOf([line], printer, columns);
        if (typeof outcome === 'string') return /this printer/.test(outcome) ? [] : [`${printer.name}: ${outcome}`];
        return outcome.map((command) => `${printer.name}: ${command} for ${JSON.stringify(line)}`);
      }),
    );
    expect(faults).toEqual([]);
  });

  it('a QR Code as a picture where it has no GS ( k, and by GS ( k where it has', () => {
    const isDrawn = (id: string) => {
      const options = resolveOptions(rows.find((row) => row.id === id)?.options);
      const settings = { columns: options.columns, cutClearanceLines: 4 };
      const job = render([symbol('qr', 'A7')], settings, options, new ShapedText(undefined, symbolDrawer));
      return job.ok && !Buffer.from(job.bytes).includes(Buffer.from([0x1d, 0x28, 0x6b]));
    };
    expect(isDrawn('epson-tm-ub-u05')).toBe(true);
    expect(isDrawn('epson-tm-t88v')).toBe(false);
  });
});

describe('a printer of text alone', () => {
  const printer = { row: rows.find(({ id }) => id === 'epson-tm-u220')!, name: 'TM-U220B' };

  it.each(
    LINES.filter((line) => ['banner', 'raster', 'barcode'].includes(line.type) || 'invert' in line || 'size' in line),
  )('is given no $type that it cannot print: %j', (line) => {
    expect(outcomeOf([{ type: 'feed' }, line], printer)).toBe('lines/1: this printer prints text alone, in one size');
  });

  it('has letters that it lacks as question marks, and text in its place by spaces', () => {
    const options = resolveOptions(printer.row.options);
    const lines: Line[] = [{ type: 'text', value: 'Total ₺ 9', align: 'right' }];
    const job = render(lines, { columns: 20, cutClearanceLines: 4 }, options, new ShapedText());
    if (!job.ok) throw new Error(job.detail);
    expect(job.substituted).toBe(1);
    const text = Buffer.from(job.bytes).toString('latin1');
    expect(text).toContain(`${' '.repeat(11)}Total ? 9\n`);
  });
});
