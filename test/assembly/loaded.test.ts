/** The program of a package is cut to what the kernel loads of it. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadedOf } from '../../runtime/assembly/package/architectures.ts';

const folder = mkdtempSync(join(tmpdir(), 'tillnode-loaded-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a program in a package', () => {
  const whole = readFileSync(process.execPath);
  const cut = loadedOf(whole);

  it('runs as before, without what is for debuggers', () => {
    const program = join(folder, 'node');
    writeFileSync(program, cut, { mode: 0o755 });
    const script = 'process.stdout.write(JSON.stringify([process.versions, new Intl.DateTimeFormat("de").format(0)]))';
    expect(execFileSync(program, ['-e', script])).toEqual(execFileSync(process.execPath, ['-e', script]));
    expect(cut.length).toBeLessThan(whole.length);
  });

  it('is cut once', () => {
    expect(Buffer.compare(loadedOf(cut), cut)).toBe(0);
  });

  it('is a program', () => {
    expect(() => loadedOf(Buffer.from('#!/bin/sh\n'))).toThrow('not a program of 64 bits');
  });
});
