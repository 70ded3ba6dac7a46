import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeFolder } from '../../runtime/base/make-folder.ts';

it('makeFolder() makes a folder and those above, and says so where a file system takes none', () => {
  const root = mkdtempSync(join(tmpdir(), 'folder-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const deep = join(root, 'a/b/c');
  makeFolder(deep);
  makeFolder(deep);
  expect(existsSync(deep)).toBe(true);
  writeFileSync(join(root, 'file'), '');
  expect(() => makeFolder(join(root, 'file'))).toThrow('EEXIST');
  expect(() => makeFolder(join(root, 'file/a'))).toThrow('ENOTDIR');
  // Where mkdirSync never returns.
  expect(() => makeFolder('/proc/tillnode/a')).toThrow('ENOENT');
});
