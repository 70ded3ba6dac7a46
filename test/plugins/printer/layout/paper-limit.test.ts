/** A job takes no more than 20 m of paper, whatever it is made of. */
import { expect, it } from 'vitest';
import { resolveOptions } from '../../../../codecs/escpos.ts';
import type { Line } from '../../../../plugins/printer/contract.ts';
import { render } from '../../../../plugins/printer/layout/layout.ts';

const job = (lines: Line[]) => render(lines, { columns: 48, cutClearanceLines: 20 }, resolveOptions());

it('a job of no lines is refused', () => {
  expect(job([])).toEqual({ ok: false, error: 'invalid_command', detail: 'lines: there is none' });
});

/** 20 m are 160,000 dots: 4,705 lines of 1/6 inch. Four white modules stand between two QR Codes. */
it.each<[string, Line, number]>([
  ['feeds', { type: 'feed', lines: 255 }, 18],
  ['rows of text', { type: 'text', value: 'x'.repeat(48 * 5) }, 941],
  ['large text', { type: 'text', value: 'x', size: '1x8' }, 833],
  ['text that is composed first', { type: 'text', value: 'e\u0301'.repeat(48) }, 4705],
  ['cells', { type: 'columns', cells: [{ value: 'a' }, { value: 'b' }] }, 4705],
  ['rules', { type: 'rule', style: 'dashed' }, 4705],
  ['rasters', { type: 'raster', width: 8, height: 160, data: Buffer.alloc(160).toString('base64') }, 1000],
  ['bar codes', { type: 'barcode', symbology: 'ean8', value: '9638507', height: 232, hri: 'both' }, 571],
  ['QR codes', { type: 'barcode', symbology: 'qr', value: 'x', size: 16 }, 400],
  ['cuts', { type: 'cut' }, 235],
])('a job of more than 20 m of paper is refused: %s', (_, line, most) => {
  expect(job(Array.from({ length: most }, () => line)).ok).toBe(true);
  expect(job(Array.from({ length: most + 1 }, () => line))).toEqual({
    ok: false,
    error: 'render_too_large',
    detail: 'the job is larger than 20 m of paper',
  });
});
