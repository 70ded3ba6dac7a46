import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RING_BYTES } from '../../runtime/services/capture/ring.ts';
import { type PrintingNode, startPrintingNode, until } from '../node.ts';

let node: PrintingNode;
// Nothing is asked of the printer by itself: what is recorded is what a test does.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(async () => {
  await node.stop();
  vi.useRealTimers();
});

const record = (capture: boolean) => node.send('PUT', '/config', { capture });
const mark = (text: unknown) => node.send('POST', '/capture/mark', { text });
const ring = async () => {
  const text = await (await fetch(`${node.url}/capture`)).text();
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>]));
};
const transfers = async () => (await ring()).filter(({ direction }) => direction !== 'connect');

describe('the diagnostic ring', () => {
  it('is empty while it was never on, and a mark is refused', async () => {
    node = await startPrintingNode();
    await node.print([{ type: 'text', value: 'quiet' }]);
    expect(await ring()).toEqual([]);
    expect(await mark('x')).toEqual({ status: 409, body: { ok: false, error: 'capture_off' } });
  });

  it('refuses a mark while it is off before it looks at the body', async () => {
    node = await startPrintingNode();
    expect((await node.send('POST', '/capture/mark', '{')).body).toMatchObject({ error: 'capture_off' });
  });

  it('records what goes to the printer and what comes back, with the endpoint', async () => {
    node = await startPrintingNode();
    await record(true);
    await node.print([{ type: 'text', value: 'Total 9.50' }]);
    await node.get('/status');
    const out = (await transfers()).filter(({ direction }) => direction === 'out');
    const bytes = Buffer.concat(out.map(({ data }) => Buffer.from(String(data), 'base64'))).toString('latin1');
    expect(bytes).toContain('Total 9.50');
    expect(out[0]).toMatchObject({ channel: 'usb:1-1', endpoint: 'receipt', pipe: 1 });
    expect(Object.keys(out[0] ?? {})).toEqual(expect.arrayContaining(['seq', 'tMs', 'length']));
  });

  it('records how a device was bound, control requests included', async () => {
    node = await startPrintingNode({ deviceId: '' });
    await record(true);
    await node.unplug();
    await node.replug();
    expect(await transfers()).toContainEqual(
      expect.objectContaining({ direction: 'in', setup: { requestType: 0xa1, request: 0, value: 0, index: 0 } }),
    );
  });

  it('says once of each device what it is, before its first transfer', async () => {
    node = await startPrintingNode();
    await record(true);
    await node.print([{ type: 'text', value: 'one' }]);
    await node.print([{ type: 'text', value: 'two' }]);
    const devices = (await ring()).filter(({ direction }) => direction === 'connect');
    expect(devices).toEqual([
      expect.objectContaining({ seq: 0, channel: 'usb:1-1', identity: expect.objectContaining({ vendorId: '04b8' }) }),
    ]);
    expect((await ring())[0]).toEqual(devices[0]);
  });

  it('records port 9100', async () => {
    node = await startPrintingNode();
    await record(true);
    const socket = await node.dial();
    socket.end('over the wire\n');
    await until(async () => (await ring()).some(({ channel }) => channel === 'raw'));
    expect(await ring()).toContainEqual(
      expect.objectContaining({ channel: 'raw', length: 14, data: Buffer.from('over the wire\n').toString('base64') }),
    );
  });

  it('takes a mark of 1 to 200 characters and numbers it', async () => {
    node = await startPrintingNode();
    await record(true);
    const { status, body } = await mark('drawer stuck here');
    expect(status).toBe(200);
    expect(await transfers()).toContainEqual(
      expect.objectContaining({ seq: body['seq'], direction: 'mark', text: 'drawer stuck here' }),
    );
    expect((await mark('ß'.repeat(200))).status).toBe(200);
    for (const wrong of ['', 'x'.repeat(201), 7]) expect((await mark(wrong)).body['error']).toBe('invalid_body');
  });

  it('keeps the first 256 bytes of a transfer and its length', async () => {
    node = await startPrintingNode();
    await record(true);
    await node.print(Array.from({ length: 40 }, () => ({ type: 'text', value: 'x'.repeat(40) })));
    const long = (await transfers()).find(({ length }) => Number(length) > 256);
    expect(Buffer.from(String(long?.['data']), 'base64')).toHaveLength(256);
  });

  it('keeps the last 512 records', async () => {
    node = await startPrintingNode();
    await record(true);
    for (let n = 1; n <= 520; n++) await mark(`mark ${n}`);
    const held = await transfers();
    expect(held).toHaveLength(512);
    expect(held.at(-1)).toMatchObject({ text: 'mark 520' });
    const numbers = held.map(({ seq }) => Number(seq));
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
  });

  it('can be read after it was switched off, and goes on where it was when switched on', async () => {
    node = await startPrintingNode();
    await record(true);
    const before = Number((await mark('before')).body['seq']);
    await record(false);
    await node.print([{ type: 'text', value: 'unseen' }]);
    expect((await transfers()).at(-1)).toMatchObject({ text: 'before' });
    await record(true);
    expect((await mark('after')).body['seq']).toBeGreaterThan(before);
    expect((await transfers()).some(({ text }) => text === 'before')).toBe(true);
  });

  it('is refused where the machine has no memory for it, and stays off', async () => {
    node = await startPrintingNode();
    node.host.memory = RING_BYTES - 1;
    expect(await record(true)).toMatchObject({ status: 500, body: { error: 'capture_alloc_failed' } });
    expect((await node.get('/config')).body['capture']).toBe(false);
    expect((await mark('x')).status).toBe(409);
  });

  it('takes marks from holders of the key alone in strict mode, and never holds the key', async () => {
    node = await startPrintingNode();
    const key = 'correct horse battery';
    await node.send('PUT', '/config', { capture: true, apiMode: 'strict', apiKey: key });
    expect((await mark('x')).body['error']).toBe('api_locked');
    const headers = { 'X-NODE-Api-Key': key, Authorization: `Bearer ${key}` };
    await fetch(`${node.url}/capture/mark`, { method: 'POST', headers, body: '{"text":"mine"}' });
    expect((await transfers()).at(-1)).toMatchObject({ text: 'mine' });
    expect(JSON.stringify(await ring())).not.toContain(key);
  });
});
