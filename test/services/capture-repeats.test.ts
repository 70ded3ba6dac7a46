/** Readings that a device repeats are counted in the diagnostic ring. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RecordLine } from '../../runtime/bindings/recording.ts';
import { RecordedDevice } from '../../runtime/bindings/virtual/replay.ts';
import { TrafficRing } from '../../runtime/services/capture/ring.ts';
import { IN, LATER, OUT, plugged, Recorder as TestDevice } from '../bindings/virtual-plugged.ts';
import { startPrintingNode, until } from '../node.ts';

const counted = (lines: readonly Record<string, unknown>[]) =>
  lines.filter(({ pipe }) => pipe !== undefined).reduce((sum, { repeats }) => sum + 1 + Number(repeats ?? 0), 0);

it('the question to a printer that nobody uses and its answers are lines, and not every poll', async () => {
  const node = await startPrintingNode();
  onTestFinished(() => node.stop());
  await node.send('PUT', '/config', { capture: true });
  const polls = async () =>
    (await (await fetch(`${node.url}/capture`)).text())
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>]))
      .filter(({ direction }) => direction === 'out');
  await until(async () => counted(await polls()) >= 3);
  expect(await polls()).toMatchObject([
    { pipe: 1, length: 12, repeats: expect.any(Number), lastTMs: expect.any(Number) },
  ]);
});

type Transfer = readonly ['out' | 'in', readonly number[]];
const ASKS: Transfer = ['out', [0x10, 0x04, 0x01]];
const FINE: Transfer = ['in', [0x12]];
const OPEN: Transfer = ['in', [0x16]];
const RECEIPT: Transfer = ['out', Array.from({ length: 40 }, (_, at) => at)];

/** What the ring has of this traffic, ten seconds from one to the next: direction, first byte, and how often again. */
function held(...traffic: readonly Transfer[]): unknown[] {
  const ring = new TrafficRing();
  for (const [index, [direction, data]] of traffic.entries()) {
    ring.add(
      { tMs: index * 10_000, channel: 'usb:1', direction, pipe: direction === 'in' ? 0x82 : 1 },
      Uint8Array.from(data),
    );
  }
  return Array.from({ length: ring.newest }, (_, at) => {
    const { direction, data, repeats = 0 } = ring.get(at + 1) ?? expect.fail();
    return [direction, data[0], repeats];
  });
}

describe('a question that is asked again', () => {
  it('and answered with the same is counted, however much later', () => {
    expect(held(ASKS, FINE, OPEN, ASKS, FINE, OPEN, ASKS, FINE, OPEN)).toEqual([
      ['out', 0x10, 2],
      ['in', 0x12, 2],
      ['in', 0x16, 2],
    ]);
  });

  it('and answered otherwise has that answer behind it, and is a line of its own the next time', () => {
    expect(held(ASKS, FINE, ASKS, FINE, ASKS, OPEN, ASKS, OPEN, ASKS, OPEN)).toEqual([
      ['out', 0x10, 2],
      ['in', 0x12, 1],
      ['in', 0x16, 0],
      ['out', 0x10, 1],
      ['in', 0x16, 1],
    ]);
  });

  it('without an answer is a line each time', () => {
    expect(held(ASKS, ASKS, ASKS)).toHaveLength(3);
    expect(held(ASKS, FINE, ASKS, ASKS)).toEqual([
      ['out', 0x10, 1],
      ['in', 0x12, 0],
      ['out', 0x10, 0],
    ]);
  });

  it('after something else was sent is a line of its own, and so is what is long, whatever is answered', () => {
    expect(held(ASKS, FINE, RECEIPT, ASKS, FINE)).toHaveLength(5);
    expect(held(RECEIPT, FINE, RECEIPT, FINE)).toHaveLength(4);
  });
});

it('a code that a scanner reads twice is two lines', () => {
  expect(held(FINE, FINE)).toHaveLength(2);
});

it('a question that was repeated is due once where it is played again, and answered once', async () => {
  const line = (seq: number, direction: 'in' | 'out', bytes: readonly number[], repeats: number): RecordLine => {
    const pipe = direction === 'in' ? IN.address : OUT.address;
    return {
      seq,
      tMs: seq,
      channel: 'usb:1-1',
      direction,
      pipe,
      length: bytes.length,
      data: Uint8Array.from(bytes),
      repeats,
    };
  };
  const { identity } = (await plugged(new TestDevice())).host;
  const device = new RecordedDevice({ identity, transfers: [line(1, ...ASKS, 7), line(2, ...FINE, 31)] });
  const { host } = await plugged(device);
  await host.transferOut(OUT, Uint8Array.from(ASKS[1]), LATER);
  for (let n = 0; n < 4; n += 1) expect([...(await host.transferIn(IN, 64, LATER))]).toEqual(FINE[1]);
  await device.finished;
  expect([device.mismatches, device.outstanding]).toEqual([[], []]);
});
