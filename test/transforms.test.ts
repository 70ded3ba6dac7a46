/** The bound of what is kept of transformed files. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { emptyWhenFull } from './transforms.ts';

it('a folder of transformed files is kept up to its bound, emptied above it, and need not be there', () => {
  const parent = mkdtempSync(join(tmpdir(), 'transforms-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const folder = join(parent, 'vitest');
  emptyWhenFull(folder, 2);
  mkdirSync(folder);
  for (const name of ['a', 'b']) writeFileSync(join(folder, name), '');
  emptyWhenFull(folder, 2);
  expect(readdirSync(folder)).toEqual(['a', 'b']);
  writeFileSync(join(folder, 'c'), '');
  emptyWhenFull(folder, 2);
  expect(readdirSync(parent)).toEqual([]);
});
