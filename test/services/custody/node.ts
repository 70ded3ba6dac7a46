/** A node with a button and a printer, and the settings a shop would have. */
import { onTestFinished } from 'vitest';
import { VirtualPrinter, type VirtualPrinterOptions } from '../../../plugins/printer/virtual/device.ts';
import { VirtualStorage } from '../../../runtime/bindings/virtual/storage.ts';
import type { Logger } from '../../../runtime/kernel/log.ts';
import { startTestNode, type TestNodeOptions } from '../../../runtime/node/testing.ts';
import { until } from '../../node.ts';
import { twinPlugins, wifiPlugins } from '../../plugins.ts';

export const KEY = 'a key of sixteen+';

export interface Options extends Omit<TestNodeOptions, 'plugins' | 'devices'> {
  readonly plugins?: TestNodeOptions['plugins'];
  readonly printer?: VirtualPrinterOptions;
  /** Starts without one. */
  readonly unplugged?: boolean;
}

export async function startNode({ plugins = wifiPlugins, printer: how = {}, unplugged, ...options }: Options = {}) {
  const printer = new VirtualPrinter(how);
  const errors: { readonly fields: object; readonly message: string }[] = [];
  const note = (fields: object, message: string) => void errors.push({ fields, message });
  const log: Logger = { error: note, warn: () => {}, info: () => {} } as unknown as Logger;
  const devices: Readonly<Record<string, () => VirtualPrinter>> = unplugged ? {} : { printer: () => printer };
  const node = await startTestNode({ plugins, devices, log, ...options });
  onTestFinished(() => node.stop());
  const status = () => node.kernel.status()['printers'] as [{ known: boolean }];
  if (!unplugged) await until(() => status()[0].known);
  const call = async (method: string, path: string, body?: unknown, key?: string) => {
    const response = await fetch(`${node.url}${path}`, {
      method,
      ...(key === undefined ? {} : { headers: { 'X-NODE-Api-Key': key } }),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const paper = () => printer.paperText();
  return {
    ...node,
    printer,
    errors,
    paper,
    get: (path: string) => call('GET', path),
    send: call,
    put: (patch: object, key?: string) => call('PUT', '/config', patch, key),
    config: async () => (await call('GET', '/config')).body,
    /** Paragraphs may be broken at any space. */
    onPaper: (words: string) => paper().replaceAll(/\s+/g, ' ').includes(words),
    slips: (title: string) => paper().split(title).length - 1,
    hold: (ms: number) => node.bench.buttons.hold('b', ms),
    print: (value: string) =>
      call('POST', '/print', {
        type: 'print',
        id: value.slice(0, 9),
        endpoint: 'receipt',
        lines: [{ type: 'text', value }],
      }),
  };
}

/** A disk with keys, a mode above open and what a button must not clear; then a node on it. */
export async function startLockedNode(options: Options = {}) {
  const { storage = new VirtualStorage() } = options;
  const node = await startNode({ ...options, storage });
  await node.kernel.settings.update((draft) => {
    draft['updateKey'] = 'an update key';
    draft['wifi'] = { ssid: 'Shop', password: 'wifi password', band: 'auto', proven: true };
    draft['cloud'] = { token: 'cloud token' };
  });
  await node.put({ apiKey: KEY, apiMode: 'strict' });
  await until(() => node.slips('ACCESS CHANGED') === 1);
  node.printer.tearOff();
  return { ...node, storage };
}

/** Storage on which nothing usable is left of what was there. */
export async function damagedStorage(): Promise<VirtualStorage> {
  const storage = new VirtualStorage();
  await storage.write('settings.a', Buffer.from('half a docum'));
  return storage;
}

export { twinPlugins, until };
