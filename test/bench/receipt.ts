/** The receipt that the HTTP and port 9100 benches print: 40 lines of what a cafe sells. */
import { resolveOptions } from '../../codecs/escpos.ts';
import type { Line } from '../../plugins/printer/contract.ts';
import { render } from '../../plugins/printer/layout/layout.ts';

const GOODS = [
  'Café crème',
  'Brötchen',
  'Piña colada',
  'Jus d’orange',
  'Croissant aux amandes',
  'Bière pression',
  'Bottled water',
  'Sandwich jambon',
];

export const receiptLines = (): Line[] => [
  { type: 'text', value: 'LE PETIT CAFÉ', bold: true, align: 'center' },
  ...Array.from({ length: 35 }, (_, index): Line => {
    const left = `${GOODS[index % GOODS.length] ?? ''} #${index}`;
    const right = `${(index * 1.37).toFixed(2)} €`;
    return { type: 'text', value: left + ' '.repeat(48 - left.length - right.length) + right };
  }),
  { type: 'rule' },
  { type: 'barcode', symbology: 'qr', value: 'https://example.com/r/12345' },
  { type: 'barcode', symbology: 'ean13', value: '4006381333931' },
  { type: 'cut' },
];

export const printCommand = (): string =>
  JSON.stringify({ type: 'print', id: 'bench', endpoint: 'receipt', lines: receiptLines() });

export function readyMade(): Uint8Array {
  const rendered = render(receiptLines(), { columns: 48, cutClearanceLines: 4 }, resolveOptions({}));
  if (!rendered.ok) throw new Error(rendered.detail);
  return rendered.bytes;
}
