/** GET /jobs: who printed and kicked what lately, and what came of it; never what was printed. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { addressOf } from '../../../runtime/http/peer.ts';
import { type PrintingNode, startPrintingNode, until } from '../../node.ts';
import { twinPlugins } from '../../plugins.ts';
import { jobsOf, newest, waitingOn } from './node.ts';

const ENDPOINT = 'receipt';
const LINES = [{ type: 'text', value: 'Two coffees' }];
const mine = { endpoint: ENDPOINT, from: '127.0.0.1' };

async function start(...options: Parameters<typeof startPrintingNode>): Promise<PrintingNode> {
  const node = await startPrintingNode(...options);
  onTestFinished(() => node.stop());
  return node;
}

describe('a job of the API is listed', () => {
  it('with its kind, endpoint, client, outcome and bytes: a print, raw bytes, a drawer kick', async () => {
    const node = await start();
    expect(await jobsOf(node)).toEqual([]);
    const { body } = await node.print(LINES, { id: 'p-1' });
    expect(await newest(node)).toEqual({
      ...mine,
      id: 'p-1',
      kind: 'print',
      outcome: 'accepted',
      bytes: body['bytes'],
    });
    await node.send('POST', '/raw', { type: 'raw', id: 'r-1', endpoint: ENDPOINT, data: 'QUIK' });
    expect(await newest(node)).toEqual({ ...mine, id: 'r-1', kind: 'raw', outcome: 'accepted', bytes: 3 });
    await node.send('POST', '/drawer/kick', { type: 'drawer_kick', id: 'k-1', endpoint: ENDPOINT });
    expect(await newest(node)).toEqual({ ...mine, id: 'k-1', kind: 'drawer_kick', outcome: 'accepted', bytes: 5 });
    expect((await jobsOf(node)).map(({ id }) => id)).toEqual(['k-1', 'r-1', 'p-1']);
  });

  it('as confirmed where the printer said that it printed, and as unconfirmed where it did not', async () => {
    const node = await start();
    await node.print(LINES, { confirm: true });
    expect(await newest(node)).toMatchObject({ outcome: 'confirmed' });
    const mute = await start({ writeOnly: true });
    await mute.print(LINES, { confirm: true });
    expect(await newest(mute)).toMatchObject({ outcome: 'unconfirmed' });
  });

  it('as running while it prints, with its age, and then with what came of it', async () => {
    const node = await start();
    node.printer.set({ nak: true });
    const printed = node.print(LINES);
    await until(async () => (await jobsOf(node))[0]?.outcome === 'running');
    const [first] = await jobsOf(node);
    await until(async () => ((await jobsOf(node))[0]?.ms ?? 0) > (first?.ms ?? 0));
    node.printer.set({ nak: false });
    const { body } = await printed;
    expect(await newest(node)).toMatchObject({ outcome: 'accepted', bytes: body['bytes'] });
    expect(await jobsOf(node)).toHaveLength(1);
  });

  it('as running with the bytes that a slow printer has taken so far', async () => {
    const node = await start();
    await node.send('PUT', '/config', { usb: { chunkBytes: 64 } });
    node.printer.set({ slow: 200 });
    const printed = node.print([{ type: 'text', value: 'x'.repeat(2000) }]);
    await until(async () => ((await jobsOf(node))[0]?.bytes ?? 0) > 0);
    const { outcome, bytes } = await newest(node);
    node.printer.set({ slow: 0 });
    const { body } = await printed;
    expect([outcome, bytes < Number(body['bytes'])]).toEqual(['running', true]);
    expect(await newest(node)).toMatchObject({ outcome: 'accepted', bytes: body['bytes'] });
  });

  it('as of the node where nobody else asked for it', async () => {
    const node = await start();
    expect(await node.kernel.hooks.notice.promise(LINES)).toBe(true);
    expect(await newest(node)).toMatchObject({ kind: 'print', from: 'node', outcome: 'accepted' });
  });
});

describe('a job that failed is listed with the code of its refusal', () => {
  const COMMAND = { id: 'x', endpoint: ENDPOINT };
  it.each([
    ['print', '/print', { type: 'print', ...COMMAND, lines: [{ type: 'hologram' }] }, 'unsupported_line_type'],
    ['print', '/print', { type: 'print', ...COMMAND, lines: 'none' }, 'invalid_command'],
    ['print', '/print', { type: 'print', ...COMMAND, endpoint: 'bar', lines: LINES }, 'unknown_endpoint'],
    ['raw', '/raw', { type: 'raw', ...COMMAND, data: '?' }, 'invalid_command'],
    ['raw', '/raw', { type: 'raw', ...COMMAND, data: 'A'.repeat(12_000) }, 'render_too_large'],
    ['drawer_kick', '/drawer/kick', { type: 'drawer_kick', ...COMMAND, pin: 3 }, 'invalid_command'],
  ])('%s by %s', async (kind, path, body, error) => {
    const node = await start();
    expect((await node.send('POST', path, body)).body['error']).toBe(error);
    const { endpoint } = body;
    expect(await newest(node)).toEqual({
      id: 'x',
      kind,
      endpoint,
      from: '127.0.0.1',
      outcome: 'failed',
      error,
      bytes: 0,
    });
    expect(await jobsOf(node)).toHaveLength(1);
  });

  it('where its form is wrong, with as much of its names as a command may have', async () => {
    const node = await start();
    await node.send('POST', '/print', { type: 'print', id: 'i'.repeat(9000), endpoint: 'e'.repeat(9000), lines: 1 });
    expect(await newest(node)).toMatchObject({
      id: 'i'.repeat(128),
      endpoint: 'e'.repeat(64),
      error: 'invalid_command',
    });
    await node.send('POST', '/print', '7');
    expect(await newest(node)).toEqual({
      ...{ kind: 'print', endpoint: '', from: '127.0.0.1', outcome: 'failed', error: 'invalid_command', bytes: 0 },
    });
  });

  it('where no printer is there: nothing was printed', async () => {
    const node = await start();
    await node.unplug();
    await node.print(LINES);
    expect(await newest(node)).toMatchObject({ kind: 'print', outcome: 'failed', error: 'no_printer', bytes: 0 });
    await node.send('POST', '/drawer/kick', { type: 'drawer_kick', id: 'k', endpoint: ENDPOINT });
    expect(await newest(node)).toMatchObject({ kind: 'drawer_kick', outcome: 'failed', error: 'no_drawer', bytes: 0 });
  });

  it('where the printer took nothing: nothing was printed; where it took a part: it may have printed', async () => {
    const node = await start({ keepsPower: true });
    await node.send('PUT', '/config', { usb: { writeTimeoutMs: 500, chunkBytes: 64 } });
    node.printer.set({ nak: true });
    await node.print(LINES);
    expect(await newest(node)).toMatchObject({ outcome: 'failed', error: 'write_failed', bytes: 0 });
    node.printer.set({ nak: false });
    await node.send('PUT', '/config', { usb: { writeTimeoutMs: 10_000 } });
    expect((await node.print(LINES)).status).toBe(200);
    node.printer.set({ slow: 200 });
    const before = node.printer.paperBytes().length;
    const printed = node.print([{ type: 'text', value: 'x'.repeat(2000) }]);
    await until(() => node.printer.paperBytes().length > before + 100);
    await node.unplug();
    const { body } = await printed;
    expect(body['bytes']).toBeGreaterThan(0);
    expect(await newest(node)).toMatchObject({ outcome: 'uncertain', error: 'write_failed', bytes: body['bytes'] });
  });

  it('where the twin refuses what a person would see', async () => {
    const node = await start({}, twinPlugins);
    await node.send('PUT', '/twin/printer', { paper: 'out' });
    await node.print(LINES);
    expect(await newest(node)).toMatchObject({ kind: 'print', outcome: 'failed', error: 'paper_out' });
  });
});

describe('the list', () => {
  it('holds the last 50 jobs, newest first', async () => {
    const node = await start();
    const kick = (n: number) =>
      node.send('POST', '/drawer/kick', { type: 'drawer_kick', id: `k-${n}`, endpoint: ENDPOINT });
    for (let n = 1; n <= 53; n += 1) await kick(n);
    const ids = (await jobsOf(node)).map(({ id }) => id);
    expect(ids).toEqual(Array.from({ length: 50 }, (_, index) => `k-${53 - index}`));
  });

  it('keeps a job that runs, however many are refused meanwhile', async () => {
    const node = await start();
    node.printer.set({ nak: true });
    const printed = node.print(LINES, { id: 'mine' });
    await until(async () => (await jobsOf(node)).length === 1);
    for (let n = 0; n < 60; n += 1) await node.print([{ type: 'hologram' }]);
    const jobs = await jobsOf(node);
    expect([jobs.length, jobs.at(-1)?.id, jobs.at(-1)?.outcome]).toEqual([50, 'mine', 'running']);
    expect(new Set(jobs.slice(0, -1).map(({ error }) => error))).toEqual(new Set(['unsupported_line_type']));
    node.printer.set({ nak: false });
    await printed;
    expect((await jobsOf(node)).at(-1)).toMatchObject({ id: 'mine', outcome: 'accepted' });
  });

  it('shows the one that prints and those that ended, however many wait', async () => {
    const node = await start();
    await node.print(LINES, { id: 'before' });
    node.printer.set({ nak: true });
    const printed = [node.print(LINES, { id: 'first' })];
    await until(async () => (await jobsOf(node)).length === 2);
    const sockets = await Promise.all(Array.from({ length: 60 }, (_, n) => node.dial(`127.0.0.${1 + (n % 3)}`)));
    for (const socket of sockets) socket.on('error', () => {}).end('waits\n');
    await until(async () => (await waitingOn(node)) === 60);
    const { changes } = (await node.get<{ changes: number }>('/jobs')).body;
    await node.print([{ type: 'hologram' }]);
    const jobs = (await jobsOf(node)).map(({ id, outcome }) => [id, outcome]);
    expect(jobs.slice(1)).toEqual([
      ['first', 'running'],
      ['before', 'accepted'],
    ]);
    expect(jobs[0]?.[1]).toBe('failed');
    node.printer.set({ nak: false });
    await Promise.all(printed);
    await until(async () => {
      const all = await jobsOf(node);
      return all.length === 50 && all.every(({ outcome }) => outcome !== 'running');
    });
    expect((await node.get<{ changes: number }>('/jobs')).body.changes).toBeGreaterThan(changes);
  });

  it('has a print and a drawer kick that wait once they have the printer, and times them from then on', async () => {
    const node = await start();
    const socket = await node.dial();
    // A picture of which most is still to come: nothing else may leave.
    socket.write(Uint8Array.of(0x1d, 0x76, 0x30, 0, 1, 0, 10, 0, 1));
    await until(async () => (await jobsOf(node))[0]?.outcome === 'running');
    const kicked = node.send('POST', '/drawer/kick', { type: 'drawer_kick', id: 'k', endpoint: ENDPOINT });
    const printed = node.print(LINES, { id: 'p' });
    await until(async () => (await waitingOn(node)) === 2);
    await until(async () => ((await jobsOf(node))[0]?.ms ?? 0) > 300);
    expect((await jobsOf(node)).map(({ kind }) => kind)).toEqual(['port9100']);
    socket.end(new Uint8Array(9));
    await Promise.all([kicked, printed]);
    const jobs = await jobsOf(node);
    for (const kind of ['print', 'drawer_kick']) {
      const { ms, startedAgoMs, outcome } = jobs.find((job) => job.kind === kind) ?? expect.fail();
      expect(outcome).toBe('accepted');
      expect(startedAgoMs - ms).toBeGreaterThan(200);
    }
  });

  it('has nothing of what was printed', async () => {
    const node = await start();
    const secret = 'Table 7, Mrs Miller';
    await node.print([
      { type: 'text', value: secret },
      { type: 'barcode', symbology: 'qr', value: secret },
    ]);
    await node.print([{ type: 'barcode', symbology: 'ean13', value: secret }]);
    await node.send('POST', '/raw', { type: 'raw', id: 'r', endpoint: ENDPOINT, data: btoa(secret) });
    const socket = await node.dial();
    socket.end(`${secret}\n`);
    await until(async () => (await newest(node)).outcome === 'accepted' && (await newest(node)).kind === 'port9100');
    const jobs = await jobsOf(node);
    expect(jobs.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted', 'failed', 'accepted']);
    expect(JSON.stringify(jobs)).not.toMatch(/Table|Miller/);
    expect(JSON.stringify(jobs)).not.toContain(btoa(secret).slice(0, 12));
  });

  it('names a client by its own address, also where the node listens on IPv6', () => {
    expect(addressOf({ remoteAddress: '::ffff:192.168.1.20' })).toBe('192.168.1.20');
    expect(addressOf({ remoteAddress: 'fe80::1' })).toBe('fe80::1');
  });
});
