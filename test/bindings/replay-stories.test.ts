/** That each recording is played again is among what the rooms conform to (test/conformance.ts). */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stories } from '../recordings/stories.ts';

const FOLDER = 'test/recordings';

it('every recording says how it was made, and has a story', () => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ndjson'));
  expect(files.sort()).toEqual(stories.map(({ path }) => path).sort());
  for (const file of files) {
    const [first = ''] = readFileSync(join(FOLDER, file), 'utf8').split('\n');
    expect(JSON.parse(first)).toMatchObject({ direction: 'mark', text: expect.stringContaining(file) });
  }
});
