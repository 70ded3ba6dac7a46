/** Which data each symbology of GS k takes; a printer takes the rest for text (Epson TM-T88III manual, GS k). */

const UPC_A = /^\d{11,12}$/;
const UPC_E = /^(?:\d{6,8}|\d{11,12})$/;
const EAN_13 = /^\d{12,13}$/;
const EAN_8 = /^\d{7,8}$/;
const CODE_39 = /^[0-9A-Z $%*+\-./]+$/;
const ITF = /^(?:\d\d)+$/;
const CODABAR = /^[A-Da-d][\d$+\-./:]+[A-Da-d]$/;
const CODE_93 = /^[^\u0080-\u00ff]+/;
/** A code set first; then `{` only in a shift, a function, a code set or doubled. */
const CODE_128 = /^\{[ABC](?:\{[ABCS1-4{]|[^{\u0080-\u00ff])+/;
const GS1_128 = /^[^\u0080-\u00ff]{2,}/;
const GS1_DATABAR = /^[\x20-\x7e]+$/;
const CODE_128_AUTO = /^.+/s;

/** By m of function B, from 65; function A numbers the first seven from 0. */
const SYMBOLOGIES: readonly RegExp[] = [
  ...[UPC_A, UPC_E, EAN_13, EAN_8, CODE_39, ITF, CODABAR, CODE_93, CODE_128, GS1_128],
  ...[GS1_DATABAR, GS1_DATABAR, GS1_DATABAR, GS1_DATABAR, CODE_128_AUTO],
];

/** How many of the bytes b[from, to) a strict printer takes for the bar code `m`, before it takes the rest for text. */
export function barcodeBytes(m: number, b: Uint8Array, from: number, to: number): number {
  const symbology = m < 7 ? SYMBOLOGIES[m] : SYMBOLOGIES[m - 65];
  return symbology?.exec(Buffer.from(b.buffer, b.byteOffset + from, to - from).toString('latin1'))?.[0].length ?? 0;
}
