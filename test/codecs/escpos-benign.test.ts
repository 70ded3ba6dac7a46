/** What receipt software sends to port 9100 comes out byte for byte. */
import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../codecs/escpos.ts';
import type { Line } from '../../plugins/printer/contract.ts';
import { render } from '../../plugins/printer/layout/layout.ts';
import { SAMPLES } from '../../plugins/printer/panel/samples.ts';
import receipts from '../spec/benign-receipts.json' with { type: 'json' };
import { FilteredPrinter } from './filtered.ts';

function leaves(printer: FilteredPrinter, receipt: Uint8Array, piece = receipt.length): Buffer {
  const before = printer.out.length;
  const { push, end } = printer.connect();
  for (let at = 0; at < receipt.length; at += piece) push(receipt.subarray(at, at + piece));
  expect(end(true)).toBe(0);
  return printer.out.subarray(before);
}

describe('a receipt of other software', () => {
  it.each(receipts)('$name', ({ bytes }) => {
    const receipt = Buffer.from(bytes, 'base64');
    const printer = new FilteredPrinter();
    expect(leaves(printer, receipt).equals(receipt)).toBe(true);
    // And after another job, in small pieces.
    expect(leaves(printer, receipt, 7).equals(receipt)).toBe(true);
    expect(printer.told).toEqual([]);
  });

  it('with a logo follows a job that defined a macro', () => {
    const printer = new FilteredPrinter();
    leaves(printer, Buffer.from('1d3a1d3a', 'hex'));
    const receipt = Buffer.from(receipts[0]!.bytes, 'base64');
    // NULs, so that the guard of the drawer does not take its first bytes for the end of what the macro began.
    expect(leaves(printer, receipt).equals(Buffer.concat([new Uint8Array(8), receipt]))).toBe(true);
  });
});

describe('a receipt of this node, sent to the port of another', () => {
  const settings = { columns: 48, cutClearanceLines: 4 };
  it.each(SAMPLES)('$name', ({ text }) => {
    const rendered = render(JSON.parse(text) as Line[], settings, resolveOptions({}));
    if (!rendered.ok) throw new Error(rendered.detail);
    expect(leaves(new FilteredPrinter(), rendered.bytes).equals(rendered.bytes)).toBe(true);
  });

  it.each([27, 29])('feeds %i lines and keeps the letter that follows', (lines) => {
    const rendered = render(
      [
        { type: 'feed', lines },
        { type: 'text', value: 'p^' },
      ],
      settings,
      resolveOptions({}),
    );
    if (!rendered.ok) throw new Error(rendered.detail);
    expect(leaves(new FilteredPrinter(), rendered.bytes).equals(rendered.bytes)).toBe(true);
  });
});
