/** POST /twin/scan. */
import { afterEach, describe, expect, it } from 'vitest';
import { VirtualPosScanner } from '../../../plugins/scanner/virtual.ts';
import { VirtualWedgeScanner } from '../../../plugins/scanner/virtual-wedge.ts';
import type { VirtualDevice } from '../../../runtime/bindings/virtual/device.ts';
import { startTestNode, type TestNode } from '../../../runtime/node/testing.ts';
import { twinPlugins, wifiPlugins } from '../../plugins.ts';
import { rowFor } from './node.ts';

let node: TestNode;
afterEach(() => node.stop());
const start = async (scanner?: VirtualDevice, plugins = twinPlugins, row = rowFor()) => {
  const devices = scanner === undefined ? {} : { scanner: () => scanner };
  node = await startTestNode({ plugins, devices, recipes: [row] });
};
const scan = async (body: unknown) => {
  const response = await fetch(`${node.url}/twin/scan`, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
};
const lastScan = async () => ((await (await fetch(`${node.url}/scans`)).json()) as { scans: unknown[] }).scans[0];

describe('the twin', () => {
  it('reads a code that is held under its scanner, like any node', async () => {
    await start(new VirtualPosScanner());
    expect(await scan({ value: '4006381333931', symbology: 'ean13' })).toEqual({ status: 200, body: { ok: true } });
    expect(await lastScan()).toMatchObject({ value: '4006381333931', symbology: 'ean13', symbologySource: 'aim' });
  });

  it('works out the symbology where none is given', async () => {
    await start(new VirtualWedgeScanner());
    await scan({ value: '96385074' });
    expect(await lastScan()).toMatchObject({ symbology: 'ean8', symbologySource: 'inferred' });
  });

  it('answers no_scanner where none is plugged in', async () => {
    await start();
    expect(await scan({ value: 'ABCD' })).toMatchObject({ status: 409, body: { error: 'no_scanner' } });
    await node.stop();
    const scanner = new VirtualPosScanner();
    await start(scanner);
    node.bench.usb.unplug(scanner);
    expect(await scan({ value: 'ABCD' })).toMatchObject({ status: 409, body: { error: 'no_scanner' } });
  });

  it('answers when the code was read, also one that the settings do not accept', async () => {
    await start(new VirtualWedgeScanner());
    expect(await scan({ value: '12' })).toEqual({ status: 200, body: { ok: true } });
    expect(await lastScan()).toMatchObject({ value: '12', verdict: 'too_short' });
  });

  it.each([
    ['a scanner that its row does not wake', rowFor(), { value: 'ABCD' }, 'featureReportOnOpen'],
    ['one that is not bound', rowFor({}, 'serial-lines'), { value: 'ABCD' }, '05f9:1206 is not bound: bad_descriptor'],
    ['a code that is too long', rowFor({ featureReportOnOpen: 'fe01' }), { value: 'x'.repeat(4097) }, 'over 4,096'],
  ])('answers no_scanner and why where nothing was read: %s', async (_, row, body, why) => {
    await start(new VirtualPosScanner({ asleep: true }), twinPlugins, row);
    expect(await scan(body)).toMatchObject({
      status: 409,
      body: { error: 'no_scanner', detail: expect.stringContaining(why) },
    });
    expect(await lastScan()).toBeUndefined();
  });

  it('answers no_scanner where the symbology is not wanted', async () => {
    await start(new VirtualPosScanner());
    await fetch(`${node.url}/config`, { method: 'PUT', body: '{"scanner": {"symbologies": ["qr"]}}' });
    expect(await scan({ value: '4006381333931', symbology: 'ean13' })).toMatchObject({
      status: 409,
      body: { error: 'no_scanner', detail: expect.stringContaining('scanner.symbologies') },
    });
  });

  it.each([
    {},
    { value: '' },
    { value: 'ABCD', symbology: 'ean-13' },
    { value: 'ABCD', colour: 'red' },
    { value: '漢' },
  ])('refuses %j', async (body) => {
    await start(new VirtualWedgeScanner());
    expect(await scan(body)).toMatchObject({ status: 422, body: { ok: false, error: 'invalid_command' } });
  });

  it('alone has the route to scan', async () => {
    await start(new VirtualPosScanner(), wifiPlugins);
    expect((await scan({ value: 'ABCD' })).status).toBe(404);
  });
});
