/** The client against a whole twin: every route has a method, and every method the answer that its type says. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { NodeClient } from '../../runtime/client/client.ts';
import { startWithClient } from './node.ts';

/** What a method cannot do without. */
const ARGUMENTS: Readonly<Record<string, readonly unknown[]>> = { upload: [new Uint8Array(1)], mark: [{ text: 'x' }] };
/** Served to people, to a Prometheus and to programs that speak ePOS. */
const PAGES: readonly string[] = [
  'GET /',
  'GET /certify',
  'GET /trouble',
  'GET /help',
  'GET /metrics',
  'POST /cgi-bin/epos/service.cgi',
];

it('the client has a method for every route of the built twin', async () => {
  const asked: string[] = [];
  const record = (input: unknown, init?: { method?: string }) => {
    asked.push(`${init?.method} ${new URL(String(input)).pathname}`);
    return Promise.resolve(new Response('{"ok":true}', { headers: { 'Content-Type': 'text/event-stream' } }));
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

describe('the client of a twin', () => {
  it('reads the paper three ways, and works the bench', async () => {
    const { client, node } = await startWithClient();
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
    const { attached } = await client.twin.attach({ vendorId: 'abcd', productId: '0042', model: 'Gadget' });
    expect(attached).toBe(true);
    expect((await client.unknownDevices()).devices[0]?.model).toBe('Gadget');
    await node.stop();
  });

  it('reads the diagnostic ring record by record', async () => {
    const { client, node } = await startWithClient();
    await client.configure({ capture: true });
    const { seq } = await client.mark({ text: 'here' });
    const records = [];
    for await (const record of client.capture()) records.push(record);
    expect(records.find((record) => record.seq === seq)).toMatchObject({ channel: 'mark', direction: 'mark' });
    await node.stop();
  });
});
