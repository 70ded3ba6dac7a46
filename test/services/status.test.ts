/** GET /status and GET /peripherals as the specification lists them (2.1, 2.2). */
import { afterEach, describe, expect, it } from 'vitest';
import { startTestNode } from '../../runtime/node/testing.ts';
import { GadgetRoom } from '../kernel/hotplug-gadget.ts';
import { type PrintingNode, startPrintingNode } from '../node.ts';
import { wifiPlugins } from '../plugins.ts';

let node: PrintingNode;
afterEach(() => node.stop());

describe('GET /status', () => {
  it('says who the node is, in every field the specification names', async () => {
    node = await startPrintingNode();
    const { body } = await node.get('/status');
    expect(body).toMatchObject({
      identity: { variant: 'twin', firmwareVersion: '0.0.0-test', slot: 'a' },
      online: true,
      printers: [{ type: 'printer_status', endpoint: 'receipt', known: true }],
      raw: { connections: 0, bytes: 0, pulsesDropped: 0, realtimeDropped: 0 },
      usb: { channels: 16, state: 'ok' },
    });
    expect((body['identity'] as { deviceId: string }).deviceId).toMatch(/^[0-9a-f]{8}$/);
    expect(body['uptimeSeconds']).toBeTypeOf('number');
  });

  it('keeps the device id over a restart on the same storage', async () => {
    node = await startPrintingNode();
    const idOf = async (url: string) =>
      ((await (await fetch(`${url}/status`)).json()) as { identity: { deviceId: string } }).identity.deviceId;
    const first = await idOf(node.url);
    const again = await startTestNode({ plugins: wifiPlugins, storage: node.storage });
    expect(await idOf(again.url)).toBe(first);
    await again.stop();
  });
});

describe('GET /peripherals', () => {
  it('lists the declared endpoints with what they can do and how they stand', async () => {
    node = await startPrintingNode({}, [...wifiPlugins, new GadgetRoom().plugin]);
    const { body } = await node.get<{ peripherals: unknown[] }>('/peripherals');
    expect(body.peripherals).toContainEqual({
      id: 'receipt',
      kind: 'printer',
      transport: 'usb',
      capabilities: ['print', 'raw', 'drawer_kick', 'status'],
      condition: 'bound',
    });
    expect(body.peripherals).toContainEqual(expect.objectContaining({ id: 'gadget', condition: 'never_seen' }));
  });
});
