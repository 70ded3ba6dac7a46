import { describe, expect, it } from 'vitest';
import { LATER, OUT, SOON } from '../../../bindings/virtual-plugged.ts';
import { bytes, DLE_DC4, printerOnBus } from './bench.ts';

const poll = (n: number): readonly number[] => [0x10, 0x04, n];

describe('the virtual printer asked for its status', () => {
  it.each([
    ['ready', {}, [0x12, 0x12, 0x12, 0x12]],
    ['with the drawer open', { drawer: 'open' }, [0x16, 0x12, 0x12, 0x12]],
    ['with the cover open', { cover: 'open' }, [0x1a, 0x16, 0x12, 0x12]],
    ['near the end of its paper', { paper: 'low' }, [0x12, 0x12, 0x12, 0x1e]],
    ['without paper', { paper: 'out' }, [0x1a, 0x32, 0x12, 0x72]],
  ] as const)('%s answers DLE EOT 1 to 4', async (_what, condition, expected) => {
    const { printer, ask } = await printerOnBus();
    printer.set(condition);
    const answers: number[] = [];
    for (const n of [1, 2, 3, 4]) answers.push(...(await ask(poll(n))));
    expect(answers).toEqual(expected);
  });

  it('answers DLE EOT off-line with a full buffer, while the job waits and nothing more is taken', async () => {
    const { printer, host, ask } = await printerOnBus();
    printer.set({ paper: 'out' });
    const job = bytes('x'.repeat(70_000));
    await expect(host.transferOut(OUT, job, SOON)).rejects.toMatchObject({
      fault: 'timeout',
      bytesTransferred: 65_536,
    });
    expect(await ask(poll(4))).toEqual([0x72]);
    expect(await ask(poll(1), poll(2))).toEqual([0x1a]);
    await expect(host.transferOut(OUT, bytes('y'), SOON)).rejects.toMatchObject({ bytesTransferred: 0 });
    printer.set({ paper: 'ok' });
    expect(printer.paperText()).toMatch(/^x{48}\n/);
  });

  it('answers DLE EOT that is cut in pieces, or stands between the bytes of a job', async () => {
    const { printer, write, read } = await printerOnBus();
    await write('first line\n', 0x10);
    await write(0x04);
    await write(0x01, 'second line\n');
    expect(await read()).toEqual([0x12]);
    expect(printer.paperText()).toBe('first line\nsecond line\n');
  });

  it('answers DLE EOT behind the beginning of another real-time command', async () => {
    const { ask } = await printerOnBus();
    expect(await ask(0x10, poll(1))).toEqual([0x12]);
    expect(await ask([0x10, 0x14, 0x01], poll(4))).toEqual([0x12]);
  });

  it('answers GS r, GS I and GS ( H in the order of printing, so not before it is on-line again', async () => {
    const { printer, write, read } = await printerOnBus({ serial: 'X123' });
    printer.set({ cover: 'open' });
    await write('job\n', [0x1d, 0x49, 68, 0x1d, 0x28, 0x48, 6, 0, 0x30, 0x30], 'abcd', [0x1d, 0x72, 2]);
    await expect(read()).rejects.toMatchObject({ fault: 'timeout' });
    printer.set({ cover: 'closed' });
    expect(await read()).toEqual([...bytes(0x5f, 'X123', 0)]);
    expect(await read()).toEqual([...bytes([0x37, 0x22], 'abcd', 0)]);
    expect(await read()).toEqual([0]);
  });

  it('sends automatic status back when it is enabled and at each change it was asked for', async () => {
    const { printer, ask, read, write } = await printerOnBus();
    expect(await ask([0x1d, 0x61, 0x0b])).toEqual([0x10, 0, 0, 0x0f]);
    printer.set({ cover: 'open' });
    expect(await read()).toEqual([0x38, 0, 0, 0x0f]);
    printer.set({ cover: 'closed', paper: 'low' });
    expect(await read()).toEqual([0x10, 0, 0x03, 0x0f]);
    await write(DLE_DC4);
    expect(await read()).toEqual([0x14, 0, 0x03, 0x0f]);
    await write([0x1d, 0x61, 0]);
    printer.set({ paper: 'out' });
    await expect(read()).rejects.toMatchObject({ fault: 'timeout' });
  });

  it('says nothing while silent, but prints', async () => {
    const { printer, ask } = await printerOnBus();
    printer.set({ silent: true });
    await expect(ask('text\n', poll(1), [0x1d, 0x49, 67])).rejects.toMatchObject({ fault: 'timeout' });
    expect(printer.paperText()).toBe('text\n');
  });
});

describe('the virtual printer on the control pipe', () => {
  const classIn = (request: number) => ({ requestType: 0xa1, request, value: 0, index: 0 });

  it('gives its IEEE 1284 device id with a big-endian length that counts itself', async () => {
    const id = 'MFG:Star;CMD:STAR;MDL:TSP143;CLS:PRINTER;';
    const { host } = await printerOnBus({ deviceId: id });
    const answer = Buffer.from(await host.controlIn(classIn(0), 1023, LATER));
    expect([answer.readUInt16BE(0), answer.toString('latin1', 2)]).toEqual([id.length + 2, id]);
  });

  it('gives its port status', async () => {
    const { printer, host } = await printerOnBus();
    expect([...(await host.controlIn(classIn(1), 1, LATER))]).toEqual([0x18]);
    printer.set({ paper: 'out' });
    expect([...(await host.controlIn(classIn(1), 1, LATER))]).toEqual([0x30]);
  });

  it('drops what waits on SOFT_RESET', async () => {
    const { printer, host, write } = await printerOnBus();
    printer.set({ cover: 'open' });
    await write('lost\n', [0x1d, 0x76, 0x30, 0]);
    await host.controlOut({ requestType: 0x21, request: 2, value: 0, index: 0 }, new Uint8Array(), LATER);
    printer.set({ cover: 'closed' });
    await write('kept\n');
    expect(printer.paperText()).toBe('kept\n');
  });

  it('has no way back where it is write-only', async () => {
    const { host, write } = await printerOnBus({ writeOnly: true });
    const [only] = host.identity.interfaces;
    expect([only?.protocol, only?.pipes.length]).toEqual([1, 1]);
    await write(poll(1), 'text\n');
  });
});
