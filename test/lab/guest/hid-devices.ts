/** HID devices of a shop counter, as their makers' descriptors and reports have them. */
import type { HidDescription } from './gadget-hid.ts';

const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));

/** A scanner that types. Its descriptor is the keyboard of HID 1.11, appendix E.6. */
export const WEDGE: HidDescription = {
  port: 0,
  vendorId: '05e0',
  productId: '1200',
  make: 'Symbol Technologies, Inc, 2008',
  model: 'Symbol Bar Code Scanner',
  serial: 'S/N:0000001',
  bootKeyboard: true,
  reportDescriptor: hex(
    '0501 0906 a101 0507 19e0 29e7 1500 2501 7501 9508 8102 9501 7508 8101 9505 7501 0508 1901 2905 9102' +
      '9501 7503 9101 9506 7508 1500 2565 0507 1900 2965 8100 c0',
  ),
  reportBytes: 8,
};

/** Scanned data report of HID Point of Sale Usage Tables 1.02, in 64 bytes: count, AIM identifier, data, continued. */
export const POS_SCANNER: HidDescription = {
  port: 0,
  vendorId: '05f9',
  productId: '4604',
  make: 'Datalogic ADC, Inc.',
  model: 'Handheld Barcode Scanner',
  serial: 'G00000001',
  bootKeyboard: false,
  reportDescriptor: hex(
    '058c 0902 a101 8502 0912 a102 1500 26ff00 7508 0501 093b 9501 8102 058c 09fb 09fc 09fd 9503 8102' +
      '09fe 9538 820201 9502 8101 09ff 2501 7501 9501 8102 7507 8101 c0 c0',
  ),
  reportBytes: 64,
};

/** Data report of HID Point of Sale Usage Tables 1.02, section 5: status, unit, exponent, weight. */
export const SCALE: HidDescription = {
  port: 2,
  vendorId: '0922',
  productId: '8003',
  make: 'DYMO',
  model: 'M10 10 lb USB Postal Scale',
  serial: '0071234567891',
  bootKeyboard: false,
  reportDescriptor: hex(
    '058d 0920 a101 0932 a102 8503 058d 0970 a102 1501 2508 7508 9501 0971 0972 0973 0974 0975 0976 0977 0978 8100 c0' +
      '0950 a102 1501 250c 7508 9501 0951 0952 0953 0954 0955 0956 0957 0958 0959 095a 095b 095c 8100 c0' +
      '0941 1581 257f 7508 9501 8102 0940 1500 27ffff0000 7510 9501 8102 c0 c0',
  ),
  reportBytes: 6,
};

const SHIFT = 0x02;
const ENTER = 0x28;
type Stroke = readonly [modifiers: number, usage: number];

/** The keys for `QZ-471_a` on three boards: which key types Q, Z, A, the hyphen and the digits differs. */
export const TYPED = 'QZ-471_a';
export const STROKES = {
  us: [
    ...[[SHIFT, 0x14] as const, [SHIFT, 0x1d] as const, [0, 0x2d] as const],
    ...[[0, 0x21] as const, [0, 0x24] as const, [0, 0x1e] as const, [SHIFT, 0x2d] as const, [0, 0x04] as const],
  ],
  de: [
    ...[[SHIFT, 0x14] as const, [SHIFT, 0x1c] as const, [0, 0x38] as const],
    ...[[0, 0x21] as const, [0, 0x24] as const, [0, 0x1e] as const, [SHIFT, 0x38] as const, [0, 0x04] as const],
  ],
  fr: [
    ...[[SHIFT, 0x04] as const, [SHIFT, 0x1a] as const, [0, 0x23] as const],
    ...[[SHIFT, 0x21] as const, [SHIFT, 0x24] as const, [SHIFT, 0x1e] as const, [0, 0x25] as const, [0, 0x14] as const],
  ],
} satisfies Record<string, readonly Stroke[]>;

/** Boot keyboard reports: each key pressed and released, Enter last. */
export const keystrokes = (strokes: readonly Stroke[]): Uint8Array[] =>
  [...strokes, [0, ENTER] as const].flatMap(([modifiers, usage]) => [
    Uint8Array.of(modifiers, 0, usage, 0, 0, 0, 0, 0),
    new Uint8Array(8),
  ]);

/** One scanned data report; the value has 56 bytes at most. */
export function posReport(aim: string, value: string): Uint8Array {
  const report = new Uint8Array(64);
  report.set([2, value.length, ...Buffer.from(aim + value, 'latin1')]);
  return report;
}

/** Status 4 is a stable weight, 3 one in motion, 2 nothing on it; unit 2 is grams, counted in tenths here. */
export const weighing = (tenths: number, status = tenths === 0 ? 2 : 4): Uint8Array =>
  Uint8Array.of(3, status, 2, 0xff, tenths & 0xff, tenths >> 8);
