/** What one job writes, what it says of itself meanwhile, and how it ends. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RECOVERY } from '../../../../codecs/escpos.ts';
import { AFTER_REALTIME } from '../../../../codecs/escpos-open-ends.ts';
import { WriteFailed } from '../../../../plugins/printer/jobs/write-failed.ts';
import {
  bytes,
  type Cable,
  CHUNK,
  HEADER,
  IDLE_MS,
  LINE,
  lines,
  OFF_LINE,
  ON_LINE,
  PULSE,
  settled,
  startCable,
} from './cable.ts';

const CUT = bytes('1d5600');
const REQUEST = bytes('100401');

let cable: Cable;
beforeEach(async () => {
  cable = await startCable();
});
afterEach(() => void vi.useRealTimers());
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error,
  );

describe('a job that has not begun', () => {
  it.each(['print', 'raw', 'port9100'] as const)('(%s) has done nothing, and its end is nothing', async (kind) => {
    const one = cable.job(kind);
    expect([one.hasTurn, one.written, one.cuts, one.lacking, one.isOverdue]).toEqual([false, 0, 0, 0, false]);
    expect([one.atBoundary, one.mayYield]).toEqual([true, true]);
    await one.end();
    one.abandon();
    expect([cable.sent(), cable.outlet.missing, cable.outlet.holder]).toEqual(['', 0, undefined]);
  });

  it('says which way it came, and from where', () => {
    expect(cable.job('print', {}, 'till').source).toEqual({ by: 'api', from: 'till' });
    expect(cable.job('port9100', {}, 'spooler').source).toEqual({ by: 'port9100', from: 'spooler' });
  });

  it('is refused where the printer is not free in its time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const holder = await cable.begun('print');
    const late = cable.job('print');
    const refused = failure(late.begin(500));
    vi.advanceTimersByTime(500);
    expect(await refused).toMatchObject({ fault: 'busy', written: 0 });
    expect([late.hasTurn, holder.hasTurn]).toEqual([false, true]);
  });
});

describe('what a job says of itself', () => {
  it.each(['print', 'raw', 'port9100'] as const)(
    '(%s) is the bytes that the printer took, of the write under way and of no other job',
    async (kind) => {
      const before = await cable.begun('port9100', LINE);
      await before.end();
      const long = lines(3 * CHUNK);
      const one = await cable.begun(kind);
      cable.shut();
      const done = one.write(Uint8Array.from(long));
      await settled();
      expect(one.written).toBe(0);
      cable.open();
      cable.shut();
      await vi.waitFor(() => expect(one.written).toBeGreaterThanOrEqual(cable.outlet.reach.bytes));
      expect(one.written).toBeLessThan(long.length);
      expect(before.written).toBe(LINE.length);
      cable.open();
      await done;
      if (kind !== 'raw') expect(one.written).toBe(long.length);
      await one.end();
    },
  );

  it.each(['port9100', 'raw'] as const)('(%s) is how often it cuts the paper', async (kind) => {
    const one = await cable.begun(kind, Buffer.concat([LINE, CUT, LINE, CUT]));
    expect(one.cuts).toBe(2);
    await one.end();
  });

  it('is what its last command lacks, and that nothing may stand inside of it', async () => {
    const one = await cable.begun('port9100', Buffer.concat([LINE, HEADER, Buffer.alloc(4)]));
    expect([one.lacking, one.atBoundary, one.mayYield, one.pause()]).toEqual([60, false, false, undefined]);
    await one.write(Buffer.alloc(60));
    expect([one.lacking, one.atBoundary, one.mayYield]).toEqual([0, true, true]);
    expect(one.pause()).toEqual({ before: Buffer.alloc(0), after: new Uint8Array(0), setup: false });
    await one.end();
  });

  it('is that no other job could print while the printer is off the line for it', async () => {
    const one = await cable.begun('port9100', Buffer.concat([LINE, OFF_LINE]));
    expect([one.atBoundary, one.mayYield]).toEqual([true, false]);
    await one.end();
  });
});

describe('the end of a job', () => {
  it.each([
    ['in order has its last line printed', true, '610a'],
    ['that is cut off has not', false, '61'],
  ])('%s', async (_, inOrder, left) => {
    const one = await cable.begun('port9100', Buffer.from('a'));
    await one.end(inOrder);
    expect([cable.sent(), one.hasTurn, cable.outlet.holder]).toEqual([left, false, undefined]);
  });

  it('inside a payload completes it, and resets the printer', async () => {
    const one = await cable.begun('port9100', HEADER);
    cable.transfers.length = 0;
    await one.end();
    expect(cable.sent()).toMatch(new RegExp(`^(00){64,}${Buffer.from(RECOVERY).toString('hex')}$`));
    expect(cable.outlet.missing).toBe(0);
  });

  it.each([
    ['print', Buffer.concat([OFF_LINE, ON_LINE]).toString('hex')],
    ['port9100', Buffer.concat([OFF_LINE, ON_LINE]).toString('hex')],
    ['raw', OFF_LINE.toString('hex')],
  ] as const)('(%s) leaves the printer selected, but for raw commands', async (kind, left) => {
    const one = await cable.begun(kind, OFF_LINE);
    await one.end();
    expect(cable.sent()).toBe(left);
  });

  it('of a receipt of the API leaves an empty line and the standard mode', async () => {
    Object.assign(cable.outlet.mode, { textPending: true, pageMode: true });
    const one = await cable.begun('print', LINE);
    await one.end();
    expect(cable.outlet.mode).toMatchObject({ textPending: false, pageMode: false });
  });

  it('of raw commands leaves the modes as they are, which the next ones go on in', async () => {
    Object.assign(cable.outlet.mode, { textPending: true, pageMode: true });
    const one = await cable.begun('raw', LINE);
    await one.end();
    expect(cable.outlet.mode).toMatchObject({ pageMode: true });
  });

  describe('that asked something of the printer', () => {
    const ASKED = bytes('1d4901');
    const ANSWER_MS = 200;
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
    /** The milliseconds for which it holds the printer beyond its last byte. */
    const heldMs = async (one: { readonly hasTurn: boolean }, ended: Promise<void>) => {
      let ms = 0;
      for (await settled(); one.hasTurn && ms < 1000; ms += 100) await vi.advanceTimersByTimeAsync(100);
      await ended;
      return ms;
    };

    it.each([
      ['in order waits for the answer', 'port9100', true, ANSWER_MS],
      ['and is cut off waits for none, as nobody is there to get it', 'port9100', false, 0],
      ['by a raw command waits for none', 'raw', true, 0],
    ] as const)('%s', async (_, kind, inOrder, ms) => {
      const one = await cable.begun(kind, ASKED);
      expect(await heldMs(one, one.end(inOrder))).toBe(ms);
    });

    it('and lets others in waits for the answer, too', async () => {
      const one = await cable.begun('port9100', ASKED);
      expect(await heldMs(one, one.yield())).toBe(ANSWER_MS);
    });

    it('in order lets a kick out while it waits', async () => {
      const one = await cable.begun('port9100', ASKED);
      const ended = one.end();
      await settled();
      await cable.outlet.kick(PULSE, IDLE_MS);
      expect([one.hasTurn, cable.printer.pulses.length]).toEqual([true, 1]);
      await heldMs(one, ended);
    });

    it('in order waits no longer where the printer goes', async () => {
      const one = await cable.begun('port9100', ASKED);
      const ended = one.end();
      await settled();
      expect(one.hasTurn).toBe(true);
      cable.outlet.close();
      expect(await heldMs(one, ended)).toBe(0);
    });

    it.each(['port9100', 'raw'] as const)('(%s) leaves an answer that comes late to nobody behind it', async (kind) => {
      const one = await cable.begun(kind, ASKED);
      await heldMs(one, one.end());
      const next = await cable.begun('port9100', LINE);
      expect([cable.outlet.answers.take('byte'), cable.outlet.answers.take('byte')]).toEqual([false, true]);
      await next.end();
    });
  });

  it('gives no reply any more to whom it was for', async () => {
    const one = await cable.begun('port9100', LINE);
    one.onReply = () => {};
    await one.end();
    expect(one.onReply).toBeUndefined();
  });

  it('that is a yield leaves its unknown command complete, its line printed, and the printer to others', async () => {
    const one = await cable.begun('port9100', Buffer.concat([LINE, bytes('1b99')]));
    cable.transfers.length = 0;
    await one.yield();
    expect([cable.sent().replace(/^(00)+/, ''), cable.outlet.holder]).toEqual(['0a', undefined]);
  });
});

