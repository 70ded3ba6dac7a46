/** The receipt in doubt: it stays, over restarts and cuts of the power, until somebody says what the paper shows. */
import { expect, it, onTestFinished } from 'vitest';
import { VirtualPrinter } from '../../../plugins/printer/virtual/device.ts';
import { VirtualStorage } from '../../../runtime/bindings/virtual/storage.ts';
import type { RecentJob } from '../../../runtime/services/jobs/contract.ts';
import { copies, linesOf, startKeyedNode } from '../../kernel/keyed-node.ts';
import { until } from '../../node.ts';

/** Some 60 chunks of 64 bytes. */
const LONG = {
  type: 'print',
  id: 'long',
  endpoint: 'receipt',
  lines: [{ type: 'text', value: 'Coffee '.repeat(500) }],
};

async function start(storage?: VirtualStorage, printer = new VirtualPrinter({ keepsPower: true })) {
  const node = await startKeyedNode(storage, printer);
  const get = async <T>(path: string) => (await (await fetch(`${node.url}${path}`)).json()) as T;
  const jobs = async () => (await get<{ jobs: RecentJob[] }>('/jobs')).jobs;
  return {
    ...node,
    jobs,
    waiting: async () => (await get<{ waiting: number }>('/jobs')).waiting,
    uncertain: async () => (await get<{ jobs: { uncertain: number } }>('/status')).jobs.uncertain,
    settle: (seq: unknown, printed: unknown) => node.post('/jobs/settle', { seq, printed }),
    /** Prints so slowly that a receipt is on its way for seconds; resolves when some of it has left. */
    async beginLong(key?: string) {
      await node.kernel.config.patch({ usb: { chunkBytes: 64 } });
      printer.set({ slow: 500 });
      const printed = node.post('/print', LONG, key);
      await until(async () => ((await jobs())[0]?.bytes ?? 0) >= 128);
      return { printed };
    },
    /** Pulls its plug while a receipt is on its way. */
    async pull(key?: string) {
      const { printed } = await this.beginLong(key);
      node.bench.usb.unplug(printer);
      return printed;
    },
  };
}

/** What the disk holds at this moment: the power is cut. */
async function copyOf(storage: VirtualStorage): Promise<VirtualStorage> {
  const copy = new VirtualStorage();
  for (const name of ['jobs', 'keys', 'settings']) {
    const bytes = await storage.read(name);
    if (bytes !== undefined) await copy.write(name, bytes);
  }
  return copy;
}

it('a receipt is uncertain where the plug of the printer was pulled, with how far it came, over a restart, until it is settled', async () => {
  const node = await start();
  expect(await node.uncertain()).toBe(0);
  const { body } = await node.pull();
  const [job] = await node.jobs();
  expect(job).toMatchObject({ outcome: 'uncertain', error: 'write_failed', bytes: body['bytes'] });
  expect(job?.totalBytes).toBeGreaterThan(3500);
  expect(await node.uncertain()).toBe(1);
  await node.stop();

  const second = await start(node.storage);
  const [after] = await second.jobs();
  const { seq, id, kind, endpoint, from, outcome, error, bytes, totalBytes } = job!;
  expect(after).toMatchObject({ seq, id, kind, endpoint, from, outcome, error, bytes, totalBytes });
  expect(after?.startedAgoMs).toBeGreaterThanOrEqual(job?.startedAgoMs ?? 0);
  expect(await second.uncertain()).toBe(1);
  expect(await second.settle(seq, true)).toMatchObject({ status: 200, body: { ok: true, seq, printed: true } });
  expect(await second.uncertain()).toBe(0);
  expect((await second.jobs())[0]).toMatchObject({ seq, outcome: 'confirmed', settled: true });
  await second.stop();

  const third = await start(second.storage);
  expect(await third.uncertain()).toBe(0);
});

