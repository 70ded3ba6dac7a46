/** Names of bar code symbologies, and a guess at the symbology of a value without an AIM identifier. */
import { expandUpce, hasValidCheckDigit } from './gs1.ts';

/** Names in the API. A symbology without a name here is `other`. */
export const SYMBOLOGIES = [
  ...(['ean13', 'ean8', 'upca', 'upce', 'code128', 'gs1-128', 'code39', 'code93', 'code11', 'itf', 'codabar'] as const),
  ...(['msi', 'plessey', 'telepen', 'straight2of5', 'databar', 'codablock', 'code16k', 'code49', 'pdf417'] as const),
  ...(['micropdf417', 'qr', 'datamatrix', 'aztec', 'maxicode', 'hanxin', 'ocr', 'other'] as const),
] as const;

export type Symbology = (typeof SYMBOLOGIES)[number];

/** Characters of the longest value that is guessed to be a linear code, and a two-dimensional one other than PDF417. */
const LONG_LINEAR = 32;
const LONG_MATRIX = 128;
/** A boarding pass with one leg and no optional fields (IATA BCBP) is 58 characters. */
const BOARDING_PASS = /^M1.{56}/s;
const QR_ONLY = /^(https?|WIFI|MT|X-HM|BEGIN):/i;
const CODE39_TEXT = /^[0-9A-Z\-. $/+%]*$/;
const ASCII_TEXT = /^\p{ASCII}*$/u;

/**
 * The likeliest symbology of a value. Check digits decide where they can; the rest is a guess: more than half of the EAN-8
 * numbers that begin with 0 or 1 are valid UPC-E, too, and Code 39 text in capitals is reported as Code 128.
 */
export function inferSymbology(value: string): Symbology {
  const numeric = /^\d+$/.test(value) ? inferNumeric(value) : undefined;
  if (numeric !== undefined) return numeric;
  if (QR_ONLY.test(value)) return 'qr';
  if (BOARDING_PASS.test(value)) return 'aztec';
  if (value.length > LONG_MATRIX) return 'pdf417';
  if (!ASCII_TEXT.test(value)) return 'qr';
  if (value.length > LONG_LINEAR && !CODE39_TEXT.test(value)) return 'qr';
  if (/^[A-D]\d+[A-D]$/.test(value)) return 'codabar';
  return 'code128';
}

function inferNumeric(value: string): Symbology | undefined {
  const upca = expandUpce(value);
  if (upca !== undefined && hasValidCheckDigit(upca)) return 'upce';
  if (!hasValidCheckDigit(value)) return undefined;
  switch (value.length) {
    case 8:
      return 'ean8';
    case 12:
      return 'upca';
    case 13:
      return 'ean13';
    case 14:
      return 'itf';
    default:
      return undefined;
  }
}
