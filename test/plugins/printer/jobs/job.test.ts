/** What one job writes, what it says of itself meanwhile, and what may stand between its commands. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RECOVERY } from '../../../../codecs/escpos.ts';
import { noMacros } from '../../../../codecs/escpos-macro.ts';
import { type Client, Job, type JobKind } from '../../../../plugins/printer/jobs/job.ts';
import { Outlet } from '../../../../plugins/printer/jobs/outlet.ts';
import { WriteFailed } from '../../../../plugins/printer/jobs/write-failed.ts';
import { VirtualPrinter } from '../../../../plugins/printer/virtual/device.ts';
import { type UsbDevice, UsbError } from '../../../../runtime/bindings/usb.ts';
import { plugIn } from '../on-the-bus.ts';

const FILTER = { realtimePulseDisable: false, pulseOnBel: false };
const IDLE_MS = 60_000;
const CHUNK = 4096;
const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const PULSE = bytes('1b70 00 32 fa');
const CUT = bytes('1d5600');
/** An image of 8 by 64 dots: its header, and 64 bytes. */
const HEADER = bytes('1d763000 0100 4000');
const OFF_LINE = bytes('1b3d00');
const ON_LINE = bytes('1b3d01');
const LINE = Buffer.from('a line of text\n');
/** So many bytes of whole lines, or a little more. */
const lines = (length: number) => Buffer.concat(Array.from({ length: Math.ceil(length / LINE.length) }, () => LINE));

let printer: VirtualPrinter;
let outlet: Outlet;
/** What the printer took, transfer by transfer. */
let transfers: Buffer[];
let fails: { at: number } | undefined;
/** Each transfer waits for it. */
let gate: Promise<void>;
let open: () => void;
const shut = () => {
  gate = new Promise((resolve) => {
    open = resolve;
  });
};
const sent = () => Buffer.concat(transfers).toString('hex');
/** Whatever can happen without the gate, and without time, has happened. */
const settled = async () => {
  for (let round = 0; round < 20; round += 1) await new Promise(setImmediate);
};

beforeEach(async () => {
  printer = new VirtualPrinter();
  const { device, out } = await plugIn(printer);
  [transfers, fails, gate] = [[], undefined, Promise.resolve()];
  const watched: UsbDevice = Object.assign(Object.create(device) as UsbDevice, {
    transferOut: async (...[pipe, sending, ...rest]: Parameters<UsbDevice['transferOut']>) => {
      await gate;
      const taken = fails === undefined ? sending.length : Math.min(fails.at, sending.length);
      if (fails !== undefined) fails.at -= taken;
      transfers.push(Buffer.from(sending.subarray(0, taken)));
      if (taken > 0) await device.transferOut(pipe, sending.subarray(0, taken), ...rest);
      if (taken < sending.length) throw new UsbError('timeout', taken);
    },
  });
  const pace = { chunkBytes: CHUNK, chunkDelayMs: 0, writeTimeoutMs: 1000 };
  outlet = new Outlet(watched, out, () => pace, { bytes: RECOVERY, reset: undefined }, noMacros());
  const first = job('recovery');
  await first.begin();
  await first.write(new Uint8Array(0));
  first.leave();
  printer.tearOff();
  transfers.length = 0;
});
afterEach(() => void vi.useRealTimers());

const client = (told: Partial<Client> = {}): Client => ({
  status: () => {},
  dropped: () => {},
  idleMs: IDLE_MS,
  giveWay: () => {},
  ...told,
});
const job = (kind: JobKind, told: Partial<Client> = {}, from = 'a') =>
  new Job(outlet, kind, from, kind === 'port9100' ? { options: FILTER, client: client(told) } : undefined);
/** It has the turn, and has written this. */
async function begun(kind: JobKind, first: Uint8Array = new Uint8Array(0), told: Partial<Client> = {}): Promise<Job> {
  const one = job(kind, told);
  await one.begin();
  if (first.length > 0) await one.write(Uint8Array.from(first));
  return one;
}
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error,
  );

