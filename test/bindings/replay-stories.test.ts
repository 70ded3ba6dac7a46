import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readRecording } from '../../runtime/bindings/recording.ts';
import { deviceIn, RecordedDevice } from '../../runtime/bindings/virtual/replay.ts';
import { type Stage, startStage, stories } from '../recordings/stories.ts';

const FOLDER = 'test/recordings';
const device = (path: string) => {
  const lines = readRecording(readFileSync(join(FOLDER, path), 'utf8'));
  const found = lines.ok ? deviceIn(lines.value) : lines;
  if (!found.ok) throw new Error(`${path}: ${found.reason}`);
  return new RecordedDevice(found.value);
};

let stage: Stage;
afterEach(() => stage.node.stop());

describe.each(stories)('$path', ({ path, endpoint, ask, ends }) => {
  it('ends as it did when it was recorded, the node speaking as it did then', async () => {
    stage = await startStage();
    const recorded = device(path);
    await stage.plug(recorded, endpoint);
    await ask?.(stage.node);
    await stage.saw(ends);
    await recorded.finished;
    expect(recorded.mismatches).toEqual([]);
  });
});

it('every recording says how it was made, and has a story', async () => {
  stage = await startStage();
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ndjson'));
  expect(files.sort()).toEqual(stories.map(({ path }) => path).sort());
  for (const file of files) {
    const [first = ''] = readFileSync(join(FOLDER, file), 'utf8').split('\n');
    expect(JSON.parse(first)).toMatchObject({ direction: 'mark', text: expect.stringContaining(file) });
  }
});
