import { afterEach, describe, expect, it } from 'vitest';
import { Recorder } from '../../runtime/services/capture/recorder.ts';
import { type PrintingNode, startPrintingNode, until } from '../node.ts';

let node: PrintingNode;
afterEach(() => node.stop());

type Line = Record<string, unknown>;
const parse = (text: string) => text.split('\n').flatMap((line): Line[] => (line === '' ? [] : [JSON.parse(line)]));
const ring = async () => parse(await (await fetch(`${node.url}/capture`)).text());

describe('a transfer that fails', () => {
  it('is recorded with its fault and what went over before', async () => {
    node = await startPrintingNode();
    await node.send('PUT', '/config', { capture: true });
    await node.unplug();
    await node.replug();
    const taken = async () =>
      (await ring()).reduce((sum, { pipe, length }) => sum + (pipe === 1 ? Number(length) : 0), 0);
    const said = async () =>
      (await ring()).reduce((sum, { pipe, repeats }) => sum + (pipe === 0x82 ? 1 + Number(repeats ?? 0) : 0), 0);
    await until(async () => (await said()) >= 4);
    node.printer.misbehave({ disconnectAfter: (await taken()) + 3 });
    await node.print([{ type: 'text', value: 'never on paper' }]);
    const failed = { direction: 'out', pipe: 1, fault: 'disconnected', length: 3 };
    expect(await ring()).toContainEqual(expect.objectContaining(failed));
  });

  it('of a request that the device refuses says so', async () => {
    node = await startPrintingNode();
    await node.send('PUT', '/config', { capture: true });
    await node.unplug();
    node.printer.misbehave({ stall: true });
    await node.replug();
    expect(await ring()).toContainEqual(expect.objectContaining({ direction: 'in', length: 0, fault: 'stall' }));
  });
});

describe('a reader slower than the ring', () => {
  it('misses what was overwritten, repeats nothing, and ends where it began to read', async () => {
    node = await startPrintingNode();
    const recorder = new Recorder(node.kernel);
    recorder.on();
    for (let n = 1; n <= 512; n++) recorder.mark(`early ${n} ${'.'.repeat(150)}`);
    const reader = recorder.stream()[Symbol.asyncIterator]();
    const first = await reader.next();
    for (let n = 1; n <= 400; n++) recorder.mark(`late ${n}`);
    let text = String(first.value);
    for (let part = await reader.next(); !part.done; part = await reader.next()) text += String(part.value);
    const numbers = parse(text).map(({ seq }) => Number(seq));
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    expect([numbers[0], numbers.at(-1)]).toEqual([1, 512]);
    expect(numbers.length).toBeLessThan(512);
    recorder.off();
  });

  it('holds no more than one line at a time for a reader that does not read', async () => {
    node = await startPrintingNode();
    const recorder = new Recorder(node.kernel);
    recorder.on();
    for (let n = 1; n <= 512; n++) recorder.mark('.'.repeat(200));
    const stream = recorder.stream();
    stream.read(0);
    await new Promise(setImmediate);
    expect(stream.readableLength).toBeLessThanOrEqual(stream.readableHighWaterMark + 512);
    recorder.off();
  });
});
