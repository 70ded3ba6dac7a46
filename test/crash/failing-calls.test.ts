/** Every system call of a change in turn fails, or is the last thing the process does. */
import { cp, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needTools } from '../tools.ts';
import { run, type Scratch, scratch } from './harness.ts';

const missing = needTools(['strace']);

let place: Scratch;
let writer: string;
beforeAll(async () => {
  place = await scratch();
  writer = await place.bundle('writer');
});
afterAll(() => place.remove());

/** One thread does the file work, so that K counts its calls. */
const write = (directory: string, kind: string, values: number, tracer: readonly string[] = []) => {
  const [file = process.execPath, ...rest] = [...tracer, process.execPath];
  return run([file, ...rest, writer, directory, kind, `${values}`], { env: { UV_THREADPOOL_SIZE: '1' } });
};

/** What a process did whose K-th call of a kind was tampered with, and what the next process found. */
interface Trial {
  /** `ack 3`, `refused 3 ...`, or the last line before the end. */
  readonly said: string;
  readonly files: readonly string[];
  readonly next: readonly string[];
  readonly filesAfterNext: readonly string[];
}

/** One change upon two stored ones, again and again, the K-th call tampered with, until K is past the last call. */
async function* trials(kind: string, call: string, fault: string): AsyncGenerator<Trial> {
  const twoStored = join(place.directory, `${kind}-${call}-${fault}`);
  await mkdir(twoStored);
  await write(twoStored, kind, 2);
  for (let k = 1; k <= 100; k++) {
    const directory = `${twoStored}-${k}`;
    await cp(twoStored, directory, { recursive: true });
    const list = async () => (await readdir(directory)).sort();
    const inject = ['-e', `trace=/^${call}`, '-e', `inject=/^${call}:${fault}:when=${k}`];
    const { lines, code } = await write(directory, kind, 1, ['strace', '-f', '-qqq', '-o', '/dev/null', ...inject]);
    // The first call is always there: a store that took no notice of it is a finding.
    if (k > 1 && code === 0 && lines.at(-1) === 'ack 3') return;
    const files = await list();
    const { lines: next } = await write(directory, kind, 1);
    yield { said: lines.at(-1) ?? '', files, next, filesAfterNext: await list() };
  }
  throw new Error(`${call} was called more than 100 times`);
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

const SLOTS = ['settings.a', 'settings.b'];

describe.skipIf(missing)(`a change${missing === undefined ? '' : `: ${missing}`}`, () => {
  it('is synced under a temporary name, renamed and synced by name before it is acknowledged', async () => {
    const directory = join(place.directory, 'order');
    await mkdir(directory);
    const trace = join(place.directory, 'trace');
    const calls = 'trace=/^(write|fsync|rename)';
    await write(directory, 'durable', 1, ['strace', '-f', '-y', '-qqq', '-s', '16', '-o', trace, '-e', calls]);
    const steps = (await readFile(trace, 'utf8')).split('\n').flatMap((line) => {
      if (/ write\(\d+<[^>]*settings\.a~/.test(line)) return 'write temporary';
      if (/ fsync\(\d+<[^>]*settings\.a~/.test(line)) return 'sync temporary';
      if (/ rename/.test(line)) return 'rename';
      if (/ fsync\(\d+<[^>]*\/order>/.test(line)) return 'sync directory';
      return / write\(1<.*ack 1/.test(line) ? 'acknowledge' : [];
    });
    expect(steps).toEqual(['write temporary', 'sync temporary', 'rename', 'sync directory', 'acknowledge']);
  });

  it.each([
    ['fsync', 'EIO', 2],
    ['fsync', 'ENOSPC', 2],
    ['link', 'EIO', 1],
    ['rename', 'EIO', 1],
  ])('whose %s fails with %s is refused, and the old value stands after a restart', async (call, error, calls) => {
    const refused = await all(trials('durable', call, `error=${error}`));
    expect(refused.length).toBe(calls);
    for (const trial of refused) {
      const said = `refused 3 persist_failed ${error}`;
      expect(trial).toEqual({ said, files: SLOTS, next: ['open 2', 'ack 3'], filesAfterNext: SLOTS });
    }
  });

  it.each(['write', 'fsync', 'link', 'rename', 'unlink'])(
    'killed at any %s is there whole or not at all',
    async (call) => {
      const killed = await all(trials('durable', call, 'signal=SIGKILL'));
      expect(killed.length).toBeGreaterThan(0);
      for (const { said, next, filesAfterNext } of killed) {
        expect(next[0]).toMatch(said === 'ack 3' ? /^open 3$/ : /^open [23]$/);
        expect(next[1]).toMatch(/^ack [34]$/);
        expect(filesAfterNext).toEqual(SLOTS);
      }
    },
  );

  it('is found lost by these trials where a store takes no notice of fsync', async () => {
    for await (const { said } of trials('trusting', 'fsync', 'error=EIO')) expect(said).toBe('ack 3');
  });

  it('is found torn by these trials where a store writes in place', async () => {
    let torn = false;
    for await (const { next } of trials('in-place', 'write', 'signal=SIGKILL')) {
      torn = !/^open [23]$/.test(next[0] ?? '');
      if (torn) break;
    }
    expect(torn, 'a kill left half a value').toBe(true);
  });
});
