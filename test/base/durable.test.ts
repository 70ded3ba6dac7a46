/** A file that is replaced at once is the old one or the new one. Storage has its own suite, which drives `replaceFile`. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { replaceFileNow } from '../../runtime/base/durable.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'durable-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe('a file that is replaced at once', () => {
  it('has the new content and the permissions that were asked for, and nothing stands beside it', () => {
    const directory = folder();
    const path = join(directory, 'name');
    writeFileSync(path, 'old');
    chmodSync(path, 0o644);
    replaceFileNow(path, 'new');
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['new', 0o600]);
    replaceFileNow(path, Buffer.from('newer'), { mode: 0o640, isDurable: false });
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['newer', 0o640]);
    expect(readdirSync(directory)).toEqual(['name']);
  });

  it('is written at another path, whose leftovers of a crash are written over', () => {
    const directory = folder();
    const path = join(directory, 'name');
    writeFileSync(path, 'old');
    writeFileSync(`${path}~new`, 'what a crash left, and longer than the new one');
    const seen: string[] = [];
    replaceFileNow(path, (fresh) => {
      seen.push(readFileSync(path, 'utf8'), fresh);
      writeFileSync(fresh, 'new');
    });
    expect(seen).toEqual(['old', `${path}~new`]);
    expect([readFileSync(path, 'utf8'), readdirSync(directory)]).toEqual(['new', ['name']]);
  });

  it('has the old content where its writer fails, and nothing stands beside it', () => {
    const directory = folder();
    const path = join(directory, 'name');
    writeFileSync(path, 'old');
    const fails = (fresh: string) => {
      writeFileSync(fresh, 'half');
      throw new Error('the disk is full');
    };
    expect(() => replaceFileNow(path, fails)).toThrow('the disk is full');
    expect([readFileSync(path, 'utf8'), readdirSync(directory)]).toEqual(['old', ['name']]);
  });
});
