/**
 * Hours of a week, in the common part of OpenStreetMap's `opening_hours` (wiki.openstreetmap.org/wiki/Key:opening_hours):
 * `Mo-Fr 08:00-20:00; Sa 09:00-13:00,14:00-18:00; Su off`, `24/7`. A rule replaces those before it on its days; a time
 * behind midnight (`18:00-02:00`) belongs to the day on which it begins. All are read from the clock on the wall: an hour that does not
 * come is left out, and one that comes twice is so both times.
 */

const DAYS: readonly string[] = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'];
const DAY_MINUTES = 24 * 60;
const WEEK_MINUTES = 7 * DAY_MINUTES;
const MINUTE_MS = 60_000;
const DAY = `(?:${DAYS.join('|')})`;
/** Some days, where there are any: each is of a list, or the first or last of several. A comma behind the last is let pass. */
const RULE = new RegExp(`^(?:(${DAY}(?:-${DAY})?(?:,${DAY}(?:-${DAY})?)*),? +)?(off|[\\d:,-]+)$`);
const SPAN = /^([01]\d|2[0-4]):([0-5]\d)-([01]\d|2[0-4]):([0-5]\d)$/;

/** From one minute of the week, which begins on Monday, up to another; that may be in the next week. */
interface Span {
  readonly from: number;
  readonly to: number;
}
const ALWAYS: readonly Span[] = [{ from: 0, to: WEEK_MINUTES }];

/** The spans of hours; undefined where the text is not as described. '' is always. */
export function spansOf(hours: string): readonly Span[] | undefined {
  if (hours === '' || hours === '24/7') return ALWAYS;
  const week: Span[][] = DAYS.map(() => []);
  for (const rule of hours.split(';')) {
    const [, days, times] = RULE.exec(rule.trim()) ?? [];
    const spans = times === undefined ? undefined : timesOf(times);
    if (spans === undefined) return undefined;
    for (const day of days === undefined ? DAYS.keys() : daysOf(days))
      week[day] = spans.map(({ from, to }) => ({ from: day * DAY_MINUTES + from, to: day * DAY_MINUTES + to }));
  }
  return week.flat();
}

function timesOf(text: string): readonly Span[] | undefined {
  if (text === 'off') return [];
  const spans = text.split(',').map((each) => {
    const [, hour, minute, hourTo, minuteTo] = SPAN.exec(each) ?? [];
    const from = Number(hour) * 60 + Number(minute);
    const to = Number(hourTo) * 60 + Number(minuteTo);
    return { from, to: to > from ? to : to + DAY_MINUTES };
  });
  return spans.every(({ from, to }) => from < DAY_MINUTES && to - from <= DAY_MINUTES) ? spans : undefined;
}

const daysOf = (text: string): number[] =>
  text.split(',').flatMap((part) => {
    const [first = '', last = first] = part.split('-');
    const [from, to] = [DAYS.indexOf(first), DAYS.indexOf(last)];
    return Array.from({ length: ((to - from + 7) % 7) + 1 }, (_, at) => (from + at) % 7);
  });

/** Whether it is a time zone of the IANA database that is known here. */
export function isZone(zone: string): boolean {
  try {
    clockOf(zone);
    return true;
  } catch {
    return false;
  }
}

const clocks = new Map<string, Intl.DateTimeFormat>();
function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone);
  if (known !== undefined) return known;
  const clock = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone: zone, weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  });
  clocks.set(zone, clock);
  return clock;
}

/** Whether a moment is within the hours, by the clocks of a time zone. Hours that are not as described are always. */
export const isWithin = (hours: string, zone: string, at: Date): boolean =>
  isIn(spansOf(hours) ?? ALWAYS, minuteOf(zone, at));

/**
 * In how many seconds, at most a minute less, a moment comes that is within the hours, or without them where `within` is
 * false; undefined where none does: by the clock as it is put forward or back meanwhile.
 */
export function secondsUntil(hours: string, zone: string, at: Date, within = true): number | undefined {
  const spans = spansOf(hours) ?? ALWAYS;
  const edges = spans.flatMap(({ from, to }) => [from, to % WEEK_MINUTES]);
  const begin = Math.floor(at.getTime() / MINUTE_MS);
  let [now, minute] = [begin, minuteOf(zone, at)];
  if ([minute, ...edges].every((each) => isIn(spans, each) !== within)) return undefined;
  // What a change of the clock leaves out comes a week later.
  while (isIn(spans, minute) !== within && now < begin + 3 * WEEK_MINUTES) {
    const waits = edges.map((edge) => (edge - minute + WEEK_MINUTES) % WEEK_MINUTES || WEEK_MINUTES);
    // No further than a day, in which a clock is changed once.
    const next = now + Math.min(DAY_MINUTES, ...waits);
    now = changeIn(zone, now, next) ?? next;
    minute = minuteOf(zone, new Date(now * MINUTE_MS));
  }
  return (now - begin) * 60;
}

/** The first minute after a clock was put forward or back between two moments, in minutes since 1970; undefined where it was not. */
function changeIn(zone: string, from: number, to: number): number | undefined {
  const offset = (at: number) => minuteOf(zone, new Date(at * MINUTE_MS)) - at;
  const before = offset(from);
  const isAs = (at: number) => (offset(at) - before) % WEEK_MINUTES === 0;
  if (isAs(to)) return undefined;
  let [last, first] = [from, to];
  while (first - last > 1) {
    const middle = Math.floor((last + first) / 2);
    if (isAs(middle)) last = middle;
    else first = middle;
  }
  return first;
}

const isIn = (spans: readonly Span[], minute: number): boolean =>
  spans.some(
    ({ from, to }) => (minute >= from && minute < to) || (minute + WEEK_MINUTES >= from && minute + WEEK_MINUTES < to),
  );

/** The minute of the week. */
function minuteOf(zone: string, at: Date): number {
  const parts = Object.fromEntries(
    clockOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  const day = DAYS.findIndex((each) => parts['weekday']?.startsWith(each) === true);
  return day * DAY_MINUTES + Number(parts['hour']) * 60 + Number(parts['minute']);
}
