/** The conformance suite of device rooms, as tests of vitest. */
import { readFileSync } from 'node:fs';
import { describe, it } from 'vitest';
import { type RoomUnderTest, roomConformance, type Story } from '../runtime/conformance/index.ts';
import { stories } from './recordings/stories.ts';

type Tried = Omit<RoomUnderTest, 'recordings'>;

export function conforms(name: string, room: Tried): void {
  const recordings = stories
    .filter((story) => story.endpoint === room.endpoint)
    .map((story: Story) => ({ story, text: readFileSync(`test/recordings/${story.path}`, 'utf8') }));
  describe(name, () => {
    for (const { sentence, check } of roomConformance({ ...room, recordings })) it(sentence, check);
  });
}
