/** Writes the recordings anew; test/recordings/README.md says when and how. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { record } from '../../runtime/conformance/index.ts';
import { ROOMS, stories } from './stories.ts';

for (const story of stories) {
  const file = join('test/recordings', story.path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, await record({ plugin: ROOMS[story.endpoint], endpoint: story.endpoint }, story));
}