it('a receipt is uncertain after a cut of the power, also without a key, where it went on for a while: at least so many bytes', async () => {
  const node = await start();
  await node.beginLong();
  await until(async () => (await node.storage.read('jobs')) !== undefined);
  const second = await start(await copyOf(node.storage));
  const [job] = await second.jobs();
  expect(job).toMatchObject({ id: 'long', kind: 'print', from: '127.0.0.1', outcome: 'uncertain' });
  expect(job).not.toHaveProperty('error');
  expect(job?.bytes).toBeLessThan(job?.totalBytes ?? 0);
  expect(await second.settle(job?.seq, false)).toMatchObject({ status: 200 });
  expect((await second.jobs())[0]).toMatchObject({ outcome: 'failed', settled: true });
  node.bench.usb.unplug(node.printer);
});

it('a receipt without a key costs the disk nothing where it is printed at once, and a long one leaves no doubt where it ends', async () => {
  const node = await start();
  await node.post('/print', { ...LONG, id: 'short' });
  expect(await node.storage.read('jobs')).toBeUndefined();
  const { printed } = await node.beginLong();
  await until(async () => (await node.storage.read('jobs')) !== undefined);
  node.printer.set({ slow: 0 });
  expect((await printed).status).toBe(200);
  await node.stop();
  const second = await start(node.storage);
  expect(await second.jobs()).toEqual([]);
});

it('a job is in no doubt that only waits for its turn when the power is cut', async () => {
  const node = await start();
  await node.beginLong();
  const waits = node.post('/print', { ...LONG, id: 'waits' }).catch(() => undefined);
  await until(async () => (await node.waiting()) === 1 && (await node.storage.read('jobs')) !== undefined);
  const second = await start(await copyOf(node.storage));
  expect((await second.jobs()).map(({ id }) => id)).toEqual(['long']);
  node.bench.usb.unplug(node.printer);
  await waits;
});

it('a keyed job that began is in doubt, however short, and its key gets what somebody saw', async () => {
  for (const printed of [true, false]) {
    const node = await start();
    await node.pull('sale');
    const other = await start(await copyOf(node.storage));
    await node.stop();
    const [job] = await other.jobs();
    expect(await other.post('/print', LONG, 'sale')).toMatchObject({ status: 409, body: { error: 'write_failed' } });
    await other.settle(job?.seq, printed);
    const again = await other.post('/print', LONG, 'sale');
    expect(again).toMatchObject({ status: 200, replayed: printed ? 'true' : null, body: { commandId: 'long' } });
    expect(again.body['outcome']).toBe(printed ? 'confirmed' : 'accepted');
    expect(copies(other.printer) > 0).toBe(!printed);
    await other.stop();
  }
});

it('a job is listed by its key alone where the power was cut right after it began', async () => {
  const node = await start();
  const cut = new Promise<VirtualStorage>((resolve) => {
    node.storage.failure = (operation, name) => {
      // The line of the beginning is on the disk, that of the end is not.
      if (operation === 'write' && name === 'keys')
        void Promise.resolve().then(async () => {
          node.storage.failure = undefined;
          resolve(await copyOf(node.storage));
        });
      return undefined;
    };
  });
  await node.post('/print', { ...LONG, id: 'short' }, 'sale');
  const storage = await cut;
  storage.machineRun = 'behind a power cut';
  const second = await start(storage);
  expect(await second.jobs()).toMatchObject([{ id: 'short', kind: 'print', outcome: 'uncertain', bytes: 0 }]);
  await second.stop();
  const third = await start(storage);
  const [job, ...others] = await third.jobs();
  expect(others).toEqual([]);
  await third.settle(job?.seq, false);
  expect(await third.post('/print', { ...LONG, id: 'short' }, 'sale')).toMatchObject({ status: 200, replayed: null });
});

it('POST /jobs/settle refuses what is no answer: of a job that is not in doubt, of a wrong form; the same answer twice is one', async () => {
  const node = await start();
  await node.pull();
  const [job] = await node.jobs();
  const seq = job?.seq ?? 0;
  expect(await node.settle(seq + 1, true)).toMatchObject({ status: 404, body: { error: 'not_found' } });
  for (const [wrong, printed] of [
    ['1', true],
    [-1, true],
    [1.5, true],
    [seq, 'yes'],
    [seq, undefined],
  ])
    expect(await node.settle(wrong, printed)).toMatchObject({ status: 422, body: { error: 'invalid_command' } });
  expect(await node.uncertain()).toBe(1);
  expect(await node.settle(seq, true)).toMatchObject({ status: 200 });
  expect(await node.settle(seq, true)).toMatchObject({ status: 200 });
  expect(await node.settle(seq, false)).toMatchObject({ status: 404 });
});

