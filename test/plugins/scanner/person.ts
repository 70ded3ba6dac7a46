/** What whoever has the scanner of the twin answers and does to certify it. */
import { CODES } from '../../../plugins/scanner/certify.ts';
import type { Person } from '../../certify/person.ts';

export const PERSON: Person = {
  kind: 'scanner',
  answers: { make: 'Honeywell', model: 'HID POS scanner' },
  moves: ({ client: { twin } }) =>
    Object.fromEntries(CODES.map(({ value }, at) => [`code-${at + 1}`, () => twin.scan({ value })])),
};
