/** Receipts to begin with: texts as they stand in the editor. */
import type { Line } from '../contract.ts';
import cafe from './samples/cafe.json' with { type: 'json' };
import deliveryLabel from './samples/delivery-label.json' with { type: 'json' };
import pharmacy from './samples/pharmacy.json' with { type: 'json' };
import qrTicket from './samples/qr-ticket.json' with { type: 'json' };

/** Shows the width, the code pages, a symbol and the cut. */
export const testReceipt = (deviceId: string, columns: number): Line[] => [
  { type: 'banner', value: 'Test', align: 'center' },
  { type: 'text', value: `node-${deviceId}.local`, align: 'center' },
  { type: 'text', value: new Date().toLocaleString(), align: 'center' },
  { type: 'rule' },
  { type: 'text', value: '1234567890'.repeat(10).slice(0, columns) },
  { type: 'columns', cells: [{ value: 'left' }, { value: 'right', align: 'right', bold: true }] },
  { type: 'text', value: '1,00 € é ü ñ å ł ő Ω Ж', align: 'center' },
  { type: 'barcode', symbology: 'qr', value: `http://node-${deviceId}.local/`, align: 'center' },
  { type: 'cut' },
];

/** A line of the receipt on each line of the text. */
export const textOfLines = (lines: readonly unknown[]): string =>
  `[\n${lines.map((line) => `  ${spaced(line)}`).join(',\n')}\n]\n`;

/** The text of an array of lines, with one more above them. */
export function withLineAbove(text: string, line: Line): string {
  const at = text.indexOf('[') + 1;
  const rest = text.slice(at);
  return `${text.slice(0, at)}\n  ${spaced(line)}${/^\s*\]/.test(rest) ? '' : ','}${rest}`;
}

/** JSON on one line, with spaces to read it by. */
const spaced = (value: unknown): string => JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ');

/** By the keys of their names. */
export const SAMPLES = [
  { name: 'sampleCafe', text: textOfLines(cafe) },
  { name: 'samplePharmacy', text: textOfLines(pharmacy) },
  { name: 'sampleLabel', text: textOfLines(deliveryLabel) },
  { name: 'sampleTicket', text: textOfLines(qrTicket) },
] as const;
