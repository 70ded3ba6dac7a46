/** Pictures on their way to a raster line of a print command: as they are given, and in shades of grey. */

/** RGBA pixels, eight bits a channel, rows from the top: the shape of ImageData (WHATWG HTML, 4.12.5.1.15). */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array | Uint8ClampedArray;
}

/** What a raster is made of: pixels, or the bytes of a PNG or JPEG file. */
export type Picture = Pixels | Uint8Array | ArrayBuffer | Blob;

/**
 * `diffusion`: the error of each dot goes to its neighbours, which shows shades, for photos; `threshold`: what is darker
 * than half is black, for logos and line art.
 */
export type Dither = 'diffusion' | 'threshold';

/** How a raster is made. */
export interface RasterOptions {
  /** Dots across; the height follows. Not given: as many as the picture has pixels, and no more than the paper. */
  readonly width?: number | undefined;
  /** Characters in a line: the lesser of `columns` and `layoutColumns` of `GET /status`, 12 dots each. Default: 48. */
  readonly columns?: number | undefined;
  /** Default: `diffusion`. */
  readonly dither?: Dither | undefined;
}

/** Dots across a character of Font A. */
const FONT_A_DOTS = 12;
/** Dots across the paper of a printer with so many characters of Font A in a line. */
export const paperDots = (columns: number): number => columns * FONT_A_DOTS;

/** A raster as a line of a print command. */
export interface RasterLine {
  type: 'raster';
  /** Dots. */
  width: number;
  /** Rows. */
  height: number;
  /** One bit a dot, rows padded to a byte, 1 is black, base64. */
  data: string;
}

/** A shade a pixel, rows from the top: 0 is black, 255 the white of the paper. */
export interface Grey {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/**
 * `format`: no PNG or JPEG, or of a kind that is not read; `corrupted`: cut short or damaged; `too_large`: more pixels or
 * bytes than are read; `too_tall`: more rows than one print command takes.
 */
export type PictureFault = 'format' | 'corrupted' | 'too_large' | 'too_tall';

/** Why no raster can be made of a picture. */
export class PictureError extends Error {
  readonly code: PictureFault;
  constructor(code: PictureFault, message: string) {
    super(message);
    this.name = 'PictureError';
    this.code = code;
  }
}

/** Work on a picture that is done in steps, so that who does it can do other work between. */
export type PictureSteps<T> = Generator<undefined, T>;

/** Takes all steps at once; gives the result. */
export function atOnce<T>(steps: PictureSteps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Pixels of a step: a few milliseconds. */
export const STEP_PIXELS: number = 32 * 1024;

/** Most pixels of a picture: what a telephone takes, and half the memory that a browser's tab is given at least. */
export const MOST_PIXELS = 16_000_000;

/** Most bytes of a file. */
export const MOST_FILE_BYTES: number = 32 * 1024 * 1024;

/** Throws a PictureError `too_large` or `corrupted`: to call before the pixels are allocated. */
export function checkSize(width: number, height: number): void {
  if (!(width > 0 && height > 0)) throw new PictureError('corrupted', 'the picture has no pixels');
  if (width * height > MOST_PIXELS)
    throw new PictureError('too_large', `${width} by ${height} pixels are more than ${MOST_PIXELS / 1e6} million`);
}

/**
 * The shade of a pixel on white paper. Luma of Rec. ITU-R BT.601; `alpha` 0 is transparent. Whole numbers alone, so that
 * every engine gives the same.
 */
export const shadeOf = (red: number, green: number, blue: number, alpha: number): number =>
  255 - Math.floor(((255_000 - 299 * red - 587 * green - 114 * blue) * alpha + 127_500) / 255_000);

/** The shades of pixels on white paper. Throws a PictureError where they are too many, or fewer than the size says. */
export function greyOf({ width, height, data }: Pixels): Grey {
  checkSize(width, height);
  if (data.length !== width * height * 4)
    throw new PictureError('corrupted', `${width} by ${height} pixels take ${width * height * 4} bytes`);
  const shades = new Uint8Array(width * height);
  for (let pixel = 0, at = 0; pixel < shades.length; pixel += 1, at += 4)
    shades[pixel] = shadeOf(data[at]!, data[at + 1]!, data[at + 2]!, data[at + 3]!);
  return { width, height, data: shades };
}
