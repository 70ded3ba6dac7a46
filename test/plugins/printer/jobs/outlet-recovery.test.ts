/** What the outlet makes up for before the next byte, what it lets in between, and what it knows of its printer. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LEAVE_SETUP, REALTIME_PULSE_DISABLE, RECOVERY, STATUS_POLL } from '../../../../codecs/escpos.ts';
import { noMacros } from '../../../../codecs/escpos-macro.ts';
import { Outlet } from '../../../../plugins/printer/jobs/outlet.ts';
import { type Recovery, recoveryOf } from '../../../../plugins/printer/jobs/recovery.ts';
import type { Holder } from '../../../../plugins/printer/jobs/waiters.ts';
import type { UsbDevice, UsbPipe } from '../../../../runtime/bindings/usb.ts';
import { UsbError } from '../../../../runtime/bindings/usb.ts';
import { bytes, type Cable, HEADER, IDLE_MS, LINE, OFF_LINE, ON_LINE, PULSE, settled, startCable } from './cable.ts';

const BLOCK = 64 * 1024;
const hex = (...parts: readonly Uint8Array[]) => Buffer.concat(parts).toString('hex');
const NONE = new Uint8Array(0);
const HEADER_NULS = Buffer.alloc(15);
const RECOVERED = hex(HEADER_NULS, Buffer.from(RECOVERY));
const holder = (from = 'a', atBoundary = true): Holder => ({ source: { by: 'api', from }, atBoundary });

afterEach(() => void vi.useRealTimers());

/** An outlet by itself, of which the test sees each transfer; `refuses`: how many bytes of the next one are taken. */
function start(recovery: Partial<Recovery> = {}) {
  const transfers: Buffer[] = [];
  const limits: unknown[] = [];
  const says: { refuses: number | undefined; fault: UsbError['fault']; throws?: Error } = {
    ...{ refuses: undefined, fault: 'timeout' },
  };
  const transferOut: UsbDevice['transferOut'] = async (_, sending, options) => {
    limits.push(options?.timeoutMs);
    if (says.throws !== undefined) throw says.throws;
    const { refuses } = says;
    says.refuses = undefined;
    transfers.push(Buffer.from(sending.subarray(0, refuses)));
    if (refuses !== undefined) throw new UsbError(says.fault, refuses);
  };
  const pace = { chunkBytes: BLOCK, chunkDelayMs: 0, writeTimeoutMs: 700 };
  const whole = { bytes: RECOVERY, reset: undefined, ...recovery };
  const pipe: UsbPipe = { address: 1, direction: 'out', type: 'bulk', maxPacketSize: 64 };
  const outlet = new Outlet({ transferOut } as UsbDevice, pipe, () => pace, whole, noMacros());
  return { outlet, transfers, limits, says, sent: () => hex(...transfers) };
}
/** One whose printer has nothing to be made up for. */
async function ready(recovery: Partial<Recovery> = {}) {
  const at = start(recovery);
  await at.outlet.write(NONE, 'asIs');
  at.transfers.length = at.limits.length = 0;
  return at;
}

