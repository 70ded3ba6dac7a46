/**
 * A story: a device does one thing. Recorded, it is what crossed the USB channel meanwhile, as `GET /capture` writes it;
 * replayed, a recorded device says again what the device said, and the node must speak as it did and tell the same.
 */
import { readRecording } from '../bindings/recording.ts';
import type { VirtualDevice } from '../bindings/virtual/device.ts';
import { deviceIn, RecordedDevice } from '../bindings/virtual/replay.ts';
import type { NodeEvent } from '../kernel/registry.ts';
import type { TestNode } from '../node/testing.ts';
import { onBench, type RoomBench, type RoomBenchOptions, until } from './bench.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface Story {
  /** `<make-model>/<story>.ndjson`, or whatever its file is called: its first line says so. */
  readonly path: string;
  readonly endpoint: string;
  /** The device, and what it does of itself once it is bound. */
  device(): { readonly device: VirtualDevice; act?(): void };
  /**
   * The event that says the room is ready to be asked, where being bound is not enough. Looked for once it is bound, among those
   * since the start, for 10 s: more than the 5 s that vitest has for a test.
   */
  readonly ready?: Fields;
  /** What the node is asked to do. */
  ask?(node: TestNode): Promise<unknown>;
  /** The event that ends the story. */
  readonly ends: Fields;
}

/** Records a story: the text of its file, which begins with how it was made. */
export const record = (room: RoomBenchOptions, story: Story): Promise<string> =>
  onBench(room, async (bench) => {
    await fetch(`${bench.node.url}/config`, { method: 'PUT', body: '{"capture":true}' });
    const { device, act } = story.device();
    await tell(bench, story, device, act);
    const text = `${story.path}: made by driving this project's virtual device, not a capture of a real one`;
    const origin = { seq: 0, tMs: 0, channel: 'mark', direction: 'mark', text, length: 0, data: '' };
    const held = await (await fetch(`${bench.node.url}/capture`)).text();
    return `${JSON.stringify(origin)}\n${held}`;
  });

/** Plays a recording against the room; rejects where the node or the event at its end is not as it was then. */
export const replay = (room: RoomBenchOptions, story: Story, recording: string): Promise<readonly NodeEvent[]> =>
  onBench(room, async (bench) => {
    const lines = readRecording(recording);
    const found = lines.ok ? deviceIn(lines.value) : lines;
    if (!found.ok) throw new Error(`${story.path}: ${found.reason}`);
    const recorded = new RecordedDevice(found.value);
    await tell(bench, story, recorded);
    await recorded.finished;
    const [mismatch] = recorded.mismatches;
    if (mismatch !== undefined)
      throw new Error(`${story.path}: record ${mismatch.seq ?? '(none was due)'}: ${mismatch.reason}`);
    return bench.events;
  });

async function tell(bench: RoomBench, story: Story, device: VirtualDevice, act?: () => void): Promise<void> {
  const { ready, ask, ends } = story;
  const saw = (fields: Fields) =>
    until(`an event with ${JSON.stringify(fields)}`, () => bench.events.some((event) => has(event, fields)));
  await bench.plug(device);
  await until('bound', () => bench.state().condition === 'bound');
  if (ready !== undefined) await saw(ready);
  act?.();
  await ask?.(bench.node);
  await saw(ends);
}

const has = (event: Fields, fields: Fields) => Object.entries(fields).every(([name, value]) => event[name] === value);
