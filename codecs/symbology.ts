/** Names of bar code symbologies, and the guess at one from a value that came without an AIM identifier. */

/** What a read is reported as. Variants without a name of their own here are `other`. */
export const SYMBOLOGIES = [
  ...(['ean13', 'ean8', 'upca', 'upce', 'code128', 'gs1-128', 'code39', 'code93', 'code11', 'itf', 'codabar'] as const),
  ...(['msi', 'plessey', 'telepen', 'straight2of5', 'databar', 'codablock', 'code16k', 'code49', 'pdf417'] as const),
  ...(['micropdf417', 'qr', 'datamatrix', 'aztec', 'maxicode', 'hanxin', 'ocr', 'other'] as const),
] as const;

export type Symbology = (typeof SYMBOLOGIES)[number];

/** Longest values that are still guessed to be a linear code, and a two-dimensional one other than PDF417. */
const LONG_LINEAR = 32;
const LONG_MATRIX = 128;
/** A boarding pass with one leg and no optional fields (IATA BCBP) is 58 characters. */
const BOARDING_PASS = /^M1.{56}/s;
const QR_ONLY = /^(https?|WIFI|MT|X-HM|BEGIN):/i;
const CODE39_TEXT = /^[0-9A-Z\-. $/+%]*$/;
const ASCII_TEXT = /^\p{ASCII}*$/u;

/** GS1 General Specifications, 7.9: weights 3, 1, 3, … from the rightmost data digit; the sum with the check is a ten. */
export function hasValidCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let fromRight = 0; fromRight < digits.length; fromRight++) {
    const digit = digits.charCodeAt(digits.length - 1 - fromRight) - 0x30;
    sum += fromRight % 2 === 1 ? digit * 3 : digit;
  }
  return sum % 10 === 0;
}

/** UPC-E (number system 0 or 1, six digits, check digit) as the UPC-A it stands for; undefined for anything else. */
export function expandUpce(value: string): string | undefined {
  const [, system, digits = '', check] = /^([01])(\d{6})(\d)$/.exec(value) ?? [];
  if (system === undefined) return undefined;
  const last = digits.charAt(5);
  let body: string;
  if (last <= '2') body = `${digits.slice(0, 2)}${last}0000${digits.slice(2, 5)}`;
  else if (last === '3') body = `${digits.slice(0, 3)}00000${digits.slice(3, 5)}`;
  else if (last === '4') body = `${digits.slice(0, 4)}00000${digits.slice(4, 5)}`;
  else body = `${digits.slice(0, 5)}0000${last}`;
  return `${system}${body}${check}`;
}

/**
 * The likeliest symbology of a value. Check digits decide where there are any; the rest is a guess: more than half
 * of the EAN-8 numbers that begin with 0 or 1 are valid UPC-E too, and upper-case Code 39 text passes for Code 128.
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