it('POST /jobs/settle needs the API key in the mode strict', async () => {
  const node = await start();
  await node.pull();
  const [job] = await node.jobs();
  await node.kernel.config.patch({ apiKey: 'a key of some length', apiMode: 'strict' });
  expect(await node.settle(job?.seq, true)).toMatchObject({ status: 401, body: { error: 'api_locked' } });
  expect(await node.uncertain()).toBe(1);
});

it('a receipt stays in doubt where the disk does not take the answer', async () => {
  const node = await start();
  await node.pull('sale');
  const [job] = await node.jobs();
  node.storage.failure = (operation) => (operation === 'write' ? new Error('no space') : undefined);
  expect(await node.settle(job?.seq, false)).toMatchObject({ status: 500, body: { error: 'persist_failed' } });
  expect(await node.uncertain()).toBe(1);
  expect(await node.post('/print', LONG, 'sale')).toMatchObject({ status: 409, body: { error: 'write_failed' } });
  node.storage.failure = undefined;
  expect(await node.settle(job?.seq, false)).toMatchObject({ status: 200 });
});

it('the list of jobs gives no number again that was in doubt', async () => {
  const node = await start();
  await node.pull();
  const [job] = await node.jobs();
  await node.settle(job?.seq, true);
  await node.stop();
  const second = await start(node.storage);
  await second.post('/print', { ...LONG, id: 'next' });
  expect((await second.jobs())[0]?.seq).toBeGreaterThan(job?.seq ?? 0);
});

it.each([
  ['was in doubt, and was settled', false],
  ['went on for a while', true],
])(
  'the list of jobs knows the last number, and that there is no doubt, of a job that %s, when the file was written anew',
  async (_, isLong) => {
    const last = 2;
    const line = (seq: number, state: string) => {
      const job = {
        seq,
        state,
        kind: 'print',
        id: `${seq}`.padStart(128, 'x'),
        endpoint: 'receipt',
        from: '127.0.0.1',
      };
      return `\n${JSON.stringify({ ...job, bytes: 0, ms: 120, at: Date.now() })}\n`;
    };
    // One that is still in doubt, one that is not, and room for two lines of the next, but for no third one.
    const file = `${line(1, 'uncertain')}${line(last, 'ended')}`.padEnd(128 * 1024 - 500, '\n');
    const storage = new VirtualStorage();
    await storage.write('jobs', Buffer.from(file));
    const node = await start(storage);
    const length = async () => (await storage.read('jobs'))?.length ?? 0;
    const offer = node.kernel.offered('jobs')!;
    const list = (id: string, more: object = {}) =>
      offer.begin({ id, kind: 'print', endpoint: 'receipt', from: '127.0.0.1', ...more });
    const next = list('next', isLong ? { progress: { written: 1, hasTurn: true } } : {});
    expect((await node.jobs()).map(({ seq }) => seq)).toEqual([last + 1, 1]);
    if (isLong) await until(async () => (await length()) > file.length);
    next.end(isLong ? { outcome: 'accepted', bytes: 1 } : { error: 'write_failed', bytes: 1 });
    if (!isLong) expect(await node.settle(last + 1, true)).toMatchObject({ status: 200 });
    for (let n = 0; n < 50; n += 1) list(`${n}`).end({ outcome: 'accepted', bytes: 1 });
    expect(await length()).toBeGreaterThan(file.length);
    expect(await node.settle(1, true)).toMatchObject({ status: 200 });
    expect(await length()).toBeLessThan(2000);
    await node.stop();
    const second = await start(node.storage);
    expect(await second.uncertain()).toBe(0);
    await second.post('/print', { ...LONG, id: 'last' });
    expect((await second.jobs())[0]?.seq).toBe(last + 2);
  },
);

