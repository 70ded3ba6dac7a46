/** Numbers of GS1 symbols: check digits and the zero suppression of UPC-E (GS1 General Specifications, 7.9 and 7.10). */

/** The check digit for these digits: it makes their sum, with weights 3 and 1 from the right, a multiple of ten. */
export function checkDigit(digits: string): string {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    sum += Number(digits.charAt(digits.length - 1 - at)) * (at % 2 === 0 ? 3 : 1);
  }
  return String((10 - (sum % 10)) % 10);
}

/** True where the last digit is the check digit of the others. */
export const hasValidCheckDigit = (digits: string): boolean => checkDigit(digits.slice(0, -1)) === digits.at(-1);

/** Undoes zero suppression: from the six digits of a UPC-E, the ten UPC-A digits between number system and check digit. */
export function withoutSuppression(six: string): string {
  const [a = '', b = '', c = '', d = '', e = '', last = ''] = six;
  if (last <= '2') return `${a}${b}${last}0000${c}${d}${e}`;
  if (last === '3') return `${a}${b}${c}00000${d}${e}`;
  if (last === '4') return `${a}${b}${c}${d}00000${e}`;
  return `${a}${b}${c}${d}${e}0000${last}`;
}

/** The 12-digit UPC-A of a UPC-E (number system 0 or 1, six digits, check digit); undefined for any other value. */
export function expandUpce(value: string): string | undefined {
  const [, system, six = '', check] = /^([01])(\d{6})(\d)$/.exec(value) ?? [];
  return system === undefined ? undefined : `${system}${withoutSuppression(six)}${check}`;
}
