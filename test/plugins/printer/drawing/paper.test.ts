/** The paper of a preview is drawn in many small steps, between which the drawing thread can turn to a receipt. */
import { expect, it } from 'vitest';
import { resolveOptions } from '../../../../codecs/escpos.ts';
import type { Line } from '../../../../plugins/printer/contract/lines.ts';
import { paperFor } from '../../../../plugins/printer/drawing/paper.ts';
import { render } from '../../../../plugins/printer/layout/layout.ts';

const options = resolveOptions();

/** Bytes that the virtual printer obeys at a step. */
const STEP_BYTES = 512;

/** The steps in which the paper of these lines is drawn, and its document. `inked`: those behind the printing. */
function drawn(lines: readonly Line[]) {
  const rendered = render(lines, { columns: 48, cutClearanceLines: 4 }, options);
  if (!rendered.ok) throw new Error(rendered.detail);
  const drawing = paperFor(rendered, { lines, settings: { columns: 48, cutClearanceLines: 4 }, options, as: 'paper' });
  for (let steps = 0; ; steps += 1) {
    const step = drawing.next();
    if (step.done !== true) continue;
    const inked = steps - Math.ceil(rendered.bytes.length / STEP_BYTES);
    return { steps, inked, svg: Buffer.from(step.value.svg).toString() };
  }
}

const picture = (height: number, byte: number): Line => ({
  ...{ type: 'raster', width: 576, height },
  data: Buffer.alloc(72 * height, byte).toString('base64'),
});

it('a paper of symbols takes two steps of each at least: one that encodes it and one that draws it', () => {
  const symbols = Array.from(
    { length: 20 },
    (): Line => ({ type: 'barcode', symbology: 'qr', value: 'a'.repeat(900) }),
  );
  const { steps, svg } = drawn(symbols);
  // Each has its quiet zone before it, which is a picture without ink.
  expect(svg.match(/<path /g)).toHaveLength(40);
  expect(steps).toBeGreaterThanOrEqual(40);
});

it('one picture takes a step of each few rows, also where it is of too much noise to be drawn', () => {
  const { inked, svg } = drawn([picture(1024, 0x81)]);
  expect(svg.match(/<path /g)).toHaveLength(1);
  expect(inked).toBeGreaterThanOrEqual(64);
  const noise = drawn([picture(2500, 0x55)]);
  expect(noise.svg).toContain('raster 576x2500');
  expect(noise.inked).toBeGreaterThanOrEqual(4);
});

it('a paper of thousands of words takes a step of each few of them', () => {
  const { inked, svg } = drawn(Array.from({ length: 2000 }, (_, n): Line => ({ type: 'text', value: `no. ${n} & é` })));
  expect(svg.match(/no\. 1999 &amp; é/g)).toHaveLength(2);
  expect(inked).toBeGreaterThanOrEqual(250);
});
