/** What a hold of the B button means. */
import { describe, expect, it } from 'vitest';
import { type Gesture, Hold, WINDOWS } from '../../../runtime/services/custody/gestures.ts';

const S = 1000;
const NEVER = Number.MAX_SAFE_INTEGER;

/** Plays [time, down?] and asks at every due time, as a clock would; what it came to mean, and when. */
function play(...moves: readonly (readonly [at: number, what: 'down' | 'up'])[]): [Gesture, number][] {
  const hold = new Hold(WINDOWS);
  const meant: [Gesture, number][] = [];
  const note = (gesture: Gesture | undefined, at: number) => void (gesture && meant.push([gesture, at]));
  const clockUntil = (end: number) => {
    let asked = 0;
    for (let due = hold.dueAt; due !== undefined && due <= end; due = hold.dueAt) {
      note(hold.decide(due), due);
      asked += 1;
      if (asked > 100) throw new Error(`it is asked again and again at ${due} ms`);
    }
  };
  for (const [at, what] of moves) {
    clockUntil(at);
    if (what === 'down') note(hold.press(at), at);
    else hold.release(at);
  }
  clockUntil(NEVER);
  return meant;
}
const held = (ms: number) => play([0, 'down'], [ms, 'up']).map(([gesture]) => gesture);

describe('a hold of the B button', () => {
  it.each([
    [0, []],
    [1 * S, []],
    [3.999 * S, []],
    [4 * S, ['forget_network']],
    [5 * S, ['forget_network']],
    [7.999 * S, ['forget_network']],
    [8 * S, []],
    [10 * S, []],
    [13 * S, []],
    [14.999 * S, []],
    [15 * S, ['clear_keys']],
    [60 * S, ['clear_keys']],
  ])('of %i ms means %j', (ms, meant) => {
    expect(held(ms)).toEqual(meant);
  });

  it('of 15 seconds acts while still held', () => {
    expect(play([0, 'down'], [30 * S, 'up'])).toEqual([['clear_keys', 15 * S]]);
  });

  it('means nothing before its time, whoever asks', () => {
    const hold = new Hold(WINDOWS);
    expect(hold.decide(20 * S)).toBeUndefined();
    hold.press(20 * S);
    expect([hold.decide(20 * S), hold.decide(35 * S - 1), hold.decide(35 * S)]).toEqual([
      ...[undefined, undefined],
      'clear_keys',
    ]);
  });

  it('without an end acts once', () => {
    expect(play([0, 'down'])).toEqual([['clear_keys', 15 * S]]);
    expect(play([0, 'down'], [20 * S, 'down'], [40 * S, 'down'])).toEqual([['clear_keys', 15 * S]]);
  });

  it('acts again after it was let go', () => {
    const twice = play([0, 'down'], [20 * S, 'up'], [21 * S, 'down'], [26 * S, 'up']);
    expect(twice.map(([gesture]) => gesture)).toEqual(['clear_keys', 'forget_network']);
  });

  it('is one hold where the contact bounces, at its start, in the middle and at its end', () => {
    const bounce = play(
      ...([
        [0, 'down'],
        [3, 'up'],
        [5, 'down'],
        [5000, 'up'],
        [5010, 'down'],
        [7000, 'up'],
        [7004, 'down'],
        [7006, 'up'],
      ] as const),
    );
    expect(bounce).toEqual([['forget_network', 7006 + WINDOWS.bounce]]);
  });

  it('is one hold where rounding puts the bounce before the release', () => {
    expect(play([0, 'down'], [5000.4, 'up'], [5000, 'down'], [14_000, 'up'])).toEqual([]);
  });

  it('is two where it was let go for longer than a contact bounces', () => {
    expect(play([0, 'down'], [7 * S, 'up'], [7.2 * S, 'down'], [14 * S, 'up']).map(([gesture]) => gesture)).toEqual([
      'forget_network',
      'forget_network',
    ]);
  });

  it('is two where it was let go for 50 ms, and ends with the first of two releases', () => {
    expect(play([0, 'down'], [5 * S, 'up'], [5 * S + 49, 'down'], [5.1 * S, 'up'])).toEqual([['forget_network', 5150]]);
    expect(play([0, 'down'], [5 * S, 'up'], [5 * S + 50, 'down'], [5.1 * S, 'up'])).toEqual([['forget_network', 5050]]);
    expect(play([0, 'down'], [5 * S, 'up'], [5 * S + 40, 'up'])).toEqual([['forget_network', 5050]]);
  });

  it('is counted before the next press where both are read late, in one piece', () => {
    const hold = new Hold(WINDOWS);
    hold.press(0);
    hold.release(5 * S);
    expect(hold.press(9 * S)).toBe('forget_network');
    hold.release(9.5 * S);
    expect(hold.decide(20 * S)).toBeUndefined();
    hold.press(30 * S);
    hold.release(45 * S);
    expect(hold.decide(60 * S)).toBe('clear_keys');
  });

  it('does not begin with a release', () => {
    expect(play([5 * S, 'up'])).toEqual([]);
    expect(play([5 * S, 'up'], [6 * S, 'up'], [7 * S, 'down'], [12 * S, 'up']).map(([gesture]) => gesture)).toEqual([
      'forget_network',
    ]);
  });

  it('that ends before it began means nothing', () => {
    expect(play([20 * S, 'down'], [3 * S, 'up'])).toEqual([]);
  });
});
