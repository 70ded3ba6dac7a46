/** A few hundred odd files: each is the picture that another decoder makes of it, or refused by a code of ours. */
import { execFileSync } from 'node:child_process';
import { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import { decodeJpeg } from '../../codecs/jpeg.ts';
import { type Grey, greyOf, PictureError } from '../../codecs/picture.ts';
import { decodePng } from '../../codecs/png.ts';
import { needTools } from '../tools.ts';
import { type OddPicture, oddJpegs, oddPngs } from './odd-pictures.ts';

/** What is wrong with each: a fault other than the one that it has, or how far its shades are from those expected. */
async function faultsOf(
  pictures: readonly OddPicture[],
  decode: (file: Uint8Array<ArrayBuffer>) => Promise<Grey>,
  expected: (file: Buffer) => Grey,
  tolerance: number,
): Promise<string[]> {
  const faults: string[] = [];
  for (const { name, file, refused, plain = file } of pictures) {
    const found = await decode(new Uint8Array(file)).catch((error: unknown) =>
      error instanceof PictureError ? error.code : `a fault: ${error}`,
    );
    if (typeof found === 'string' || refused !== undefined) {
      if (found !== refused) faults.push(`${name}: ${typeof found === 'string' ? found : 'not refused'}`);
      continue;
    }
    const { width, height, data } = found;
    const right = expected(plain);
    const isSize = width === right.width && height === right.height && data.length === right.data.length;
    const off = isSize ? Math.max(...data.map((shade, at) => Math.abs(shade - right.data[at]!))) : Number.NaN;
    if (!(off <= tolerance)) faults.push(`${name}: ${width}x${height} is ${off} shades off`);
  }
  return faults;
}

describe('every odd PNG', () => {
  const pictures = oddPngs(1);

  it(`is the picture that pngjs makes of it, or refused: ${pictures.length} files`, async () => {
    expect(await faultsOf(pictures, decodePng, (file) => greyOf(PNG.sync.read(file)), 0)).toEqual([]);
    expect(pictures.length).toBeGreaterThan(190);
  });
});

const noTools = needTools(['cjpeg', 'djpeg']);

describe.skipIf(noTools !== undefined)('every odd JPEG', () => {
  const pictures = noTools === undefined ? oddJpegs(1) : [];

  /** A portable greymap by djpeg. */
  const djpeg = (file: Buffer): Grey => {
    const map = execFileSync('djpeg', ['-grayscale', '-dct', 'float'], {
      input: file,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const [, width, height] = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(map.toString('latin1')) ?? [];
    const size = Number(width) * Number(height);
    return { width: Number(width), height: Number(height), data: map.subarray(map.length - size) };
  };

  it(`has the luma that libjpeg-turbo finds, a shade apart at most, or is refused: ${pictures.length} files`, async () => {
    expect(await faultsOf(pictures, async (file) => decodeJpeg(file), djpeg, 1)).toEqual([]);
    expect(pictures.length).toBeGreaterThan(100);
  });
});
