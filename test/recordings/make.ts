/** Writes the recordings anew; test/recordings/README.md says when and how. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { record, stories } from './stories.ts';

for (const story of stories) {
  const file = join('test/recordings', story.path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, await record(story));
}
