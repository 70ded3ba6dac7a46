/** What people print: documents that Ghostscript makes, and what is on the paper that a printer took (rasters and cuts of ESC/POS). */
import { Buffer } from 'node:buffer';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CUT = Buffer.from('\x1dV');
const RASTER = Buffer.from('\x1dv0\0', 'latin1');

/** PostScript: a thick mark at the upper left, a thin one at the lower right, 180 mm apart and 60 mm across. */
const MM = 72 / 25.4;
export const marks = [
  `${6 * MM} ${180 * MM} moveto ${30 * MM} 0 rlineto 0 ${10 * MM} rlineto ${-30 * MM} 0 rlineto closepath fill`,
  `${56 * MM} ${10 * MM} moveto ${10 * MM} 0 rlineto 0 ${4 * MM} rlineto ${-10 * MM} 0 rlineto closepath fill`,
];
export const lines = (texts: readonly string[], top: number) => [
  '/Courier-Bold findfont 18 scalefont setfont',
  ...texts.map((text, n) => `${6 * MM} ${(top - 12 * n) * MM} moveto (${text}) show`),
];
export function drawn(
  folder: string,
  name: string,
  pages: readonly string[],
  device: string,
  extension: string,
): string {
  const size = `<< /PageSize [${72 * MM} ${200 * MM}] >> setpagedevice`;
  const source = join(folder, `${name}.ps`);
  writeFileSync(source, `%!PS\n${size}\n${pages.map((page) => `${page}\nshowpage\n`).join('')}`);
  const out = join(folder, `${name}.${extension}`);
  execFileSync('gs', [
    '-q',
    '-dNOPAUSE',
    '-dBATCH',
    '-dSAFER',
    '-r203',
    `-sDEVICE=${device}`,
    `-sOutputFile=${out}`,
    source,
  ]);
  return out;
}
export const pdf = (folder: string, name: string, pages: readonly string[]): string =>
  drawn(folder, name, pages, 'pdfwrite', 'pdf');

/** The words of job n, in order: where it begins, something between, and where it ends. */
export const wordsOf = (n: number): string[] => {
  const id = String(n).padStart(3, '0');
  const pages = n % 4 === 0 ? [`PAGE 1 ${id}`, `PAGE 2 ${id}`] : [`PAGE 1 ${id}`];
  return [`BEGIN ${id}`, ...pages, `END ${id}`];
};
/** The words of documents that are on the paper; a nought may be read as a letter. */
export const words = (paper: string): string[] =>
  [...paper.matchAll(/(BEGIN|PAGE [12Il]|END) ([\dOoQIl]{3})/g)].map(([found]) => {
    const [, what, digits] = /^(.*?)((?: [\dOoQIl]+)+)$/.exec(found) ?? [];
    return `${what}${digits?.replaceAll(/[OoQ]/g, '0').replaceAll(/[Il]/g, '1')}`;
  });

/** PDF of one page, text, a picture, PDF of two pages. */
export function fileOf(folder: string, n: number): string {
  const [begin, ...rest] = wordsOf(n);
  const name = `job-${n}`;
  if (n % 4 === 1) return pdf(folder, name, [lines([begin!, ...rest], 180).join('\n')]);
  if (n % 4 === 2) {
    writeFileSync(join(folder, `${name}.txt`), `${[begin, ...rest].join('\n\n')}\n`);
    return join(folder, `${name}.txt`);
  }
  if (n % 4 === 3) return drawn(folder, name, [lines([begin!, ...rest], 180).join('\n')], 'pnggray', 'png');
  const [first, second, end] = rest;
  return pdf(folder, name, [lines([begin!, first!], 180).join('\n'), lines([second!, end!], 180).join('\n')]);
}

/** The rows of each piece of paper that was cut off. */
export function printed(bytes: Buffer): boolean[][][] {
  const pieces: boolean[][][] = [[]];
  for (let at = 0; at < bytes.length; ) {
    const [raster, cut] = [bytes.indexOf(RASTER, at), bytes.indexOf(CUT, at)];
    if (cut >= 0 && (raster < 0 || cut < raster)) {
      pieces.push([]);
      at = cut + CUT.length;
    } else if (raster >= 0) {
      const [across, height] = [bytes.readUInt16LE(raster + 4), bytes.readUInt16LE(raster + 6)];
      for (let row = 0; row < height; row += 1) {
        const from = raster + 8 + row * across;
        pieces
          .at(-1)!
          .push(Array.from({ length: 8 * across }, (_, x) => ((bytes[from + (x >> 3)]! >> (7 - (x & 7))) & 1) === 1));
      }
      at = raster + 8 + across * height;
    } else break;
  }
  return pieces.filter(({ length }) => length > 0);
}

/** What tesseract(1) reads on a piece of paper. */
export function read(rows: readonly (readonly boolean[])[]): string {
  const width = rows[0]!.length;
  const [margin, page] = [24, [] as Buffer[]];
  const blank = Buffer.alloc(width + 2 * margin, 255);
  for (let n = 0; n < margin; n += 1) page.push(blank);
  for (const row of rows) {
    const line = Buffer.from(blank);
    for (const [x, dot] of row.entries()) if (dot) line[margin + x] = 0;
    page.push(line);
  }
  for (let n = 0; n < margin; n += 1) page.push(blank);
  const input = Buffer.concat([Buffer.from(`P5 ${blank.length} ${page.length} 255\n`), ...page]);
  const env = { ...process.env, OMP_THREAD_LIMIT: '1' };
  return execFileSync('tesseract', ['stdin', 'stdout', '-l', 'eng', '--psm', '6', '--dpi', '203'], {
    input,
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
  }).toString();
}
