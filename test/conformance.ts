/** The conformance suite of device rooms, as tests of vitest. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type RoomUnderTest, roomConformance, type Story } from '../runtime/conformance/index.ts';
import { CERTIFIED } from '../runtime/recipes/accept.ts';
import { keeps } from './keeps.ts';

/** A room with a device. With `stories`: those that the room's recordings tell (`test/recordings/README.md`). */
export function conforms(name: string, room: Omit<RoomUnderTest, 'recordings'>, stories: readonly Story[] = []): void {
  const folder = join('test/plugins', room.plugin.name, 'recordings');
  const recordings = stories.map((story) => ({ story, text: readFileSync(join(folder, story.path), 'utf8') }));
  describe(name, () => {
    for (const { sentence, check } of roomConformance({ ...room, recordings })) keeps(sentence, check);

    if (recordings.length === 0) return;
    it('has a story for each recording, which says how it was made', () => {
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
      const told = files.filter((path) => path.endsWith('.ndjson') && !path.endsWith(`/${CERTIFIED}.ndjson`)).sort();
      expect(told).toEqual(stories.map(({ path }) => path).sort());
      for (const { story, text } of recordings) {
        const [first = ''] = text.split('\n');
        expect(JSON.parse(first)).toMatchObject({ direction: 'mark', text: expect.stringContaining(story.path) });
      }
    });
  });
}
