/** Opening hours, as a person reads them beside the clock on the wall: also in the nights in which it is put forward or back. */
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isWithin, secondsUntil } from '../../runtime/fleet/sites/hours.ts';
import { lookAtHours } from '../../runtime/fleet/sites/sites.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** When clocks are changed, in UTC; some at midnight, by half an hour, at three quarters, or never. */
const CHANGES = {
  'Europe/Vienna': ['2026-03-29T01:00Z', '2026-10-25T01:00Z'],
  'America/New_York': ['2026-03-08T07:00Z', '2026-11-01T06:00Z'],
  'Australia/Lord_Howe': ['2026-10-03T15:30Z', '2026-04-04T15:00Z'],
  'Pacific/Chatham': ['2026-09-26T14:00Z', '2026-04-04T14:00Z'],
  'America/Havana': ['2026-03-08T05:00Z', '2026-11-01T05:00Z'],
  'Africa/Casablanca': ['2026-02-15T02:00Z', '2026-03-22T02:00Z'],
  'Asia/Kolkata': ['2026-03-29T01:00Z'],
} as const;
/** Each is of all days, so that what the wall shows is all that counts: from, and up to. */
const HOURS = ['18:00-03:00', '18:00-02:30', '08:00-20:00', '02:00-03:00', '02:30-10:00', '00:00-01:00', '22:00-00:30'];

/** As a person reads it: the hands of the clock, and two times. */
function isOpenOnTheWall(hours: string, zone: string, at: number): boolean {
  const wall = new Date(at).toLocaleTimeString('sv-SE', { timeZone: zone, hour: '2-digit', minute: '2-digit' });
  const [from = '', to = ''] = hours.split('-');
  return from < to ? from <= wall && wall < to : from <= wall || wall < to;
}

describe.each(Object.entries(CHANGES))('in %s', (zone, changes) => {
  it.each(HOURS)(
    '%s are as on the wall in each hour around a change of the clock, and so is when they begin or end',
    (hours) => {
      for (const change of changes) {
        const middle = Date.parse(change);
        const begin = middle - 12 * HOUR_MS;
        const isOpen = Array.from({ length: 48 * 60 }, (_, minute) =>
          isOpenOnTheWall(hours, zone, begin + minute * MINUTE_MS),
        );
        for (let minute = 0; minute < 24 * 60; minute += 10) {
          const at = new Date(begin + minute * MINUTE_MS);
          const until = (open: boolean) => isOpen.indexOf(open, minute);
          expect([at, isWithin(hours, zone, at)]).toEqual([at, isOpen[minute]]);
          for (const within of [true, false]) {
            const told = secondsUntil(hours, zone, at, within);
            // A clock that leaves an hour out may leave out all hours of a day.
            if (until(within) >= 0) expect([at, within, told]).toEqual([at, within, (until(within) - minute) * 60]);
          }
        }
      }
    },
  );
});

it('a bar that is open until three is closed when the clock on its wall is put from two to three', () => {
  const hours = 'Sa 18:00-03:00';
  const at = (time: string) => new Date(`2026-03-29T${time}Z`);
  expect(isWithin(hours, 'Europe/Vienna', at('00:59:59'))).toBe(true);
  expect(isWithin(hours, 'Europe/Vienna', at('01:00:00'))).toBe(false);
  expect(secondsUntil(hours, 'Europe/Vienna', at('00:30:00'), false)).toBe(1800);
  // And again on the next Saturday, by its clock.
  expect(secondsUntil(hours, 'Europe/Vienna', at('01:00:00'))).toBe((6 * 24 + 13) * 3600 + 2 * 3600);
});

it('hours that a change of the clock leaves out come a week later', () => {
  // 02:00 to 03:00 of that Sunday does not exist.
  expect(secondsUntil('Su 02:00-03:00', 'Europe/Vienna', new Date('2026-03-28T12:00Z'))).toBe((7 * 24 + 12) * 3600);
});

it('while the hours of thousands of sites are looked at, what comes in has its turns', async () => {
  const now = new Date('2026-11-26T12:30:00Z');
  const minute = (at: number) => String(at % 60).padStart(2, '0');
  const hours = (at: number) => `Mo-Fr 08:${minute(at)}-20:${minute(at)}; Sa 09:00-13:${minute(at)}`;
  const zone = 'Europe/Vienna';
  const due = Array.from({ length: 5000 }, (_, at) => ({ name: `s${at}`, zone, hours: hours(at), now }));
  let [turns, isOver] = [0, false];
  const others = (async () => {
    for (; !isOver; turns += 1) await setImmediate();
  })();
  const looked = await lookAtHours({ query: async <Row>() => due as Row[] });
  isOver = true;
  await others;
  expect([looked.length, looked[0]]).toEqual([
    5000,
    { ...{ name: 's0', zone, hours: hours(0) }, is_open: true, seconds: 3600 },
  ]);
  // Steps of fifty are some milliseconds each, and others have more than one turn between them.
  expect(turns).toBeGreaterThan(1000);
});
