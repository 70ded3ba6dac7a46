/** What one job writes, what it says of itself meanwhile, and what may stand between its commands. */
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

describe('a drawer kick', () => {
  it('waits for the first place between two commands of a receipt of the API, and for no second', async () => {
    const one = await cable.begun('print');
    const image = Buffer.concat([HEADER, Buffer.alloc(64)]);
    const { bytes: reach } = cable.outlet.reach;
    const receipt = Buffer.concat([lines(reach - HEADER.length - LINE.length), image, lines(2 * CHUNK)]);
    cable.shut();
    const written = one.write(Uint8Array.from(receipt));
    const kick = cable.outlet.kick(PULSE, IDLE_MS);
    await settled();
    expect(cable.sent()).toBe('');
    cable.open();
    await Promise.all([written, kick]);
    const all = Buffer.concat(cable.transfers);
    const at = all.indexOf(PULSE);
    expect(all).toHaveLength(receipt.length + PULSE.length);
    expect([at > reach, at < reach + 1024]).toEqual([true, true]);
    await one.end();
    expect(cable.printer.pulses).toHaveLength(1);
  });

  it.each([1, 4, 24, 100].flatMap((rows) => (['port9100', 'print'] as const).map((kind) => [rows, kind] as const)))(
    'waits for no more than 4 KiB and a picture where pictures of %d rows follow one another (%s)',
    async (rows, kind) => {
      const picture = Buffer.concat([bytes('1d7630004800'), Uint8Array.of(rows, 0), Buffer.alloc(72 * rows)]);
      const one = await cable.begun(kind);
      cable.shut();
      const written = one.write(Buffer.concat(Array.from({ length: 400 }, () => picture)));
      const kick = cable.outlet.kick(PULSE, IDLE_MS);
      await settled();
      cable.open();
      await Promise.all([written, kick]);
      await one.end();
      expect(Buffer.concat(cable.transfers).indexOf(PULSE)).toBeLessThanOrEqual(2 * (4096 + picture.length));
      expect(cable.printer.pulses).toHaveLength(1);
    },
  );

  it('goes out at once between two parts of a print, while the next one is to come', async () => {
    const one = await cable.begun('print', LINE);
    await cable.outlet.kick(PULSE, IDLE_MS);
    expect([cable.printer.pulses.length, one.hasTurn]).toEqual([1, true]);
    await one.end();
  });

  it.each([
    ['Cyrillic', 0x80],
    ['GB 2312', 0xb0],
  ])('waits for 4 KiB and a line of a text without commands (%s)', async (_, least) => {
    const line = Buffer.from([...Array.from({ length: 41 }, (_each, at) => least + (at % 40)), 0x0a]);
    const one = await cable.begun('port9100');
    cable.shut();
    const written = one.write(Buffer.concat(Array.from({ length: 2000 }, () => line)));
    const kick = cable.outlet.kick(PULSE, IDLE_MS);
    await settled();
    cable.open();
    await Promise.all([written, kick]);
    await one.end();
    expect(Buffer.concat(cable.transfers).indexOf(PULSE)).toBeLessThanOrEqual(2 * (CHUNK + 300));
  });

  it('goes out at once between two commands of a client, behind what an unknown one may lack', async () => {
    const one = await cable.begun('port9100', Buffer.concat([LINE, bytes('1b99')]));
    cable.transfers.length = 0;
    await cable.outlet.kick(PULSE, IDLE_MS);
    await one.write(Uint8Array.from(LINE));
    expect(cable.sent()).toMatch(new RegExp(`^(00)+${PULSE.toString('hex')}${LINE.toString('hex')}$`));
    await one.end();
  });

  it('does not come between the bytes of a character that come one right behind the other', async () => {
    const character = Buffer.from([0xd6, 0xd0]);
    const one = await cable.begun('port9100', character.subarray(0, 1));
    const kick = cable.outlet.kick(PULSE, IDLE_MS);
    await settled();
    await one.write(Uint8Array.from(character.subarray(1)));
    await one.write(Uint8Array.from(LINE));
    await kick;
    await one.end();
    expect(Buffer.concat(cable.transfers).indexOf(character)).toBe(0);
    expect(cable.printer.pulses).toHaveLength(1);
  });

  it('is not shut out by a drip of bytes that may each begin a character', async () => {
    const one = await cable.begun('port9100', Buffer.from([0x81]));
    let gone = false;
    const kick = cable.outlet.kick(PULSE, IDLE_MS).then(() => {
      gone = true;
    });
    while (!gone) {
      await one.write(Uint8Array.of(0x81));
      // So quick is the drip; the kick ends it.
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await kick;
    expect(cable.printer.pulses).toHaveLength(1);
    await one.end();
  });

  it('goes out at a place within what a client sends at once, also where each of these ends inside a command', async () => {
    const strip = Buffer.concat([HEADER, Buffer.alloc(64, 0x55)]);
    const begun = strip.subarray(0, 40);
    const one = await cable.begun('port9100', Buffer.from(begun));
    const kick = cable.outlet.kick(PULSE, IDLE_MS);
    await one.write(Buffer.concat([strip.subarray(40), strip, strip, begun]));
    expect(cable.printer.pulses).toHaveLength(1);
    await kick;
    const sent = Buffer.concat([strip, PULSE, strip, strip, begun]).toString('hex');
    expect(cable.sent()).toBe(sent);
    await one.end();
  });

  it.each([
    [62, '4000'],
    [1, '0300'],
  ])('does not go into a picture that ends with its job in an open macro, %d bytes too early', async (_, rows) => {
    const one = await cable.begun('port9100', bytes(`1d3a 1d763000 0100 ${rows} ffff`));
    cable.shut();
    const ended = one.end(true);
    await settled();
    const kick = cable.outlet.kick(PULSE, IDLE_MS);
    await settled();
    cable.open();
    await Promise.all([ended, kick]);
    expect(cable.printer.pulses).toHaveLength(1);
  });

  it.each([
    ['within what the client sent next', 0],
    ['once no other byte had come', 75],
  ])('that went out %s has another one wait anew for the other byte of a character', async (_, ms) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const character = Buffer.from([0xd6, 0xd0]);
    const [lead, trail] = [character.subarray(0, 1), character.subarray(1)];
    const one = await cable.begun('port9100', lead);
    const first = cable.outlet.kick(PULSE, IDLE_MS);
    await vi.advanceTimersByTimeAsync(ms);
    await one.write(Buffer.concat([trail, LINE, lead]));
    await first;
    await vi.advanceTimersByTimeAsync(1000);
    cable.transfers.length = 0;
    const second = cable.outlet.kick(PULSE, IDLE_MS);
    await settled();
    expect(cable.printer.pulses).toHaveLength(1);
    await one.write(Buffer.concat([trail, LINE]));
    await second;
    expect(cable.sent()).toBe(Buffer.concat([trail, LINE, PULSE]).toString('hex'));
    await one.end();
  });

  it('selects the printer that a client has off the line, and takes it off again behind', async () => {
    const one = await cable.begun('port9100', Buffer.concat([LINE, OFF_LINE]));
    cable.transfers.length = 0;
    await cable.outlet.kick(PULSE, IDLE_MS);
    await one.write(Buffer.from('for a display'));
    const between = Buffer.concat([ON_LINE, PULSE, OFF_LINE]).toString('hex');
    expect(cable.sent()).toBe(between + Buffer.from('for a display').toString('hex'));
    expect(cable.printer.pulses).toHaveLength(1);
    await one.end();
  });

  it('waits for the end of a payload, while it is written and while it is not', async () => {
    const one = await cable.begun('port9100', HEADER);
    const kick = cable.outlet.kick(PULSE, IDLE_MS);
    await settled();
    expect(cable.printer.pulses).toHaveLength(0);
    await one.write(Buffer.alloc(64));
    await kick;
    expect(cable.sent()).toBe(Buffer.concat([HEADER, Buffer.alloc(64), PULSE]).toString('hex'));
    await one.end();
  });

  it('stands between two commands of what is read ahead, where the printer has come to', async () => {
    cable.shut();
    const one = await cable.begun('port9100');
    const written = one.write(Uint8Array.from(LINE));
    one.readAhead(Uint8Array.from(HEADER));
    one.readAhead(Buffer.alloc(64));
    const kick = cable.outlet.kick(PULSE, IDLE_MS);
    await settled();
    cable.open();
    await Promise.all([written, kick]);
    const image = Buffer.concat([HEADER, Buffer.alloc(64)]);
    expect(cable.sent()).toBe(Buffer.concat([LINE, PULSE, image]).toString('hex'));
    await one.end();
  });
});