describe('a write that fails', () => {
  it.each(['print', 'port9100', 'raw'] as const)('(%s) says what the printer took, and ends the job', async (kind) => {
    const long = lines(2 * CHUNK);
    const one = await cable.begun(kind);
    cable.failAfter(CHUNK + 1000);
    const error = await failure(one.write(Uint8Array.from(long)));
    expect(error).toBeInstanceOf(WriteFailed);
    expect(Buffer.concat(cable.transfers)).toHaveLength(CHUNK + 1000);
    if (kind !== 'port9100') expect(error).toMatchObject({ fault: 'timeout', written: CHUNK + 1000 });
    else expect(one.written).toBe(CHUNK + 1000);
    expect([one.hasTurn, cable.outlet.holder, cable.outlet.missing > 0]).toEqual([false, undefined, true]);
  });

  it.each(['end', 'yield'] as const)('ends it in its %s, too', async (last) => {
    const one = await cable.begun('port9100', Buffer.from('a'));
    cable.failAfter(0);
    expect(await failure(one[last]())).toBeInstanceOf(WriteFailed);
    expect([one.hasTurn, cable.outlet.holder]).toEqual([false, undefined]);
  });

  it.each([4, 63])(
    'in its end leaves missing what was not sent, and what the picture lacks that it ended in, of which %i bytes came',
    async (came) => {
      const one = await cable.begun('port9100', Buffer.concat([bytes('1d3a'), HEADER, Buffer.alloc(came)]));
      // So many NULs stand before the first command behind a GS :.
      cable.failAfter(AFTER_REALTIME.length + HEADER.length + 1);
      expect(await failure(one.end())).toBeInstanceOf(WriteFailed);
      expect(cable.outlet.missing).toBe(63);
    },
  );

  it('of what completes a picture leaves missing exactly what the picture lacks', async () => {
    const one = await cable.begun('port9100', HEADER);
    cable.failAfter(0);
    expect(await failure(one.end())).toBeInstanceOf(WriteFailed);
    expect([one.hasTurn, cable.outlet.missing]).toEqual([false, 64]);
  });
});

