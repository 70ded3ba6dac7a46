/** Documents in SVG as a browser shows them, with faces of this tree alone. */
import { chromium } from 'playwright-core';
import { BROWSER } from '../tools.ts';
import { type Bitmap, read, sharp } from './bitmap.ts';
import { fontsOf, MONO } from './pango.ts';

export interface Screen {
  /** A document, a pixel for each of its units. */
  picture(svg: string): Promise<Bitmap>;
  close(): Promise<void>;
}

export async function openScreen(): Promise<Screen> {
  const fonts = fontsOf([MONO]);
  const browser = await chromium.launch({
    executablePath: `/usr/bin/${BROWSER}`,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    env: { ...process.env, ...fonts.env } as Record<string, string>,
  });
  return {
    picture: async (svg) => {
      const [, , width = 0, height = 0] = (/viewBox="([^"]+)"/.exec(svg)?.[1] ?? '').split(' ').map(Number);
      const page = await browser.newPage({ viewport: { width, height } });
      await page.setContent(`<body style="margin:0">${svg}`);
      const picture = sharp(read(await page.screenshot()));
      await page.close();
      return picture;
    },
    close: async () => {
      await browser.close();
      fonts.remove();
    },
  };
}
