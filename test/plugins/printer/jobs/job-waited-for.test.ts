/** What a job that others wait for is told, and when. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Cable, CHUNK, LINE, lines, startCable } from './cable.ts';

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

  it('is left a second more for 8,000 bytes of a picture, as a slow radio brings it, and ten at most', async () => {
    const giveWay = vi.fn();
    // 640 by 4,000 dots.
    const one = await cable.begun('port9100', Buffer.from('1d7630005000a00f', 'hex'), { giveWay });
    void cable.job('print').begin();
    for (let second = 0; second < 24; second += 1) {
      await vi.advanceTimersByTimeAsync(1000);
      await one.write(Buffer.alloc(8000, 0xff));
    }
    expect(giveWay).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1000);
    expect(giveWay).toHaveBeenCalled();
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
