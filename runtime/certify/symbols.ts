/** Codes as a page to look at or to print: Code 128 (ISO/IEC 15417, code set B) and QR. */
import { renderSVG } from 'uqr';
import type { Code } from './tour.ts';

/** Widths of bars and spaces of the values 0 to 106, six a symbol, seven for the stop (ISO/IEC 15417, table 1). */
const PATTERNS =
  '212222222122222221121223121322131222122213122312132212221213221312231212112232122132122231113222123122123221223211221132221231213212223112312131311222321122321221312212322112322211212123212321232121111323131123131321112313132113132311211313231113231311112133112331132131113123113321133121313121211331231131213113213311213131311123311321331121312113312311332111314111221411431111111224111422121124121421141122141221112214112412122114122411142112142211241211221114413111241112134111111242121142121241114212124112124211411212421112421211212141214121412121111143111341131141114113114311411113411311113141114131311141411131211412211214211232';
const STOP = '2331112';
const START_B = 104;
const MODULE = 3;
const HEIGHT = 90;

/** A code as SVG. */
export const svgOf = ({ symbology, value }: Code): string =>
  symbology === 'qr' ? renderSVG(value, { border: 4, pixelSize: 5 }) : code128(value);

/** An HTML document with the codes, numbered from 1. */
export const pageOf = (codes: readonly Code[]): string => {
  const parts = codes.map(
    (code, at) => `<figure>${svgOf(code)}<figcaption>${at + 1}  ${escaped(code.value)}</figcaption></figure>`,
  );
  return `<!doctype html><meta charset="utf-8"><title>Codes</title><style>figure{margin:2cm 1cm;break-inside:avoid}svg{max-width:10cm;height:auto}</style>${parts.join('\n')}\n`;
};

/** A bar code as SVG, with its quiet zones of ten modules. `text`: printable ASCII. */
export function code128(text: string): string {
  const values = Array.from(text, (char) => char.charCodeAt(0) - 32);
  const check = values.reduce((sum, value, at) => sum + value * (at + 1), START_B) % 103;
  const widths = [START_B, ...values, check].map((value) => PATTERNS.slice(value * 6, value * 6 + 6)).join('') + STOP;
  let at = 10;
  const bars = Array.from(widths, Number).map((width, index) => {
    const bar = index % 2 === 0 ? `<rect x="${at * MODULE}" width="${width * MODULE}" height="${HEIGHT}"/>` : '';
    at += width;
    return bar;
  });
  const size = (at + 10) * MODULE;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${HEIGHT}" width="${size}" height="${HEIGHT}">${bars.join('')}</svg>`;
}

const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