it('a node starts with whatever is in the file of its jobs', async () => {
  for (const bytes of ['', '\n{}\n', '{"seq":1', '\u0000'.repeat(4096), '\nnull\n[1]\n{"seq":"1"}\n']) {
    const storage = new VirtualStorage();
    await storage.write('jobs', Buffer.from(bytes));
    const node = await start(storage);
    expect(await node.jobs()).toEqual([]);
    await node.stop();
  }
});

it('a node keeps at most 50 in doubt, in a file that stays below 1 MiB: the oldest goes', async () => {
  const node = await start();
  onTestFinished(() => node.stop());
  const offer = node.kernel.offered('jobs')!;
  for (let n = 0; n < 3000; n += 1)
    offer
      .begin({ id: `${n}`.padStart(128, 'x'), kind: 'print', endpoint: 'receipt', from: '127.0.0.1' })
      .end({ error: 'write_failed', bytes: 1 });
  expect(await node.uncertain()).toBe(50);
  await node.stop();
  expect((await node.storage.read('jobs'))?.length).toBeLessThan(256 * 1024);
  const second = await start(node.storage);
  expect((await second.jobs()).map(({ id }) => Number(id?.replaceAll('x', '')))).toEqual(
    Array.from({ length: 50 }, (_, n) => 2999 - n),
  );
});

it('a receipt is in no doubt where its key knows what came of it, though the list was not told before the node was killed', async () => {
  const node = await start();
  await node.post('/print', LONG, 'sale');
  await node.stop();
  const [began = '', left = '', ended = ''] = await linesOf(node.storage);
  const running = JSON.stringify({
    ...{ seq: 7, state: 'running', kind: 'print', id: 'long', key: 'sale', endpoint: 'receipt', from: '127.0.0.1' },
    ...{ bytes: 0, ms: 120, at: Date.now(), totalBytes: 3600 },
  });
  const killed = async (machineRun: string, ...keys: string[]) => {
    const disk = new VirtualStorage();
    disk.machineRun = machineRun;
    await disk.write('keys', Buffer.from(`\n${keys.join('\n\n')}\n`));
    await disk.write('jobs', Buffer.from(`\n${running}\n`));
    return disk;
  };
  const known = [
    await killed('virtual', began),
    await killed('the next one', began, left, ended),
    await killed('the next one', began, JSON.stringify({ ...JSON.parse(began), command: undefined, free: true })),
  ];
  for (const disk of known) {
    const second = await start(disk);
    expect(await second.uncertain()).toBe(0);
    // And the key takes the request again, or gives its answer.
    expect(await second.post('/print', LONG, 'sale')).toMatchObject({ status: 200 });
    await second.stop();
    const third = await start(disk);
    expect(await third.uncertain()).toBe(0);
    await third.stop();
  }
  const inDoubt = [await killed('virtual', began, left), await killed('the next one', began), await killed('virtual')];
  for (const disk of inDoubt) {
    const second = await start(disk);
    expect((await second.jobs())[0]).toMatchObject({ seq: 7, outcome: 'uncertain', bytes: 0 });
    expect(await second.uncertain()).toBe(1);
    await second.stop();
  }
});

it('jobs that only their keys know have a number each', async () => {
  const node = await start();
  await node.post('/print', LONG, 'sale');
  await node.stop();
  const [began = ''] = await linesOf(node.storage);
  const disk = new VirtualStorage();
  disk.machineRun = 'the next one';
  await disk.write('keys', Buffer.from(`\n${began}\n\n${began.replace('"sale"', '"another"')}\n`));
  const second = await start(disk);
  expect((await second.jobs()).map(({ seq, outcome }) => [seq, outcome])).toEqual([
    [2, 'uncertain'],
    [1, 'uncertain'],
  ]);
});

it('a receipt stays in doubt where its key was forgotten and used anew', async () => {
  const node = await start();
  await node.beginLong('sale');
  const cut = await copyOf(node.storage);
  const second = await start(cut);
  expect(await second.uncertain()).toBe(1);
  await second.stop();
  await cut.remove('keys');
  const third = await start(cut);
  expect(await third.post('/print', LONG, 'sale')).toMatchObject({ status: 200, replayed: null });
  await third.stop();
  expect(await (await start(cut)).uncertain()).toBe(1);
});
