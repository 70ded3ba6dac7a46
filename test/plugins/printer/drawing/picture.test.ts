/** A picture of a document is decoded in many small steps, between which the drawing thread can turn to a receipt. */
import { expect, it, onTestFinished } from 'vitest';
import { resolveOptions } from '../../../../codecs/escpos.ts';
import { greyJpeg } from '../../../../codecs/jpeg-encoder.ts';
import { dotsOf } from '../../../../plugins/printer/drawing/picture.ts';
import { Renderer } from '../../../../plugins/printer/drawing/renderer.ts';
import { besideSources } from '../../../../runtime/assembly/variant/beside-sources.ts';
import { VirtualHost } from '../../../../runtime/bindings/virtual/host.ts';
import { silentLogger } from '../../../../runtime/kernel/log.ts';
import type { Node } from '../../../../runtime/kernel/node.ts';
import { photo, pngOf } from '../../../pictures.ts';

const jpegOf = (width: number, height: number): Buffer =>
  greyJpeg({ width, height, grey: (x, y) => (x * 7 + y * 13 + ((x * y) % 61)) & 255, step: 4 });
const job = (file: Uint8Array) => ({ file: new Uint8Array(file), width: 576, dither: 'diffusion' as const });

/** The steps in which the dots of a file are made. */
async function stepsOf(file: Uint8Array): Promise<number> {
  const drawing = dotsOf({ ...job(file), as: 'picture' });
  for (let steps = 0; ; steps += 1) {
    const step = await drawing.next();
    if (step.done !== true) continue;
    expect(step.value.ok).toBe(true);
    return steps;
  }
}

it('a JPEG takes a step of each few blocks, and of each few rows that are scaled', async () => {
  // 4,096 blocks are decoded and come out in 64 rows of them; then as many pixels are scaled, and become dots.
  expect(await stepsOf(jpegOf(512, 512))).toBeGreaterThanOrEqual(4096 / 256 + 64 + 20);
});

it('a PNG takes a step of each few rows, also where one of them has more pixels than others have in all', async () => {
  expect(await stepsOf(pngOf(photo(512, 512)))).toBeGreaterThanOrEqual(64);
  // Its 1.6 MB are inflated in parts of 16 KiB, and lose their filter in parts of 32.
  expect(await stepsOf(pngOf(photo(400_000, 1)))).toBeGreaterThanOrEqual(97 + 48);
});

it('a receipt that has to be drawn is laid out while a picture of another address is decoded', async () => {
  const renderer = new Renderer({
    ...{ beside: besideSources, log: silentLogger, image: { scripts: [] as readonly string[] } as Node['image'] },
    bindings: { host: new VirtualHost() } as unknown as Node['bindings'],
  });
  onTestFinished(() => renderer.stop());
  const receipt = () =>
    renderer.bytes(
      {
        lines: [{ type: 'text', value: '\u05e9\u05dc\u05d5\u05dd 12.00' }],
        settings: { columns: 48, cutClearanceLines: 4 },
        options: resolveOptions(),
      },
      '10.0.0.1',
    );
  // The faces are opened before.
  await receipt();
  const done: string[] = [];
  const picture = renderer.picture(job(jpegOf(3000, 3000)), '10.0.0.2').then(({ ok }) => done.push(`picture ${ok}`));
  for (let n = 0; n < 3; n += 1) done.push(`receipt ${(await receipt()).ok}`);
  await picture;
  expect(done).toEqual(['receipt true', 'receipt true', 'receipt true', 'picture true']);
});