describe('what is read ahead', () => {
  it('is answered at once and written in its order; a job of the API reads none', async () => {
    const asked: number[] = [];
    cable.shut();
    const one = await cable.begun('port9100', undefined, { status: (n) => asked.push(n) });
    const written = one.write(Uint8Array.from(LINE));
    one.readAhead(Buffer.concat([Buffer.from('ahead'), bytes('100402'), Buffer.from(' of it\n')]));
    await settled();
    expect([asked, cable.sent()]).toEqual([[2], '']);
    cable.open();
    await written;
    expect(Buffer.concat(cable.transfers).toString()).toBe(`${LINE}ahead of it\n`);
    await one.end();
    const receipt = await cable.begun('print');
    receipt.readAhead(Buffer.from('nothing'));
    await receipt.end();
    expect(cable.sent()).not.toContain(Buffer.from('nothing').toString('hex'));
  });
});

describe('a job that others wait for', () => {
  const TURN_MS = 10_000;
  const NOTHING_PRINTED_MS = 2000;
  /** No other job could print before these bytes have left. */
  const WRITING_MS = 15_000;
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));

  it('is told to give way once it has kept them waiting, and not before somebody waits', async () => {
    const giveWay = vi.fn();
    const one = await cable.begun('port9100', LINE, { giveWay });
    await vi.advanceTimersByTimeAsync(TURN_MS);
    expect([giveWay.mock.calls.length, one.isOverdue]).toEqual([0, false]);
    const next = cable.job('print');
    const served = next.begin();
    await vi.advanceTimersByTimeAsync(TURN_MS - 1);
    expect([giveWay.mock.calls.length, one.isOverdue]).toEqual([0, false]);
    await vi.advanceTimersByTimeAsync(1);
    expect([giveWay.mock.calls.length, one.isOverdue]).toEqual([1, true]);
    await one.yield();
    await served;
    expect([one.hasTurn, next.hasTurn, vi.getTimerCount()]).toEqual([false, true, 0]);
    await next.end();
    await one.begin();
    expect(one.isOverdue).toBe(false);
    await one.end();
  });

  it('is left its time while it prints, and not while what it sends prints nothing', async () => {
    const giveWay = vi.fn();
    const one = await cable.begun('port9100', LINE, { giveWay });
    void cable.job('print').begin();
    cable.shut();
    const printing = one.write(Uint8Array.from(LINE));
    await vi.advanceTimersByTimeAsync(2 * TURN_MS);
    expect(giveWay).not.toHaveBeenCalled();
    cable.open();
    await printing;
    cable.shut();
    const blank = one.write(Buffer.alloc(3));
    await vi.advanceTimersByTimeAsync(WRITING_MS);
    expect(giveWay).toHaveBeenCalledOnce();
    cable.open();
    await blank;
    one.leave();
  });

  it('is told from where it has printed on, and from when it has the turn', async () => {
    const giveWay = vi.fn();
    const one = await cable.begun('port9100', LINE, { giveWay });
    const [second, third] = [cable.job('port9100', { giveWay }), cable.job('port9100')];
    const served = second.begin();
    const last = third.begin();
    cable.shut();
    const printing = one.write(Uint8Array.from(LINE));
    await vi.advanceTimersByTimeAsync(TURN_MS);
    cable.open();
    await printing;
    await vi.advanceTimersByTimeAsync(TURN_MS);
    expect(giveWay).toHaveBeenCalledOnce();
    one.leave();
    await served;
    await vi.advanceTimersByTimeAsync(NOTHING_PRINTED_MS);
    expect(giveWay).toHaveBeenCalledTimes(2);
    second.leave();
    await last;
    expect(vi.getTimerCount()).toBe(0);
    // Another turn is another receipt.
    const again = one.begin();
    third.leave();
    await again;
    void cable.job('print').begin();
    await vi.advanceTimersByTimeAsync(NOTHING_PRINTED_MS);
    expect([giveWay.mock.calls.length, one.isOverdue]).toEqual([3, true]);
    one.leave();
  });

  it('is told nothing more once it has left', async () => {
    const giveWay = vi.fn();
    const one = await cable.begun('port9100', LINE, { giveWay });
    const next = cable.job('print');
    const served = next.begin();
    one.leave();
    await served;
    expect(vi.getTimerCount()).toBe(0);
    await next.end();
  });

  it('is no receipt of the API, which takes no time of its own between its stretches', async () => {
    const one = await cable.begun('print', lines(3 * CHUNK));
    expect([cable.transfers.length > 1, vi.getTimerCount()]).toEqual([true, 0]);
    await one.end();
  });

  it('is a print whose document does not come, and is told so after 15 s in which it wrote nothing', async () => {
    const told = vi.fn();
    const one = cable.job('print');
    one.comesSlowly(told);
    await one.begin();
    void cable.job('port9100').begin();
    for (let part = 0; part < 5; part += 1) {
      await one.write(Uint8Array.from(LINE));
      await vi.advanceTimersByTimeAsync(WRITING_MS / 5 - 1);
    }
    expect(told).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(5);
    expect(told).toHaveBeenCalledOnce();
    one.leave();
  });

  it.each([
    ['lines that are fed by nothing', '1b4a00 1b6400'],
    ['line ends of no line', '0d0d0d'],
    ['characters that are defined', `1b26034141 0c ${'00'.repeat(36)}`],
    ['a small picture that is stored', `1d2a0404 ${'00'.repeat(128)}`],
  ])('is left no time by %s', async (_, hex) => {
    const giveWay = vi.fn();
    const one = await cable.begun('port9100', LINE, { giveWay });
    void cable.job('print').begin();
    cable.shut();
    const nothing = one.write(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
    await vi.advanceTimersByTimeAsync(WRITING_MS);
    expect(giveWay).toHaveBeenCalled();
    cable.open();
    await nothing;
    one.leave();
  });

  it('counts for those alone who still wait', async () => {
    const giveWay = vi.fn();
    const one = await cable.begun('port9100', LINE, { giveWay });
    const refused = failure(cable.job('print').begin(1000));
    await vi.advanceTimersByTimeAsync(1000);
    expect(await refused).toMatchObject({ fault: 'busy' });
    await vi.advanceTimersByTimeAsync(2 * TURN_MS);
    expect([giveWay.mock.calls.length, vi.getTimerCount()]).toEqual([0, 0]);
    one.leave();
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

  it('in its end leaves missing what was not sent, and what the picture lacks that it ended in', async () => {
    const one = await cable.begun('port9100', Buffer.concat([bytes('1d3a'), HEADER, Buffer.alloc(4)]));
    // So many NULs stand before the first command behind a GS :.
    cable.failAfter(AFTER_REALTIME.length + HEADER.length + 1);
    expect(await failure(one.end())).toBeInstanceOf(WriteFailed);
    expect(cable.outlet.missing).toBe(63);
  });

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

  it('does not come between the bytes of a character, and waits no longer for the other one than a segment takes', async () => {
    const one = await cable.begun('port9100', Buffer.from([0xd6]));
    const asked = cable.outlet.poll(REQUEST, () => {});
    await settled();
    await one.write(Buffer.concat([Uint8Array.of(0xd0), LINE]));
    await asked;
    expect(cable.sent()).toBe(Buffer.concat([Uint8Array.of(0xd6, 0xd0), LINE, REQUEST]).toString('hex'));
    await one.write(Uint8Array.of(0xd6));
    await cable.outlet.poll(REQUEST, () => {});
    expect(cable.sent().endsWith('d6100401')).toBe(true);
    await one.end();
  });
});