describe('a macro', () => {
  const MACRO = bytes('1d3a 410a 1d3a');
  const RUN = bytes('1d5e 01 00 00');

  it('of the job runs, and nobody knows what the printer read last behind it', async () => {
    const one = await cable.begun('port9100', Buffer.concat([MACRO, RUN, Buffer.from('p')]));
    expect(cable.sent()).toBe(Buffer.concat([MACRO, RUN, bytes('00')]).toString('hex'));
    await one.end();
  });

  it('does not run where a kick has come between', async () => {
    const dropped: string[] = [];
    const one = await cable.begun('port9100', MACRO, { dropped: (what) => dropped.push(what) });
    await cable.outlet.kick(PULSE, IDLE_MS);
    await one.write(Uint8Array.from(RUN));
    expect([dropped, cable.sent().includes(RUN.toString('hex'))]).toEqual([['pulse'], false]);
    await one.end();
  });
});

describe('a status request of the node', () => {
  it('does not wait for the end of a receipt, but for a place between two commands of it', async () => {
    const receipt = lines(20 * CHUNK);
    const one = await cable.begun('print');
    cable.shut();
    const written = one.write(Uint8Array.from(receipt));
    const asked = cable.outlet.poll(REQUEST, () => {});
    await settled();
    cable.open();
    await Promise.all([written, asked]);
    const at = Buffer.concat(cable.transfers).indexOf(REQUEST);
    expect([at > 0, at < receipt.length, at % LINE.length]).toEqual([true, true, 0]);
    await one.end();
  });

  it('does not come between the bytes of a character, and does not wait for them', async () => {
    const one = await cable.begun('port9100', Buffer.from([0xd6]));
    await cable.outlet.poll(REQUEST, () => {});
    await one.write(Buffer.concat([Uint8Array.of(0xd0), LINE]));
    expect(cable.sent()).toBe(Buffer.concat([REQUEST, Uint8Array.of(0xd6, 0xd0), LINE]).toString('hex'));
    await one.end();
  });

  it('waits behind a character for its rest, where it may have any, no longer than a segment takes', async () => {
    const one = await cable.begun('port9100', Buffer.from([0xd6, 0xd0]));
    const asked = cable.outlet.poll(REQUEST, () => {});
    await settled();
    await one.write(Uint8Array.from(LINE));
    await asked;
    expect(cable.sent()).toBe(Buffer.concat([Uint8Array.of(0xd6, 0xd0), LINE, REQUEST]).toString('hex'));
    await one.write(Uint8Array.of(0xd6, 0xd0));
    await cable.outlet.poll(REQUEST, () => {});
    expect(cable.sent().endsWith('d6d0100401')).toBe(true);
    await one.end();
  });

  it('waits 75 ms behind a character that may have a rest, from when it came there, and is looked for once', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const one = await cable.begun('port9100', Buffer.from([0xd6, 0xd0]));
    const asked = cable.outlet.poll(REQUEST, () => {});
    vi.advanceTimersByTime(50);
    const kicked = cable.outlet.kick(PULSE, IDLE_MS);
    expect([one.atBoundary, cable.sent()]).toEqual([false, 'd6d0']);
    const timers = vi.getTimerCount();
    expect([one.atBoundary, vi.getTimerCount()]).toEqual([false, timers]);
    vi.advanceTimersByTime(24);
    await settled();
    expect(cable.sent()).toBe('d6d0');
    vi.advanceTimersByTime(1);
    await settled();
    expect(cable.sent()).toContain('100401');
    await Promise.all([asked, kicked]);
    await one.end();
  });
});
