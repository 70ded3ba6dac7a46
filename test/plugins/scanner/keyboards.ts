/** Five kinds of keyboards that type: how each packs the same keys into its reports. */
import type { LayoutName } from '../../../codecs/keymaps.ts';
import { upperHalfOf } from '../../../plugins/printer/virtual/paper/codepage-tables.ts';
import { typeReports } from '../../../plugins/scanner/virtual-typing.ts';
import { FieldDevice, type FieldRecord } from '../../field/device.ts';

const MODIFIERS = '0507 19e0 29e7 1500 2501 7501 9508 8102';
const RESERVED = '9501 7508 8101';
const LIGHTS = '9505 7501 0508 1901 2905 9102 9501 7503 9101';
const KEYS = '9506 7508 1500 26ff00 0507 1900 29ff 8100';
/** One bit for each usage from 00 to A7. */
const BITMAP = '0507 1900 29a7 1500 2501 7501 95a8 8102';
const BITMAP_BYTES = 21;
const SIX_KEYS = `${MODIFIERS} ${RESERVED} ${LIGHTS} ${KEYS}`;

const keyboard = (...items: string[]) => `05010906 a101 ${items.join(' ')} c0`;

export const KINDS = {
  boot: { descriptor: keyboard(SIX_KEYS), pack: (report: Uint8Array) => report },
  'report id': {
    descriptor: keyboard('8503', SIX_KEYS),
    pack: (report: Uint8Array) => Uint8Array.of(3, ...report),
  },
  NKRO: {
    descriptor: keyboard('8501', MODIFIERS, BITMAP),
    pack: (report: Uint8Array) => Uint8Array.of(1, report[0] ?? 0, ...bitmap(report)),
  },
  'Alt codes': { descriptor: keyboard(SIX_KEYS), pack: (report: Uint8Array) => report },
  '9-byte': {
    descriptor: keyboard('8502', MODIFIERS, RESERVED, KEYS),
    pack: (report: Uint8Array) => Uint8Array.of(2, ...report),
  },
} as const;
export type Kind = keyof typeof KINDS;

function bitmap(report: Uint8Array): Uint8Array {
  const bits = new Uint8Array(BITMAP_BYTES);
  for (const key of report.subarray(2)) if (key !== 0) bits[key >> 3] = bits[key >> 3]! | (1 << (key & 7));
  return bits;
}

/** The keyboard, which may hide its report descriptor: then it types in the boot protocol, or stays with its id. */
export const keyboardOf = (kind: Kind, options: Partial<FieldRecord> = {}): FieldDevice => {
  const descriptor = KINDS[kind].descriptor.replaceAll(' ', '');
  const length = (descriptor.length / 2).toString(16).padStart(2, '0');
  return new FieldDevice({
    descriptors: `1201000200000040 5e05 0012 0001 0102 0001 0902 2200 0101 00c0 32 0904 0000 0103 0101 00 0921 1001 0001 22 ${length}00 0705 8103 4000 0a`,
    reportDescriptors: { 0: descriptor },
    ...options,
  });
};

/** Not the table of the codec, so that one can be wrong without the other; '\ufffd' where a byte has no character. */
export const CP1252 = [
  ...Array.from({ length: 0x80 }, (_, code) => String.fromCharCode(code)),
  ...upperHalfOf('windows-1252'),
];
const KEYPAD = [0x62, 0x59, 0x5a, 0x5b, 0x5c, 0x5d, 0x5e, 0x5f, 0x60, 0x61];
const RELEASED = new Uint8Array(8);

/** The whole number in one report, Alt released in the next, as some Symbol scanners pack it; `05` is a digit. */
const altCode = (character: string): Uint8Array[] => {
  const digits = [...`0${String(CP1252.indexOf(character)).padStart(2, '0')}`].map(
    (digit) => KEYPAD[Number(digit)] ?? 0,
  );
  return [Uint8Array.from([4, 0, ...digits, 0, 0, 0, 0, 0, 0]).slice(0, 8), RELEASED];
};

/** The reports in which a keyboard of this kind types a text and Enter. */
export function reportsOf(kind: Kind, text: string, layout: LayoutName): Uint8Array[] {
  const plain =
    kind === 'Alt codes'
      ? [...text].flatMap(altCode).concat(typeReports('\r', layout))
      : typeReports(`${text}\r`, layout);
  return plain.map(KINDS[kind].pack);
}
