/** A disk that others have filled: a change is stored whole, or refused with the old settings kept. */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onASmallDisk, whyNoSmallDisk } from '../small-disk.ts';
import type { Step } from './children/full-disk.ts';
import { run, type Scratch, scratch } from './harness.ts';

const missing = whyNoSmallDisk();

let place: Scratch;
beforeAll(async () => {
  place = await scratch();
});
afterAll(() => place.remove());

async function directoryFor(name: string): Promise<string> {
  const directory = join(place.directory, name);
  await mkdir(directory);
  return directory;
}

/** The steps that did not keep the promise, of 33. */
async function brokenSteps(kind: string): Promise<{ steps: Step[]; broken: Step[] }> {
  const child = await place.bundle('full-disk');
  const directory = await directoryFor(kind);
  const { lines, stderr } = await run([...onASmallDisk(directory), child, directory, kind]);
  const steps = lines.map((line) => JSON.parse(line) as Step);
  expect(steps.length, stderr).toBe(33);
  let old: unknown = -1;
  const broken = steps.filter(({ freeKiB, outcome, served, onDisk, files }) => {
    const expected = outcome === 'stored' ? freeKiB : old;
    old = expected;
    const known = outcome === 'stored' || outcome === 'persist_failed';
    return !known || served !== expected || onDisk !== expected || files.join() !== 'settings.a,settings.b';
  });
  return { steps, broken };
}

describe.skipIf(missing)(`a disk with 0 to 32 kB left${missing === undefined ? '' : `: ${missing}`}`, () => {
  it('stores a 20 kB document or answers persist_failed, and leaves no other file', async () => {
    const { steps, broken } = await brokenSteps('durable');
    expect(broken).toEqual([]);
    expect(new Set(steps.map(({ outcome }) => outcome))).toEqual(new Set(['stored', 'persist_failed']));
  });

  it('finds out a store that takes the first write for the whole', async () => {
    expect((await brokenSteps('trusting')).broken).not.toEqual([]);
  });
});

describe('a write the system cuts short', () => {
  /** Files end after 8 KiB: the write that crosses the line is short, the next one fails with EFBIG (setrlimit(2)). */
  const limited = async (kind: string, directory: string) => {
    const writer = await place.bundle('writer');
    return run(['sh', '-c', 'ulimit -f 16 && exec "$0" "$@"', process.execPath, writer, directory, kind, '1']);
  };

  it('is refused, and the next start finds what was there before', async () => {
    const directory = await directoryFor('cut-short');
    const writer = await place.bundle('writer');
    await run([process.execPath, writer, directory, 'durable', '2']);
    expect((await limited('durable', directory)).lines).toEqual(['open 2', 'refused 3 persist_failed EFBIG']);
    expect((await readdir(directory)).sort()).toEqual(['settings.a', 'settings.b']);
    const { lines } = await run([process.execPath, writer, directory, 'durable', '1']);
    expect(lines).toEqual(['open 2', 'ack 3']);
  });

  it('goes unnoticed by a store that takes the first write for the whole', async () => {
    const directory = await directoryFor('cut-short-control');
    expect((await limited('trusting', directory)).lines).toEqual(['open 0', 'ack 1']);
  });
});