describe('a job that has not begun', () => {
  it.each(['print', 'raw', 'port9100'] as const)('(%s) has done nothing, and its end is nothing', async (kind) => {
    const one = job(kind);
    expect(one).toMatchObject({ hasTurn: false, written: 0, cuts: 0, lacking: 0, isOverdue: false });
    expect(one).toMatchObject({ atBoundary: true, mayYield: true });
    await one.end();
    one.abandon();
    expect([sent(), outlet.missing, outlet.holder]).toEqual(['', 0, undefined]);
  });

  it('says which way it came, and from where', () => {
    expect(job('print', {}, 'till').source).toEqual({ by: 'api', from: 'till' });
    expect(job('port9100', {}, 'spooler').source).toEqual({ by: 'port9100', from: 'spooler' });
  });

  it('is refused where the printer is not free in its time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const holder = await begun('print');
    const late = job('print');
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
      const before = await begun('port9100', LINE);
      await before.end();
      const long = lines(3 * CHUNK);
      const one = await begun(kind);
      shut();
      const done = one.write(Uint8Array.from(long));
      await settled();
      expect(one.written).toBe(0);
      open();
      shut();
      await vi.waitFor(() => expect(one.written).toBeGreaterThanOrEqual(CHUNK));
      expect(one.written).toBeLessThan(long.length);
      expect(before.written).toBe(LINE.length);
      open();
      await done;
      if (kind !== 'raw') expect(one.written).toBe(long.length);
      await one.end();
    },
  );

  it.each(['port9100', 'raw'] as const)('(%s) is how often it cuts the paper', async (kind) => {
    const one = await begun(kind, Buffer.concat([LINE, CUT, LINE, CUT]));
    expect(one.cuts).toBe(2);
    await one.end();
  });

  it('is what its last command lacks, and that nothing may stand inside of it', async () => {
    const one = await begun('port9100', Buffer.concat([LINE, HEADER, Buffer.alloc(4)]));
    expect([one.lacking, one.atBoundary, one.mayYield, one.pause()]).toEqual([60, false, false, undefined]);
    await one.write(Buffer.alloc(60));
    expect([one.lacking, one.atBoundary, one.mayYield]).toEqual([0, true, true]);
    expect(one.pause()).toEqual({ before: Buffer.alloc(0), after: new Uint8Array(0), setup: false });
    await one.end();
  });

  it('is that no other job could print while the printer is off the line for it', async () => {
    const one = await begun('port9100', Buffer.concat([LINE, OFF_LINE]));
    expect([one.atBoundary, one.mayYield]).toEqual([true, false]);
    await one.end();
  });
});

describe('a drawer kick', () => {
  it('waits for the first place between two commands of a receipt of the API, and for no second', async () => {
    const one = await begun('print');
    const kick = outlet.kick(PULSE, IDLE_MS);
    await settled();
    expect(sent()).toBe('');
    const image = Buffer.concat([HEADER, Buffer.alloc(64)]);
    await one.write(Buffer.concat([lines(CHUNK - HEADER.length), image, lines(2 * CHUNK)]));
    await kick;
    const at = Buffer.concat(transfers).indexOf(PULSE);
    expect([at > CHUNK + 64, at < CHUNK + 1024]).toEqual([true, true]);
    await one.end();
    expect(printer.pulses).toHaveLength(1);
  });

  it('goes out at once between two commands of a client, behind what an unknown one may lack', async () => {
    const one = await begun('port9100', Buffer.concat([LINE, bytes('1b99')]));
    transfers.length = 0;
    await outlet.kick(PULSE, IDLE_MS);
    await one.write(Uint8Array.from(LINE));
    expect(sent()).toMatch(new RegExp(`^(00)+${PULSE.toString('hex')}${LINE.toString('hex')}$`));
    await one.end();
  });

  it('selects the printer that a client has off the line, and takes it off again behind', async () => {
    const one = await begun('port9100', Buffer.concat([LINE, OFF_LINE]));
    transfers.length = 0;
    await outlet.kick(PULSE, IDLE_MS);
    await one.write(Buffer.from('for a display'));
    const between = Buffer.concat([ON_LINE, PULSE, OFF_LINE]).toString('hex');
    expect(sent()).toBe(between + Buffer.from('for a display').toString('hex'));
    expect(printer.pulses).toHaveLength(1);
    await one.end();
  });

  it('waits for the end of a payload, while it is written and while it is not', async () => {
    const one = await begun('port9100', HEADER);
    const kick = outlet.kick(PULSE, IDLE_MS);
    await settled();
    expect(printer.pulses).toHaveLength(0);
    await one.write(Buffer.alloc(64));
    await kick;
    expect(sent()).toBe(Buffer.concat([HEADER, Buffer.alloc(64), PULSE]).toString('hex'));
    await one.end();
  });

  it('stands between two commands of what is read ahead, where the printer has come to', async () => {
    shut();
    const one = await begun('port9100');
    const written = one.write(Uint8Array.from(LINE));
    one.readAhead(Uint8Array.from(HEADER));
    one.readAhead(Buffer.alloc(64));
    const kick = outlet.kick(PULSE, IDLE_MS);
    await settled();
    open();
    await Promise.all([written, kick]);
    const image = Buffer.concat([HEADER, Buffer.alloc(64)]);
    expect(sent()).toBe(Buffer.concat([LINE, PULSE, image]).toString('hex'));
    await one.end();
  });
});

describe('what is read ahead', () => {
  it('is answered at once and written in its order; a job of the API reads none', async () => {
    const asked: number[] = [];
    shut();
    const one = await begun('port9100', undefined, { status: (n) => asked.push(n) });
    const written = one.write(Uint8Array.from(LINE));
    one.readAhead(Buffer.concat([Buffer.from('ahead'), bytes('100402'), Buffer.from(' of it\n')]));
    await settled();
    expect([asked, sent()]).toEqual([[2], '']);
    open();
    await written;
    expect(Buffer.concat(transfers).toString()).toBe(`${LINE}ahead of it\n`);
    await one.end();
    const receipt = await begun('print');
    receipt.readAhead(Buffer.from('nothing'));
    await receipt.end();
    expect(sent()).not.toContain(Buffer.from('nothing').toString('hex'));
  });
});

