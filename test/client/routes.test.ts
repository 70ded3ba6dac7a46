/** The client against a whole twin: every route has a method, and every method the answer that its type says. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createVirtualDevice as camera } from '../../plugins/camera/virtual.ts';
import { createVirtualDevice as printer } from '../../plugins/printer/virtual/device.ts';
import { createVirtualDevice as scale } from '../../plugins/scale/virtual.ts';
import { createVirtualDevice as scanner } from '../../plugins/scanner/virtual.ts';
import { type ClientOptions, NodeClient } from '../../runtime/client/client.ts';
import { startTestNode } from '../../runtime/node/testing.ts';
import { until } from '../node.ts';
import { twinPlugins } from '../plugins.ts';
import { serve } from './server.ts';

/** What a method cannot do without. */
const ARGUMENTS: Readonly<Record<string, readonly unknown[]>> = { upload: [new Uint8Array(1)], mark: [{ text: 'x' }] };
/** Served to people, not to programs. */
const PAGES: readonly string[] = ['GET /'];

async function start(options: Partial<ClientOptions> = {}) {
  const node = await startTestNode({ plugins: twinPlugins, devices: { camera, printer, scale, scanner } });
  return { node, client: new NodeClient({ url: node.url, ...options }) };
}

it('has a method for every route of the built twin', async () => {
  const asked: string[] = [];
  const record = (input: unknown, init?: { method?: string }) => {
    asked.push(`${init?.method} ${new URL(String(input)).pathname}`);
    return Promise.resolve(new Response('{}', { headers: { 'Content-Type': 'text/event-stream' } }));
  };
  const client = new NodeClient({ url: 'http://node', fetch: record as typeof fetch });
  const calls = [...Object.entries(client), ['events', client.events.bind(client)] as const];
  for (const [name, call] of [...calls, ...Object.entries(client.twin)]) {
    if (typeof call !== 'function') continue;
    const made = call(...(ARGUMENTS[name] ?? [{}]));
    if (typeof made === 'string') asked.push(`GET ${new URL(made).pathname}`);
    else if (typeof made.next === 'function') {
      const next = made.next();
      await Promise.race([next, new Promise((resolve) => setImmediate(resolve))]);
      void made.return();
    } else await made;
  }
  const { routes } = JSON.parse(readFileSync('dist/twin/image.json', 'utf8')) as {
    routes: { method: string; path: string }[];
  };
  const served = routes.map(({ method, path }) => `${method} ${path}`).filter((route) => !PAGES.includes(route));
  expect(served.length).toBeGreaterThan(35);
  expect([...new Set(asked)].sort()).toEqual(served.sort());
});

describe('on a twin', () => {
  it('reads the paper three ways, and works the bench', async () => {
    const { client, node } = await start();
    await client.print({
      type: 'print',
      id: '1',
      endpoint: 'receipt',
      lines: [{ type: 'text', value: 'Café 5,40 €' }],
    });
    expect(await client.twin.paper()).toContain('Café 5,40 €');
    expect(await client.twin.paperSvg()).toMatch(/^<svg/);
    expect(Buffer.from(await client.twin.paperBytes()).includes('Caf')).toBe(true);
    expect(await client.twin.tearOff()).toEqual({ ok: true });
    expect(await client.twin.paper()).not.toContain('Café');
    expect((await client.twin.printer({ cover: 'open' })).cover).toBe('open');
    await expect(client.raw({ type: 'raw', id: '2', endpoint: 'receipt', data: 'AA==' })).rejects.toMatchObject({
      code: 'cover_open',
      retry: 'yes',
      mayHavePrinted: false,
    });
    await client.twin.scale({ grams: 250 });
    await until(async () => (await client.scale()).weight === 250);
    await client.twin.scan({ value: '4006381333931' });
    await until(async () => (await client.scans()).scans[0]?.value === '4006381333931');
    const { attached } = await client.twin.attach({ vendorId: 'abcd', productId: '0042', model: 'Gadget' });
    expect(attached).toBe(true);
    expect((await client.unknownDevices()).devices[0]?.model).toBe('Gadget');
    await node.stop();
  });

  it('takes a picture as JPEG, and says where the moving one is', async () => {
    const { client, node } = await start();
    const frame = await client.cameraFrame();
    expect(frame.type).toBe('image/jpeg');
    expect([...new Uint8Array(await frame.arrayBuffer()).subarray(0, 2)]).toEqual([0xff, 0xd8]);
    const stream = await fetch(client.cameraStreamUrl());
    expect(stream.headers.get('content-type')).toMatch(/^multipart\/x-mixed-replace/);
    await stream.body?.cancel();
    await node.stop();
  });

  it('reads the diagnostic ring record by record', async () => {
    const { client, node } = await start();
    await client.configure({ capture: true });
    const { seq } = await client.mark({ text: 'here' });
    const records = [];
    for await (const record of client.capture()) records.push(record);
    expect(records.find((record) => record.seq === seq)).toMatchObject({ channel: 'mark', direction: 'mark' });
    await node.stop();
  });

  it('sends an image as it is, with its digest and the update key', async () => {
    const image = Buffer.from('not an image that any node takes'.repeat(1000));
    const { client, node } = await start({ updateKey: 'update-key-0123456789' });
    for (const form of [image, new Blob([image])]) {
      await expect(client.upload(form)).rejects.toMatchObject({ code: 'ota_locked' });
    }
    await client.update({ updateKey: 'update-key-0123456789' });
    // The digest is compared before the content is looked at.
    for (const form of [image, new Blob([image])])
      await expect(client.upload(form)).rejects.toMatchObject({ code: 'image_invalid' });
    await expect(client.upload(image, { sha256: '0'.repeat(64) })).rejects.toMatchObject({
      code: 'image_digest_mismatch',
    });
    await node.stop();
    const server = await serve((_, response) => response.end('{"ok":true,"version":"1.0.0","variant":"twin"}'));
    const other = new NodeClient({ url: server.url });
    expect(await other.upload(new Blob([image]), { allowVariantChange: true })).toMatchObject({ version: '1.0.0' });
    expect(server.requests[0]?.headers).toMatchObject({
      'content-length': String(image.length),
      'x-node-image-sha256': createHash('sha256').update(image).digest('hex'),
      'x-node-allow-variant-change': '1',
    });
  });
});
