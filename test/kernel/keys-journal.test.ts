/** The journal of the keys: what a torn or spoilt file, and a clock that is set, leave of it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createStorage } from '../../runtime/bindings/native/storage.ts';
import type { StorageBinding } from '../../runtime/bindings/storage.ts';
import { VirtualStorage } from '../../runtime/bindings/virtual/storage.ts';
import { Keys } from '../../runtime/kernel/keys.ts';
import { silentLogger } from '../../runtime/kernel/log.ts';
import { Reply } from '../../runtime/kernel/reply.ts';
import { randomFrom } from '../random.ts';
import { copies, FILE, receipt, startKeyedNode } from './keyed-node.ts';

const HOUR_MS = 60 * 60 * 1000;
const request = (key: string) => ({ key, method: 'POST', path: '/print', body: { id: key }, from: '127.0.0.1' });

/** Runs of one node's keys, without its doors: `once` gives whether it was done now, replayed, or refused, and how often. */
async function startRuns() {
  const { kernel } = await startKeyedNode();
  return async (storage: StorageBinding) => {
    const keys = new Keys({
      bindings: { storage },
      contract: kernel.contract,
      errors: kernel.errors,
      log: silentLogger,
    });
    await keys.load();
    return async (key: string): Promise<string> => {
      let done = 0;
      return keys
        .once(request(key), async (begin) => {
          await begin();
          done += 1;
          return new Reply(200, { ok: true, commandId: key });
        })
        .then(
          () => (done === 1 ? 'done' : 'replayed'),
          (error: { code?: string }) => String(error.code),
        );
    };
  };
}

/** A disk with this in the file. */
async function holding(bytes: Uint8Array): Promise<VirtualStorage> {
  const storage = new VirtualStorage();
  storage.machineRun = 'behind a power cut';
  await storage.write(FILE, bytes);
  return storage;
}

describe('a node', () => {
  it('does nothing twice, at whichever byte of its last lines the file was cut off', async () => {
    const run = await startRuns();
    const disk = new VirtualStorage();
    const first = await run(disk);
    for (const key of ['a', 'b']) expect(await first(key)).toBe('done');
    const whole = Buffer.from((await disk.read(FILE)) ?? []);
    // What began, was about to leave, and ended: three lines of `a`, three of `b`. Of `b` nothing was done before its first line was whole.
    const begun = whole.indexOf('}\n', whole.indexOf('"key":"b"')) + 1;
    for (let cut = whole.indexOf('\n{"key":"b"'); cut <= whole.length; cut += 1) {
      const torn = await holding(whole.subarray(0, cut));
      const second = await run(torn);
      expect(await second('a'), `cut at ${cut}`).toBe('replayed');
      const lastClosed = cut >= whole.length - 1 ? 'replayed' : 'write_failed';
      expect(await second('b'), `cut at ${cut}`).toBe(cut < begun ? 'done' : lastClosed);
      expect(await second('c'), `cut at ${cut}`).toBe('done');
      const third = await run(torn);
      for (const key of ['a', 'c']) expect(await third(key), `cut at ${cut}`).toBe('replayed');
      expect(await third('b'), `cut at ${cut}`).not.toBe('done');
    }
  });

  it('does nothing twice where anything else stands in the file, between its lines or in place of the last', async () => {
    const run = await startRuns();
    const disk = new VirtualStorage();
    const first = await run(disk);
    for (const key of ['a', 'b']) expect(await first(key)).toBe('done');
    const whole = Buffer.from((await disk.read(FILE)) ?? []);
    const lines = whole.toString().split('\n\n');
    const random = randomFrom(5);
    for (let n = 0; n < 500; n += 1) {
      const length = Math.floor(random() * 600);
      // Every third is of NULs, as a file system leaves a block that was never written.
      const noise = Buffer.from(Array.from({ length }, () => (n % 3 === 0 ? 0 : Math.floor(random() * 256))));
      const place = 1 + Math.floor(random() * (lines.length - 1));
      const kept = n % 2 === 0 ? lines.slice(place) : lines.slice(place, -1);
      const parts = [lines.slice(0, place).join('\n\n'), '\n', noise, '\n', kept.join('\n\n'), '\n'];
      const second = await run(await holding(Buffer.concat(parts.map((part) => Buffer.from(part)))));
      expect(await second('a'), `noise ${n}`).not.toBe('done');
      if (n % 2 === 0 || place === lines.length - 1) expect(await second('b'), `noise ${n}`).not.toBe('done');
      expect(await second('c'), `noise ${n}`).toBe('done');
    }
  });

  it.each([
    ['noise', Buffer.from(Array.from({ length: 4096 }, (_, n) => (n * 7919) % 251))],
    ['NULs', Buffer.alloc(4096)],
    ['JSON of another shape', Buffer.from('\nnull\n[]\n7\n"x"\n{}\n{"key":"sale"}\n{"__proto__":{"key":1}}\n')],
  ])('starts with a file of %s, and keeps the keys that come', async (_, bytes) => {
    const storage = await holding(bytes);
    const { post, printer, stop } = await startKeyedNode(storage);
    expect(await post('/print', receipt('1'), 'sale')).toMatchObject({ status: 200, replayed: null });
    await stop();
    const second = await startKeyedNode(storage);
    expect(await second.post('/print', receipt('1'), 'sale')).toMatchObject({ status: 200, replayed: 'true' });
    expect(copies(printer) + copies(second.printer)).toBe(1);
  });

  it('keeps the keys that come, also where the file was too long to be read', async () => {
    const run = await startRuns();
    const directory = await mkdtemp(join(tmpdir(), 'keys-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    await writeFile(join(directory, FILE), Buffer.alloc(1024 * 1024 + 1, '\n{"key":"sale"}'));
    const first = await run(await createStorage(directory));
    expect(await first('a')).toBe('done');
    expect(await (await run(await createStorage(directory)))('a')).toBe('replayed');
  });

  it('forgets nothing because the clock was set: neither in this run of the node nor over a restart', async () => {
    onTestFinished(() => void vi.useRealTimers());
    const { post, stop, storage } = await startKeyedNode();
    await post('/print', receipt('1'), 'sale');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 48 * HOUR_MS });
    expect(await post('/print', receipt('1'), 'sale')).toMatchObject({ replayed: 'true' });
    await stop();
    const second = await startKeyedNode(storage);
    expect(await second.post('/print', receipt('1'), 'sale')).toMatchObject({ replayed: 'true' });
    vi.setSystemTime(0);
    expect(await second.post('/print', receipt('1'), 'sale')).toMatchObject({ replayed: 'true' });
    expect(copies(second.printer)).toBe(0);
  });

  it('forgets a key once the node ran for 24 hours, over all its runs', async () => {
    onTestFinished(() => void vi.restoreAllMocks());
    const run = await startRuns();
    const disk = new VirtualStorage();
    const clock = performance.now.bind(performance);
    let ahead = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => clock() + ahead);
    const first = await run(disk);
    await first('a');
    ahead += 23 * HOUR_MS;
    expect(await first('a')).toBe('replayed');
    await first('b');
    const second = await run(disk);
    expect(await second('a')).toBe('replayed');
    ahead += 2 * HOUR_MS;
    expect(await second('a')).toBe('done');
    expect(await second('b')).toBe('replayed');
  });
});