describe('an outlet that is new', () => {
  it('recovers before its first byte, as nobody knows what the printer was sent, and once', async () => {
    const { outlet, sent, limits } = start({ leaveSetup: LEAVE_SETUP });
    expect([outlet.missing, outlet.holder, outlet.heldBy, outlet.underWay, outlet.free]).toEqual([
      ...[0, undefined, undefined, 0],
      true,
    ]);
    await outlet.write(Uint8Array.from(LINE), 'asIs');
    await outlet.write(Uint8Array.from(LINE), 'asIs');
    expect(sent()).toBe(`${RECOVERED}${hex(LINE, LINE)}`);
    expect(new Set(limits)).toEqual(new Set([700]));
  });

  it('takes what a printer may have read last for the worst', async () => {
    const { outlet, sent } = start({ bytes: new Uint8Array(0) });
    const first = bytes('70');
    await outlet.write(first, 'guarded');
    expect(sent()).toBe(hex(HEADER_NULS, bytes('70')));
    const { outlet: other, says } = start({ bytes: new Uint8Array(0) });
    says.refuses = 0;
    await expect(other.write(bytes('41'), 'asIs')).rejects.toMatchObject({ fault: 'timeout', written: 0 });
    expect(other.missing).toBe(HEADER_NULS.length);
  });

  it('asks behind the rest of a header, which it gives a tenth of a second', async () => {
    const { outlet, sent, limits, says } = start();
    const sending = vi.fn();
    says.refuses = 0;
    await outlet.poll(STATUS_POLL, sending);
    // It may have read the beginning of anything, and took no NUL that would end that.
    expect(sent()).toMatch(new RegExp(`^(00)+${hex(STATUS_POLL)}$`));
    expect([limits[0], new Set(limits.slice(1)), sending.mock.calls.length]).toEqual([100, new Set([700]), 1]);
    const before = sent();
    await outlet.poll(STATUS_POLL, sending);
    expect(sent()).toBe(`${before}${hex(HEADER_NULS, STATUS_POLL)}`);
    await outlet.write(NONE, 'asIs');
    await outlet.poll(STATUS_POLL, sending);
    expect(sent().endsWith(`${RECOVERED}${hex(STATUS_POLL)}`)).toBe(true);
  });

  it('keeps a request apart from what the printer took of a transfer that failed', async () => {
    const { outlet, says, sent } = await ready();
    says.refuses = 2;
    await expect(outlet.write(bytes('10 14 00'), 'guarded')).rejects.toMatchObject({ written: 2 });
    // It takes none of the NULs that would end a header.
    says.refuses = 0;
    await outlet.poll(STATUS_POLL, () => {});
    expect(sent()).toBe(hex(bytes('10 14 00'), STATUS_POLL));
  });

  it('says who has the turn, and for how long', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { outlet } = start();
    vi.advanceTimersByTime(50);
    const first = holder('till');
    await outlet.take(first);
    vi.advanceTimersByTime(30);
    expect(outlet.heldBy).toEqual({ by: 'api', from: 'till', ms: 30 });
    outlet.leave(first);
    expect(outlet.heldBy).toBeUndefined();
  });
});

