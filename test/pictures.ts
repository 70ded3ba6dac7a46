/** Pictures to print: a photo with every shade, and a logo whose edges are half transparent. */
import { PNG } from 'pngjs';

export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

type Colour = readonly [red: number, green: number, blue: number, alpha: number];

const drawn = (width: number, height: number, colour: (x: number, y: number) => Colour): Pixels => {
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += 1) data.set(colour(x, y), 4 * (y * width + x));
  return { width, height, data };
};

/** Slopes, a bright spot and texture. */
export const photo = (width: number, height: number): Pixels =>
  drawn(width, height, (x, y) => {
    const spot = 200 * Math.exp(-((x - width / 3) ** 2 + (y - height / 2) ** 2) / (width * height * 0.05));
    const texture = ((x * 7919 + y * 104729) % 61) - 30;
    return [(255 * x) / width, (255 * y) / height, spot, 0].map((value, index) =>
      index === 3 ? 255 : Math.max(0, Math.min(255, Math.round(value + texture))),
    ) as unknown as Colour;
  });

/** A ring of one colour, soft towards the transparent around it. */
export const logo = (side: number): Pixels =>
  drawn(side, side, (x, y) => {
    const off = Math.abs(Math.hypot(x - side / 2, y - side / 2) - side / 3);
    return [200, 30, 90, Math.max(0, Math.min(255, Math.round(255 * (side / 10 - off))))];
  });

/** The PNG file of these pixels. */
export const pngOf = ({ width, height, data }: Pixels): Buffer => {
  const file = new PNG({ width, height });
  file.data = Buffer.from(data);
  return PNG.sync.write(file);
};
