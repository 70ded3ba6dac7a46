/** A twin with a printer, whose devices are attached under other ids. */
import { onTestFinished } from 'vitest';
import { VirtualPrinter } from '../../../plugins/printer/virtual/device.ts';
import type { VirtualDevice } from '../../../runtime/bindings/virtual/device.ts';
import { startTestNode } from '../../../runtime/node/testing.ts';
import type { RecipeRow } from '../../../runtime/recipes/row.ts';
import { twinPlugins } from '../../plugins.ts';

export async function startAttaching(
  recipes: readonly RecipeRow[],
  atHand: Readonly<Record<string, () => VirtualDevice>> = {},
) {
  const node = await startTestNode({
    plugins: twinPlugins,
    recipes,
    devices: { printer: () => new VirtualPrinter() },
    atHand,
  });
  onTestFinished(node.stop);
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${node.url}${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
    return { status: response.status, body: (await response.json()) as Record<string, Record<string, unknown>[]> };
  };
  return {
    call,
    attach: (body: object) => call('POST', '/twin/attach', { vendorId: 'abcd', productId: '0042', ...body }),
    endpoint: async (id: string) => {
      const { peripherals } = (await call('GET', '/status')).body;
      return peripherals?.find((each) => each['endpoint'] === id);
    },
  };
}