describe('an outlet', () => {
  it('that is closed has written nothing of what it refuses, and of what waited', async () => {
    const { outlet } = await ready();
    const inside = holder('a', false);
    await outlet.take(inside);
    const waiting = [outlet.take(holder('b')), outlet.kick(PULSE, IDLE_MS), outlet.poll(STATUS_POLL, () => {})];
    outlet.close();
    const refused = [outlet.take(holder()), outlet.kick(PULSE, IDLE_MS), outlet.write(Uint8Array.from(LINE), 'asIs')];
    for (const each of [...waiting, ...refused])
      await expect(each).rejects.toMatchObject({ fault: 'disconnected', written: 0 });
    await expect(outlet.poll(STATUS_POLL, () => {})).rejects.toMatchObject({ fault: 'busy', written: 0 });
    expect(outlet.free).toBe(false);
  });

  it('goes on for a holder that waits however long, and for none whose printer is gone', async () => {
    const { outlet, says, sent } = await ready();
    await outlet.take({ ...holder(), persists: () => true });
    says.refuses = 5;
    await outlet.write(Uint8Array.from(LINE), 'guarded');
    expect(sent()).toBe(hex(LINE));
    says.refuses = 5;
    says.fault = 'disconnected';
    const failure = outlet.write(Uint8Array.from(LINE), 'guarded');
    await expect(failure).rejects.toMatchObject({ fault: 'disconnected', written: 5 });
    expect(sent()).toBe(hex(LINE, LINE.subarray(0, 5)));
  });

  it('says of a fault that is none of USB what had left before it, and that the rest is missing', async () => {
    const { outlet, says } = await ready();
    says.throws = new TypeError('kaput');
    const failure = outlet.write(Uint8Array.from(LINE), 'guarded');
    await expect(failure).rejects.toMatchObject({ fault: 'io', written: 0, cause: says.throws });
    expect(outlet.missing).toBe(LINE.length);
  });

  it('lets a status request wait until the holder is between two commands, whatever that writes meanwhile', async () => {
    const { outlet, sent } = await ready();
    const inside = holder('a', false);
    await outlet.take(inside);
    const asked = outlet.poll(STATUS_POLL, () => {});
    // One at a time.
    await expect(outlet.poll(STATUS_POLL, () => {})).rejects.toMatchObject({ fault: 'busy', written: 0 });
    await outlet.write(Uint8Array.from(LINE), 'guarded');
    await settled();
    expect(sent()).toBe(hex(LINE));
    outlet.leave(inside);
    await asked;
    expect(sent()).toBe(hex(LINE, STATUS_POLL));
  });

  it('selects its printer once, where a byte may have deselected it', async () => {
    const { outlet, sent } = await ready();
    await outlet.write(Uint8Array.from(OFF_LINE), 'guarded');
    await outlet.select();
    await outlet.select();
    expect(sent()).toBe(hex(OFF_LINE, ON_LINE));
  });

  it('selects no printer that its recovery has selected', async () => {
    const { outlet, sent } = await ready();
    await outlet.write(Uint8Array.from(OFF_LINE), 'guarded');
    outlet.breakOff(0);
    await outlet.write(NONE, 'asIs');
    await outlet.select();
    expect(sent()).toBe(`${hex(OFF_LINE)}${RECOVERED}`);
  });

  it('tells its holder when the one who waited gives up', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { outlet } = await ready();
    const waited = vi.fn();
    await outlet.take({ ...holder('a', false), waited });
    for (const waiting of [() => outlet.take(holder('b'), 50), () => outlet.kick(PULSE, 50)]) {
      const late = expect(waiting()).rejects.toMatchObject({ fault: 'busy' });
      expect(waited).toHaveBeenLastCalledWith(true);
      vi.advanceTimersByTime(50);
      await late;
      expect(waited).toHaveBeenLastCalledWith(false);
    }
  });

  it('asks no printer that is being written to, also where its holder would let it', async () => {
    const cable = await startCable();
    await cable.outlet.take(holder());
    cable.shut();
    const written = cable.outlet.write(Uint8Array.from(LINE), 'guarded');
    const asked = cable.outlet.poll(STATUS_POLL, () => {});
    expect(cable.outlet.free).toBe(false);
    cable.open();
    await Promise.all([written, asked]);
    expect(cable.sent()).toBe(hex(LINE, STATUS_POLL));
  });

  it('leaves no timer of who has the turn, or was refused when the printer went', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { outlet } = await ready();
    const [first, second] = [holder(), holder()];
    await outlet.take(first);
    const served = outlet.take(second, 500);
    outlet.leave(first);
    await served;
    expect(vi.getTimerCount()).toBe(0);
    const waiting = [outlet.take(holder(), 500), outlet.kick(PULSE, 500)];
    const refused = Promise.all(waiting.map((each) => each.catch(() => {})));
    outlet.close();
    await refused;
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('bytes that a job left missing', () => {
  it.each([
    ['one', 1, [1]],
    ['a block', BLOCK, [BLOCK]],
    ['one more than a block', BLOCK + 1, [BLOCK, 1]],
  ])('(%s) are as many NULs', async (_, missing, blocks) => {
    const { outlet, transfers } = await ready();
    outlet.breakOff(missing);
    await outlet.write(Uint8Array.from(LINE), 'guarded');
    // In hexadecimal: to compare large buffers byte by byte takes seconds.
    const nuls = blocks.map((length) => hex(Buffer.alloc(length)));
    expect(transfers.map((sent) => hex(sent))).toEqual([...nuls, RECOVERED, hex(LINE)]);
    expect(outlet.missing).toBe(0);
  });

  it.each([
    ['more than a block, is reset', BLOCK + 1, true, 1, []],
    ['a block, is not reset', BLOCK, true, 0, [BLOCK]],
    ['more than a block, and refuses a reset, gets them', BLOCK + 1, false, 1, [BLOCK, 1]],
  ])('are completed, or the printer is reset, where it lacks %s', async (_, missing, works, resets, blocks) => {
    const reset = vi.fn(() => (works ? Promise.resolve() : Promise.reject(new UsbError('stall'))));
    const { outlet, transfers } = await ready({ reset });
    outlet.breakOff(missing);
    await outlet.write(Uint8Array.from(LINE), 'guarded');
    expect(reset).toHaveBeenCalledTimes(resets);
    expect(transfers.slice(0, -2).map(({ length }) => length)).toEqual(blocks);
  });

  it('stay missing where the printer does not take them, and the job has written nothing', async () => {
    const { outlet, says } = await ready();
    outlet.breakOff(100);
    says.refuses = 30;
    await expect(outlet.write(Uint8Array.from(LINE), 'guarded')).rejects.toMatchObject({
      fault: 'timeout',
      written: 0,
    });
    expect(outlet.missing).toBe(70);
  });
});

describe('what a printer is sent to recover', () => {
  const reset = () => Promise.resolve();
  const none = { realtimePulseDisable: false, setupMode: false, softReset: false };
  const of = (options: Partial<typeof none>) => recoveryOf({ ...none, ...options } as never, reset);
  it('is ESC = 1, ESC @, and what its recipe names besides', () => {
    expect(of({})).toEqual({ bytes: RECOVERY, leaveSetup: undefined, reset: undefined });
    expect(hex(of({ realtimePulseDisable: true }).bytes)).toBe(hex(Buffer.from(RECOVERY), REALTIME_PULSE_DISABLE));
    expect(of({ softReset: true }).reset).toBe(reset);
    expect(of({ setupMode: true }).leaveSetup?.length).toBeGreaterThan(0);
  });
});

describe('a status request', () => {
  it('stands behind the rest of a kick that the printer took in part', async () => {
    const { outlet, says, sent } = await ready();
    says.refuses = 1;
    await expect(outlet.kick(PULSE, IDLE_MS)).rejects.toMatchObject({ fault: 'timeout', written: 1 });
    await outlet.poll(STATUS_POLL, () => {});
    expect(sent()).toBe(hex(bytes('1b'), HEADER_NULS, STATUS_POLL));
  });

  it('does not go into a picture that ends with its job in an open macro', async () => {
    const cable = await startCable();
    const one = await cable.begun('port9100', Buffer.concat([bytes('1d3a'), HEADER]));
    cable.shut();
    const ended = one.end();
    await settled();
    const asked = cable.outlet.poll(STATUS_POLL, () => {});
    cable.open();
    await Promise.all([ended, asked]);
    const [before, behind] = cable.sent().split(hex(STATUS_POLL));
    expect([before, behind]).toEqual([expect.stringContaining(hex(HEADER, Buffer.alloc(64))), '']);
  });
});

describe('a drawer kick', () => {
  let cable: Cable;
  beforeEach(async () => {
    cable = await startCable();
  });

  it('begins only when it goes out, and does not go out where that fails', async () => {
    const begin = vi.fn(async () => {});
    const one = await cable.begun('port9100', HEADER);
    const kick = cable.outlet.kick(PULSE, IDLE_MS, begin);
    await settled();
    expect(begin).not.toHaveBeenCalled();
    await one.write(Buffer.alloc(64));
    await kick;
    await one.end();
    expect(begin).toHaveBeenCalledOnce();
    const failing = cable.outlet.kick(PULSE, IDLE_MS, () => Promise.reject(new Error('the disk is full')));
    await expect(failing).rejects.toThrow('the disk is full');
    expect(cable.printer.pulses).toHaveLength(1);
  });

  it('goes out in their order where several wait, each once', async () => {
    const other = bytes('1b70 01 32 fa');
    const one = await cable.begun('port9100', HEADER);
    const kicks = [cable.outlet.kick(PULSE, IDLE_MS), cable.outlet.kick(other, IDLE_MS)];
    await one.write(Buffer.alloc(64));
    await Promise.all(kicks);
    expect(cable.sent()).toBe(hex(HEADER, Buffer.alloc(64), PULSE, other));
    await one.end();
  });

  it('that waited too long is refused with nothing written, and the one behind it goes out', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const other = bytes('1b70 01 32 fa');
    const one = await cable.begun('port9100', HEADER);
    const late = expect(cable.outlet.kick(PULSE, 50)).rejects.toMatchObject({ fault: 'busy', written: 0 });
    const next = cable.outlet.kick(other, IDLE_MS);
    vi.advanceTimersByTime(50);
    await late;
    await one.write(Buffer.alloc(64));
    await next;
    expect(cable.sent()).toBe(hex(HEADER, Buffer.alloc(64), other));
    await one.end();
  });

  it('ends a series of raw commands that left a command open, and leaves one that did not', async () => {
    await (await cable.begun('raw', LINE)).end();
    await cable.outlet.kick(PULSE, IDLE_MS);
    expect([cable.sent(), cable.outlet.pieces.any]).toEqual([hex(LINE, PULSE), true]);
    await (await cable.begun('raw', HEADER)).end();
    cable.transfers.length = 0;
    await cable.outlet.kick(PULSE, IDLE_MS);
    expect(cable.sent()).toMatch(new RegExp(`^(00){64,}${hex(Buffer.from(RECOVERY), PULSE)}$`));
    expect(cable.outlet.pieces.any).toBe(false);
  });

  it('selects a printer that raw commands took off the line, once', async () => {
    await (await cable.begun('raw', OFF_LINE)).end();
    await cable.outlet.kick(PULSE, IDLE_MS);
    await cable.outlet.kick(PULSE, IDLE_MS);
    expect(cable.sent()).toBe(hex(OFF_LINE, ON_LINE, PULSE, PULSE));
  });

  it('that waits is what the holder is told of, until it has left', async () => {
    const waited = vi.fn();
    const inside: Holder = { ...holder('a', false), waited };
    await cable.outlet.take(inside);
    expect(waited).toHaveBeenLastCalledWith(false);
    const kick = cable.outlet.kick(PULSE, IDLE_MS);
    expect(waited).toHaveBeenLastCalledWith(true);
    cable.outlet.leave(inside);
    await kick;
    expect(cable.printer.pulses).toHaveLength(1);
    const between: Holder = { ...holder(), waited, pause: () => ({ before: NONE, after: NONE, setup: false }) };
    await cable.outlet.take(between);
    await cable.outlet.kick(PULSE, IDLE_MS);
    await settled();
    expect(waited).toHaveBeenLastCalledWith(false);
  });

  it('is waited for when a node ends, as a job is', async () => {
    cable.shut();
    const kick = cable.outlet.kick(PULSE, IDLE_MS);
    let over = false;
    const drained = cable.outlet.drained(IDLE_MS).then(() => {
      over = true;
    });
    await settled();
    expect(over).toBe(false);
    cable.open();
    await Promise.all([kick, drained]);
  });

  it('is waited for, too, where it waits for another', async () => {
    cable.shut();
    const kicks = [cable.outlet.kick(PULSE, IDLE_MS), cable.outlet.kick(PULSE, IDLE_MS)];
    const drained = cable.outlet.drained(IDLE_MS).then(() => cable.printer.pulses.length);
    cable.open();
    expect(await drained).toBe(2);
    await Promise.all(kicks);
  });
});
