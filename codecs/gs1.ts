/** Numbers of GS1 symbols: check digits and the zero suppression of UPC-E (GS1 General Specifications, 7.9 and 7.10). */

/** The digit that makes the weighted sum a multiple of ten: weights 3 and 1, from the right. */
export function checkDigit(digits: string): string {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    sum += Number(digits.charAt(digits.length - 1 - at)) * (at % 2 === 0 ? 3 : 1);
  }
  return String((10 - (sum % 10)) % 10);
}

/** Whether the last of these digits is the check digit of the others. */
export const hasValidCheckDigit = (digits: string): boolean => checkDigit(digits.slice(0, -1)) === digits.at(-1);

/** The ten digits between number system and check digit of the UPC-A that the six digits of a UPC-E stand for. */
export function withoutSuppression(six: string): string {
  const [a = '', b = '', c = '', d = '', e = '', last = ''] = six;
  if (last <= '2') return `${a}${b}${last}0000${c}${d}${e}`;
  if (last === '3') return `${a}${b}${c}00000${d}${e}`;
  if (last === '4') return `${a}${b}${c}${d}00000${e}`;
  return `${a}${b}${c}${d}${e}0000${last}`;
}

/** UPC-E (number system 0 or 1, six digits, check digit) as the UPC-A it stands for; undefined for anything else. */
export function expandUpce(value: string): string | undefined {
  const [, system, six = '', check] = /^([01])(\d{6})(\d)$/.exec(value) ?? [];
  return system === undefined ? undefined : `${system}${withoutSuppression(six)}${check}`;
}
