/** Writes the recordings of every room anew; test/recordings/README.md says when and how. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type RoomUnderTest, record, type Story } from '../../runtime/conformance/index.ts';
import type { Plugin } from '../../runtime/kernel/plugin.ts';

for (const room of readdirSync('test/plugins')) {
  if (!existsSync(`test/plugins/${room}/stories.ts`)) continue;
  const told: { stories: readonly Story[]; bench?: Pick<RoomUnderTest, 'beside' | 'config'> } = await import(
    `../plugins/${room}/stories.ts`
  );
  const { default: plugin }: { default: Plugin } = await import(`../../plugins/${room}/index.ts`);
  for (const story of told.stories) {
    const file = join('test/plugins', room, 'recordings', story.path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, await record({ ...told.bench, plugin, endpoint: story.endpoint }, story));
  }
}
