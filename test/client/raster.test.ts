/** `raster` of the built client: from files and from pixels, in ES modules and in CommonJS. */
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { greyJpeg } from '../../codecs/jpeg-encoder.ts';
import type * as Client from '../../runtime/client/client.ts';
import { logo, photo, pngOf } from '../pictures.ts';
import { startWithClient } from './node.ts';

const { raster } = (await import(pathToFileURL(resolve('dist/client/client.js')).href)) as typeof Client;
const require = createRequire(import.meta.url);

describe('raster', () => {
  it('makes the same line of a file, of its pixels, and in CommonJS', async () => {
    const inCommonJs = (require(resolve('dist/client/client.cjs')) as typeof Client).raster;
    for (const [picture, dither] of [
      [photo(300, 80), 'diffusion'],
      [logo(90), 'threshold'],
    ] as const) {
      const file = pngOf(picture);
      const line = await raster(file, { width: 200, dither });
      expect(line).toMatchObject({ type: 'raster', width: 200 });
      expect(await raster(picture, { width: 200, dither })).toEqual(line);
      expect(await raster(new Blob([new Uint8Array(file)]), { width: 200, dither })).toEqual(line);
      expect(await inCommonJs(new Uint8Array(file).buffer, { width: 200, dither })).toEqual(line);
    }
  });

  it('makes a line that a node prints, no wider than its paper', async () => {
    const { node, client } = await startWithClient();
    try {
      const { printers } = await client.status();
      const columns = printers[0]?.columns;
      const line = await raster(greyJpeg({ width: 800, height: 80, grey: (x) => 9 * x, step: 1 }), { columns });
      expect([columns, line.width, line.height]).toEqual([48, 576, 58]);
      const result = await client.print({ type: 'print', id: '1', endpoint: 'receipt', lines: [line] });
      expect(result).toMatchObject({ ok: true, outcome: 'accepted' });
    } finally {
      await node.stop();
    }
  });

  it('says by a code why there is none', async () => {
    const file = pngOf(logo(40));
    await expect(raster(file.subarray(0, 60))).rejects.toMatchObject({ name: 'PictureError', code: 'corrupted' });
    await expect(raster(Buffer.from('<svg/>'))).rejects.toMatchObject({ code: 'format' });
    await expect(raster(pngOf(photo(20, 2000)), { width: 576 })).rejects.toMatchObject({ code: 'too_tall' });
    await expect(raster(file, { width: 0 })).rejects.toThrow(RangeError);
  });
});
