/** The network of the twin: a virtual radio, whatever the computer is on, with or without --appliance. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { VirtualPrinter } from '../../../plugins/printer/virtual/device.ts';
import { VirtualStorage } from '../../../runtime/bindings/virtual/storage.ts';
import { startTestNode } from '../../../runtime/node/testing.ts';
import { network } from '../../../runtime/services/network/index.ts';
import { visit } from '../../http/visit.ts';
import { until } from '../../node.ts';
import { twinPlugins } from '../../plugins.ts';
import { storageWith } from '../../storage.ts';
import { SHORT } from './node.ts';

const HOME = { ssid: 'Corner Café', password: 'flat white please' };
const FIXED = { address: '192.168.1.50', netmask: '255.255.255.0' };
const plugins = twinPlugins.map((room) => (room.name === 'network' ? network(SHORT) : room));

async function start({ storage = new VirtualStorage(), appliance = false } = {}) {
  const printer = new VirtualPrinter();
  const node = await startTestNode({
    ...{ plugins, storage, run: { appliance } },
    devices: { printer: () => printer },
    bindings: ({ radio }) => ({ radio }),
  });
  onTestFinished(() => node.stop());
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(node.url + path, { method, ...(body && { body: JSON.stringify(body) }) });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const view = async () => (await call('GET', '/network')).body;
  const becomes = (mode: string, ssid?: string) =>
    until(async () => {
      const now = await view();
      return now['mode'] === mode && (ssid === undefined || now['ssid'] === ssid);
    });
  return { ...node, printer, call, view, becomes };
}

describe.each([false, true])('the network of a twin, --appliance %s', (appliance) => {
  it('is joined from the first start on: no setup, no slip', async () => {
    const { becomes, view, printer } = await start({ appliance });
    await becomes('station');
    expect(await view()).toMatchObject({ ssid: HOME.ssid, ipv4: { method: 'dhcp' }, custodyHold: false });
    expect(printer.paperText()).not.toContain('Wi-Fi');
  });

  it('is another where credentials come that work', async () => {
    const { becomes, call } = await start({ appliance });
    await becomes('station');
    expect((await call('POST', '/network', { ssid: 'Guests', password: '' })).status).toBe(200);
    await becomes('station', 'Guests');
  });

  it('has the networks in range for whoever may choose one, strongest first, without a password of theirs', async () => {
    const { becomes, call, url } = await start({ appliance });
    await becomes('station');
    const { status, body } = await call('GET', '/network/nearby');
    expect([status, body['networks']]).toEqual([
      200,
      [
        { ssid: 'Corner Café', band: '2.4', security: 'personal', signal: expect.any(Number) },
        { ssid: 'Corner Café', band: '5', security: 'personal', signal: expect.any(Number) },
        { ssid: 'Guests', band: '2.4', security: 'open', signal: expect.any(Number) },
      ],
    ]);
    expect(JSON.stringify(body)).not.toContain(HOME.password);
    const apiKey = 'the-key-of-this-test-0123';
    await call('PUT', '/config', { apiKey });
    await fetch(`${url}/config`, {
      method: 'PUT',
      headers: { 'X-NODE-Api-Key': apiKey },
      body: JSON.stringify({ apiMode: 'admin' }),
    });
    expect(await call('GET', '/network/nearby')).toMatchObject({ status: 401, body: { error: 'api_locked' } });
  });

  it('falls back to setup with a wrong password: the slip comes out, and the portal takes the right one', async () => {
    const { becomes, call, printer, url } = await start({ appliance });
    await becomes('station');
    await call('POST', '/network', { ...HOME, password: 'not the password' });
    await becomes('setup');
    await until(() => printer.paperText().includes('Connect me to Wi-Fi'));
    expect((await visit({ url }, '/', { host: 'example.com' })).status).toBe(302);
    expect((await call('POST', '/provision', HOME)).status).toBe(200);
    await becomes('station', HOME.ssid);
  });

  it('shows a fixed address as pendingIpv4 until the next start', async () => {
    const storage = new VirtualStorage();
    const first = await start({ storage, appliance });
    await first.becomes('station');
    expect((await first.call('PUT', '/network/ipv4', FIXED)).status).toBe(200);
    expect((await first.view())['pendingIpv4']).toEqual(FIXED);
    await first.stop();
    const second = await start({ storage, appliance });
    await second.becomes('station');
    expect(await second.view()).toMatchObject({ ipv4: { method: 'static', ...FIXED } });
    expect(await second.view()).not.toHaveProperty('pendingIpv4');
  });
});

it('the network of a twin is forgotten where the button was held, and stays so after a restart', async () => {
  const storage = new VirtualStorage();
  const first = await start({ storage });
  await first.becomes('station');
  await first.call('POST', '/twin/button', { name: 'b', holdMs: 5000 });
  await first.becomes('setup');
  await until(() => first.printer.paperText().includes('Connect me to Wi-Fi'));
  await first.stop();
  await (await start({ storage })).becomes('setup');
});

it('the network of a twin is not set up on a twin whose settings were erased', async () => {
  await (await start({ storage: await storageWith({ erased: true }) })).becomes('setup');
});

it('the network of a twin is refused for what is wrong with it by the law’s own codes', async () => {
  const { call } = await start();
  expect((await call('POST', '/network', { ssid: '' })).body['error']).toBe('invalid_provision');
  expect((await call('POST', '/network', { ...HOME, band: '6' })).body['error']).toBe('band_unsupported');
  expect((await call('PUT', '/network/ipv4', { address: '1.2.3.4' })).body['error']).toBe('invalid_config');
});
