/** A node that prints receipts on a printer with these properties, and what comes out of it. */

import type { Line } from '../../plugins/printer/contract.ts';
import { VirtualPrinter } from '../../plugins/printer/virtual/device.ts';
import { besideSources } from '../../runtime/assembly/variant/beside-sources.ts';
import { startTestNode } from '../../runtime/node/testing.ts';
import { until } from '../node.ts';
import { wifiPlugins } from '../plugins.ts';
import { MODEL, type PrinterOptions } from './decode.ts';

export interface Printed {
  readonly bytes: Uint8Array;
  /** The paper that the twin shows. */
  readonly svg: string;
  /** What the node says of the job beside that it was printed. */
  readonly detail: string | undefined;
}

export interface Counter {
  /** Prints one job on paper of its own. Throws where it is refused. */
  print(lines: readonly Line[]): Promise<Printed>;
  stop(): Promise<void>;
}

export async function openCounter(options: PrinterOptions = {}): Promise<Counter> {
  const printerModel = { ...MODEL, ...options };
  const printer = new VirtualPrinter({ printerModel });
  const row = { id: 'under-test', vendorId: '04b8', productId: '0e28', make: 'EPSON', model: 'TM' };
  const node = await startTestNode({
    plugins: wifiPlugins,
    beside: besideSources,
    recipes: [{ ...row, kind: 'printer', codec: 'escpos', options: printerModel }],
    devices: { printer: () => printer },
  });
  await until(() => (node.kernel.status()['printers'] as [{ known: boolean }])[0].known);
  let jobs = 0;
  return {
    print: async (lines) => {
      printer.tearOff();
      jobs += 1;
      const body = JSON.stringify({ type: 'print', id: `job-${jobs}`, endpoint: 'receipt', lines });
      const response = await fetch(`${node.url}/print`, { method: 'POST', body });
      const { ok, detail } = (await response.json()) as { readonly ok: boolean; readonly detail?: string };
      if (!ok) throw new Error(`the job is refused: ${detail}`);
      return { bytes: printer.paperBytes().slice(), svg: printer.paperSvg(), detail };
    },
    stop: () => node.stop(),
  };
}
