/** A node that is asked with keys of idempotency, and what its disk and its paper hold. */
import { onTestFinished } from 'vitest';
import { VirtualPrinter } from '../../plugins/printer/virtual/device.ts';
import { defined } from '../../runtime/base/defined.ts';
import { VirtualStorage } from '../../runtime/bindings/virtual/storage.ts';
import { startTestNode } from '../../runtime/node/testing.ts';
import { until } from '../node.ts';
import { wifiPlugins } from '../plugins.ts';

/** The name under which the keys are stored. */
export const FILE = 'keys';
export const receipt = (id: string, value = 'Coffee') => ({
  type: 'print',
  id,
  endpoint: 'receipt',
  lines: [{ type: 'text', value }],
});

/** A node on a disk and a printer that may be those of an earlier run. */
export async function startKeyedNode(storage = new VirtualStorage(), printer = new VirtualPrinter()) {
  const node = await startTestNode({ plugins: wifiPlugins, storage, devices: { printer: () => printer } });
  onTestFinished(() => node.stop());
  const post = async (path: string, body: unknown, key?: string, mark?: string) => {
    const headers = defined({ 'Idempotency-Key': key, 'Idempotency-Mark': mark });
    const response = await fetch(`${node.url}${path}`, { method: 'POST', body: JSON.stringify(body), headers });
    const replayed = response.headers.get('Idempotency-Replayed');
    return { status: response.status, body: (await response.json()) as Record<string, unknown>, replayed };
  };
  await until(() => (node.kernel.status()['printers'] as [{ known: boolean }])[0].known);
  return { ...node, storage, printer, post };
}

/** Lines of requests: what stands where none does has an end and no answer. */
export const linesOf = async (storage: VirtualStorage) =>
  Buffer.from((await storage.read(FILE)) ?? [])
    .toString()
    .split('\n')
    .filter((line) => line !== '' && !/"status":200}$/.test(line));

export const copies = (printer: VirtualPrinter, what = 'Coffee') =>
  Buffer.from(printer.paper('text')).toString().split(what).length - 1;
