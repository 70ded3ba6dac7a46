/** What people build today: express, its JSON parser, and node-thermal-printer as it comes. */
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { openSink } from './sink.ts';

interface Lines {
  readonly lines: ReadonlyArray<{ type: string; value?: string; bold?: boolean; align?: string; symbology?: string }>;
}
interface Stock {
  alignCenter(): void;
  alignLeft(): void;
  bold(on: boolean): void;
  println(text: string): void;
  drawLine(): void;
  printQR(text: string): void;
  printBarcode(text: string, type: number): void;
  cut(): void;
  getBuffer(): Buffer;
}
interface Express {
  (): {
    use(handler: unknown): void;
    post(path: string, handler: unknown): void;
    listen(port: number, host: string, ready: () => void): { address(): AddressInfo };
  };
  json(options: object): unknown;
}

const rivals = createRequire(new URL(`file://${process.env['RIVALS'] ?? ''}/package.json`));
const express = rivals('express') as Express;
const { ThermalPrinter, PrinterTypes } = rivals('node-thermal-printer') as {
  ThermalPrinter: new (options: object) => Stock;
  PrinterTypes: { EPSON: string };
};

const sink = await openSink();
const app = express();
app.use(express.json({ limit: '256kb' }));
app.post('/print', async (request: { body: Lines }, response: { json(body: object): void }) => {
  const printer = new ThermalPrinter({ type: PrinterTypes.EPSON, width: 48, characterSet: 'PC858_EURO' });
  for (const line of request.body.lines) {
    if (line.type === 'text') {
      if (line.align === 'center') printer.alignCenter();
      else printer.alignLeft();
      printer.bold(line.bold ?? false);
      printer.println(line.value ?? '');
    } else if (line.type === 'rule') printer.drawLine();
    else if (line.type === 'barcode' && line.symbology === 'qr') printer.printQR(line.value ?? '');
    else if (line.type === 'barcode') printer.printBarcode(line.value ?? '', 67);
    else if (line.type === 'cut') printer.cut();
  }
  const bytes = printer.getBuffer();
  await sink(bytes);
  response.json({ ok: true, bytes: bytes.length });
});
const server = app.listen(0, '127.0.0.1', () => process.stdout.write(`port ${server.address().port}\n`));
process.on('SIGTERM', () => process.exit(0));