describe('a job that others wait for', () => {
  const TURN_MS = 10_000;
  /** No other job could print before these bytes have left. */
  const WRITING_MS = 15_000;
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));

  it('is told to give way once it has kept them waiting, and not before somebody waits', async () => {
    const giveWay = vi.fn();
    const one = await begun('port9100', LINE, { giveWay });
    await vi.advanceTimersByTimeAsync(TURN_MS);
    expect([giveWay.mock.calls.length, one.isOverdue]).toEqual([0, false]);
    const next = job('print');
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
    const one = await begun('port9100', LINE, { giveWay });
    void job('print').begin();
    shut();
    const printing = one.write(Uint8Array.from(LINE));
    await vi.advanceTimersByTimeAsync(2 * TURN_MS);
    expect(giveWay).not.toHaveBeenCalled();
    open();
    await printing;
    shut();
    const blank = one.write(Buffer.alloc(3));
    await vi.advanceTimersByTimeAsync(WRITING_MS);
    expect(giveWay).toHaveBeenCalledOnce();
    open();
    await blank;
    one.leave();
  });

  it('counts for those alone who still wait', async () => {
    const giveWay = vi.fn();
    const one = await begun('port9100', LINE, { giveWay });
    const refused = failure(job('print').begin(1000));
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
    const one = await begun('port9100', Buffer.from('a'));
    await one.end(inOrder);
    expect([sent(), one.hasTurn, outlet.holder]).toEqual([left, false, undefined]);
  });

  it('inside a payload completes it, and resets the printer', async () => {
    const one = await begun('port9100', HEADER);
    transfers.length = 0;
    await one.end();
    expect(sent()).toMatch(new RegExp(`^(00){64,}${Buffer.from(RECOVERY).toString('hex')}$`));
    expect(outlet.missing).toBe(0);
  });

  it.each([
    ['print', Buffer.concat([OFF_LINE, ON_LINE]).toString('hex')],
    ['port9100', Buffer.concat([OFF_LINE, ON_LINE]).toString('hex')],
    ['raw', OFF_LINE.toString('hex')],
  ] as const)('(%s) leaves the printer selected, but for raw commands', async (kind, left) => {
    const one = await begun(kind, OFF_LINE);
    await one.end();
    expect(sent()).toBe(left);
  });

  it('of a receipt of the API leaves an empty line and the standard mode', async () => {
    Object.assign(outlet.mode, { textPending: true, pageMode: true });
    const one = await begun('print', LINE);
    await one.end();
    expect(outlet.mode).toMatchObject({ textPending: false, pageMode: false });
  });

  it('gives no reply any more to whom it was for', async () => {
    const one = await begun('port9100', LINE);
    one.onReply = () => {};
    await one.end();
    expect(one.onReply).toBeUndefined();
  });

  it('that is a yield leaves its unknown command complete, and the printer to others', async () => {
    const one = await begun('port9100', Buffer.concat([LINE, bytes('1b99')]));
    transfers.length = 0;
    await one.yield();
    expect([sent().length > 0, sent().replaceAll('00', ''), outlet.holder]).toEqual([true, '', undefined]);
  });
});

describe('a write that fails', () => {
  it.each(['print', 'port9100', 'raw'] as const)('(%s) says what the printer took, and ends the job', async (kind) => {
    const long = lines(2 * CHUNK);
    const one = await begun(kind);
    fails = { at: CHUNK + 1000 };
    const error = await failure(one.write(Uint8Array.from(long)));
    expect(error).toBeInstanceOf(WriteFailed);
    expect(Buffer.concat(transfers)).toHaveLength(CHUNK + 1000);
    if (kind !== 'port9100') expect(error).toMatchObject({ fault: 'timeout', written: CHUNK + 1000 });
    else expect(one.written).toBe(CHUNK + 1000);
    expect([one.hasTurn, outlet.holder, outlet.missing > 0]).toEqual([false, undefined, true]);
  });

  it('ends it in its end, too', async () => {
    const one = await begun('port9100', Buffer.from('a'));
    fails = { at: 0 };
    expect(await failure(one.end())).toBeInstanceOf(WriteFailed);
    expect([one.hasTurn, outlet.holder]).toEqual([false, undefined]);
  });
});

describe('a macro', () => {
  const MACRO = bytes('1d3a 410a 1d3a');
  const RUN = bytes('1d5e 01 00 00');

  it('of the job runs, and nobody knows what the printer read last behind it', async () => {
    const one = await begun('port9100', Buffer.concat([MACRO, RUN, Buffer.from('p')]));
    expect(sent()).toBe(Buffer.concat([MACRO, RUN, bytes('00')]).toString('hex'));
    await one.end();
  });

  it('does not run where a kick has come between', async () => {
    const dropped: string[] = [];
    const one = await begun('port9100', MACRO, { dropped: (what) => dropped.push(what) });
    await outlet.kick(PULSE, IDLE_MS);
    await one.write(Uint8Array.from(RUN));
    expect([dropped, sent().includes(RUN.toString('hex'))]).toEqual([['pulse'], false]);
    await one.end();
  });
});
