/** Exactly once, for whoever asks for it: a request that is sent again with its Idempotency-Key is done once. */
import { describe, expect, it, vi } from 'vitest';
import { VirtualStorage } from '../../runtime/bindings/virtual/storage.ts';
import { until } from '../node.ts';
import { copies, FILE, linesOf, receipt, startKeyedNode as start } from './keyed-node.ts';

describe('a node', () => {
  it('answers the same request again with the stored result, and prints once', async () => {
    const { post, printer } = await start();
    const first = await post('/print', receipt('1'), 'sale 1');
    const again = await post('/print', receipt('1'), 'sale 1');
    expect(first).toMatchObject({ status: 200, body: { ok: true, outcome: 'accepted' }, replayed: null });
    expect(again).toEqual({ ...first, replayed: 'true' });
    expect(copies(printer)).toBe(1);
  });

  it('answers raw bytes and a kick of the drawer again with the stored result, too', async () => {
    const { post, printer } = await start();
    const raw = { type: 'raw', id: 'r', endpoint: 'receipt', data: Buffer.from('Coffee\n').toString('base64') };
    const kick = { type: 'drawer_kick', id: 'k', endpoint: 'receipt' };
    for (const replayed of [null, 'true']) {
      expect(await post('/raw', raw, 'a')).toMatchObject({ status: 200, replayed });
      expect(await post('/drawer/kick', kick, 'b')).toMatchObject({ status: 200, replayed });
    }
    expect(copies(printer)).toBe(1);
  });

  it('takes the same value for the same request, in whatever order its members are written', async () => {
    const { post, printer } = await start();
    const first = await post('/print', receipt('1'), 'sale');
    const turned = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(turned)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .map(([name, member]) => [name, turned(member)])
                .reverse(),
            )
          : value;
    const other = turned(receipt('1')) as object;
    expect(JSON.stringify(other)).not.toBe(JSON.stringify(receipt('1')));
    expect(await post('/print', other, 'sale')).toEqual({ ...first, replayed: 'true' });
    expect(copies(printer)).toBe(1);
    // The order of lines is part of what is asked for.
    const { lines, ...rest } = receipt('1') as { lines: object[] };
    expect(await post('/print', { ...rest, lines: [{ type: 'cut' }, ...lines] }, 'sale')).toMatchObject({
      status: 422,
    });
  });

  it('remembers keys over a restart', async () => {
    const { post, stop, storage } = await start();
    const first = await post('/print', receipt('1'), 'sale');
    await stop();
    const second = await start(storage);
    expect(await second.post('/print', receipt('1'), 'sale')).toEqual({ ...first, replayed: 'true' });
    expect(copies(second.printer)).toBe(0);
  });

  it('refuses a key of another request: another body, another route', async () => {
    const { post, printer } = await start();
    await post('/print', receipt('1'), 'sale');
    const mismatch = { status: 422, body: { error: 'idempotency_mismatch' } };
    expect(await post('/print', receipt('2'), 'sale')).toMatchObject(mismatch);
    expect(await post('/drawer/kick', { type: 'drawer_kick', id: '1', endpoint: 'receipt' }, 'sale')).toMatchObject(
      mismatch,
    );
    expect(copies(printer)).toBe(1);
  });

  it.each([
    ['one letter', 'x', 'y'],
    ['the half of a letter that has no other half', '\ud83d', '\ud83e'],
  ])('refuses a key of another request whose long text differs in %s', async (_, one, other) => {
    const { post, printer } = await start();
    const long = (last: string) => ({
      ...receipt('1'),
      lines: [
        { type: 'text', value: 'Coffee'.repeat(1000) + last },
        { type: 'text', value: 'Total' },
      ],
    });
    const first = await post('/print', long(one), 'sale');
    expect(first).toMatchObject({ status: 200 });
    expect(await post('/print', long(other), 'sale')).toMatchObject({ status: 422 });
    expect(await post('/print', long(one), 'sale')).toEqual({ ...first, replayed: 'true' });
    expect(copies(printer, 'Total')).toBe(1);
  });

  it('refuses a key that is under way, also fifty times, and prints once', async () => {
    const { post, printer } = await start();
    printer.set({ nak: true });
    const first = post('/print', receipt('1'), 'sale');
    const others = Array.from({ length: 49 }, () => post('/print', receipt('1'), 'sale'));
    const answers = await Promise.all(others).finally(() => printer.set({ nak: false }));
    const inUse = { status: 409, body: { error: 'key_in_use' } };
    for (const answer of answers) expect(answer).toMatchObject(inUse);
    expect(await first).toMatchObject({ status: 200 });
    expect(copies(printer)).toBe(1);
  });

  it.each([
    ['is longer than 64 characters', 'k'.repeat(65)],
    ['is empty', ''],
    ['is not ASCII', 'schl\u00fcssel'],
  ])('refuses a key that %s, and prints nothing', async (_, key) => {
    const { post, printer } = await start();
    expect(await post('/print', receipt('1'), key)).toMatchObject({ status: 422, body: { error: 'invalid_command' } });
    expect(copies(printer)).toBe(0);
  });

  it('lets a request that printed nothing be sent again with its key', async () => {
    const { post, bench, printer } = await start();
    bench.usb.unplug(printer);
    await until(async () => (await post('/print', receipt('1'), 'sale')).body['error'] === 'no_printer');
    bench.usb.plug(printer);
    await until(async () => (await post('/print', receipt('1'), 'sale')).status === 200);
    expect(await post('/print', receipt('1'), 'sale')).toMatchObject({ replayed: 'true' });
  });

  it('says of a request that began and never ended that it may have printed, and when', async () => {
    const { post, stop, storage } = await start();
    await post('/print', receipt('1'), 'sale');
    await stop();
    const [began = '', left = ''] = await linesOf(storage);
    await storage.write(FILE, Buffer.from(`\n${began}\n\n${left}\n`));
    const second = await start(storage);
    const { at } = JSON.parse(began) as { at: number };
    for (let n = 0; n < 2; n += 1) {
      const answer = await second.post('/print', receipt('1'), 'sale');
      expect(answer).toMatchObject({ status: 409, body: { ok: false, error: 'write_failed' } });
      expect(answer.body['detail']).toContain(new Date(at).toISOString());
    }
    expect(copies(second.printer)).toBe(0);
  });

  it('knows that nothing had left of a request, where the node was killed before and the machine ran on', async () => {
    const { post, stop, storage } = await start();
    await post('/print', receipt('1'), 'sale');
    await stop();
    const [began = ''] = await linesOf(storage);
    const killed = async (machineRun: string) => {
      const disk = new VirtualStorage();
      await disk.write(FILE, Buffer.from(`\n${began}\n`));
      disk.machineRun = machineRun;
      return disk;
    };
    const disk = await killed('virtual');
    const second = await start(disk);
    expect(second.kernel.status()['jobs']).toMatchObject({ uncertain: 0 });
    await second.stop();
    // Also behind a power cut, that is known from now on.
    disk.machineRun = 'the next one';
    const third = await start(disk);
    expect(third.kernel.status()['jobs']).toMatchObject({ uncertain: 0 });
    expect(await third.post('/print', receipt('1'), 'sale')).toMatchObject({ status: 200, replayed: null });
    expect(copies(third.printer)).toBe(1);
    // What the disk did not have when the power was cut had left, perhaps.
    const cut = await start(await killed('the next one'));
    expect(cut.kernel.status()['jobs']).toMatchObject({ uncertain: 1 });
    expect(await cut.post('/print', receipt('1'), 'sale')).toMatchObject({ status: 409 });
  });

  it('says before the first byte leaves that it is about to, and sends none where the disk takes that not', async () => {
    const { post, printer, storage } = await start();
    const refused = vi.spyOn(storage, 'note').mockRejectedValueOnce(new Error('no space'));
    expect(await post('/print', receipt('1'), 'sale')).toMatchObject({
      status: 500,
      body: { error: 'persist_failed' },
    });
    expect(copies(printer)).toBe(0);
    refused.mockImplementationOnce(async (...line) => {
      expect(copies(printer)).toBe(0);
      await storage.append(...line);
    });
    expect(await post('/print', receipt('1'), 'sale')).toMatchObject({ status: 200 });
    expect(copies(printer)).toBe(1);
  });

  it('never prints again what began, at whichever byte the file was cut off, and takes what follows', async () => {
    const { post, stop, storage } = await start();
    await post('/print', receipt('1'), 'sale');
    await stop();
    const whole = (await storage.read(FILE)) ?? new Uint8Array();
    const beginning = Buffer.from(whole).indexOf('}\n', Buffer.from(whole).indexOf('"sale"'));
    const cuts = Array.from({ length: 12 }, (_, n) =>
      Math.min(whole.length, beginning + 1 + Math.ceil((n * (whole.length - beginning)) / 11)),
    );
    for (const cut of cuts) {
      const torn = new VirtualStorage();
      torn.machineRun = 'the next one';
      await torn.write(FILE, whole.slice(0, cut));
      const second = await start(torn);
      const answer = await second.post('/print', receipt('1'), 'sale');
      expect([200, 409]).toContain(answer.status);
      expect(answer.status === 409 || answer.replayed === 'true', `cut at ${cut}`).toBe(true);
      expect(await second.post('/print', receipt('2', 'Tea'), 'next')).toMatchObject({ status: 200 });
      await second.stop();
      const third = await start(torn);
      expect(await third.post('/print', receipt('2', 'Tea'), 'next')).toMatchObject({ replayed: 'true' });
      expect(copies(second.printer) + copies(third.printer)).toBe(0);
      await third.stop();
    }
  });

  it('has a key on the disk before the first byte leaves: a full disk prints nothing with a key, and prints without one', async () => {
    const { post, printer, storage } = await start();
    storage.failure = (operation) =>
      operation === 'write' ? Object.assign(new Error('no space'), { code: 'ENOSPC' }) : undefined;
    expect(await post('/print', receipt('1'), 'sale')).toMatchObject({
      status: 500,
      body: { error: 'persist_failed' },
    });
    expect(await post('/drawer/kick', { type: 'drawer_kick', id: '1', endpoint: 'receipt' }, 'k')).toMatchObject({
      status: 500,
    });
    expect(copies(printer)).toBe(0);
    expect(await post('/print', receipt('1', 'Tea'))).toMatchObject({ status: 200 });
    storage.failure = undefined;
    expect(await post('/print', receipt('1'), 'sale')).toMatchObject({ status: 200, replayed: null });
    expect([copies(printer, 'Tea'), copies(printer)]).toEqual([1, 1]);
  });

  it('writes nothing of a request without a key', async () => {
    const { post, storage } = await start();
    await post('/print', receipt('1'));
    expect(await storage.read(FILE)).toBeUndefined();
  });

  it('keeps the last 1,000 keys, in a file that stays below 1 MiB', { timeout: 120_000 }, async () => {
    const { post, storage, stop } = await start();
    const kick = (n: number) => post('/drawer/kick', { type: 'drawer_kick', id: `${n}`, endpoint: 'receipt' }, `k${n}`);
    for (let n = 0; n < 1010; n += 1) expect((await kick(n)).status).toBe(200);
    expect((await kick(10)).replayed).toBe('true');
    expect(((await storage.read(FILE)) ?? []).length).toBeLessThan(1024 * 1024);
    await stop();
    const second = await start(storage);
    const again = (n: number) =>
      second.post('/drawer/kick', { type: 'drawer_kick', id: `${n}`, endpoint: 'receipt' }, `k${n}`);
    expect((await again(1009)).replayed).toBe('true');
    expect((await again(0)).replayed).toBeNull();
  });
});
