/** What is known of a node, and how one message changes it. Nothing here reads a clock or a database. */
import { defined } from '../../base/defined.ts';
import type { Budget } from './budget.ts';
import type { Heartbeat, Webhook } from './contract.ts';
import { count, type HourSums, printsSince } from './hours.ts';
import type { Oddity } from './oddities.ts';
import { type Printer, within, withPrinter } from './printers.ts';
import { type Seen, see } from './seen.ts';
import { orderOf } from './version-order.ts';

/** The columns of the table `node` that messages change; times in milliseconds since 1970. */
export interface NodeState extends HourSums {
  readonly id: string;
  readonly variant: string;
  readonly version: string;
  readonly slot: string;
  readonly last_seen: number;
  readonly heartbeats: number;
  readonly address: string;
  readonly address_before: string;
  readonly address_since: number;
  readonly boots: readonly Seen[];
  readonly uptime_seconds: number;
  /** From one heartbeat to the next, by its own clock; null where that is not known yet. */
  readonly pace_seconds: number | null;
  /** When the newest boot began, by the clock here. */
  readonly boot_started: number | null;
  /** Whether a heartbeat told of it, and the last event was of none before it or long ago: webhooks have no id of a boot. */
  readonly boot_told: boolean;
  readonly event_seq: number;
  readonly event_at: number | null;
  readonly printers: readonly Printer[];
  readonly peripherals: readonly object[];
  readonly counters: object;
  readonly crash: Heartbeat['crash'] | null;
  /** When the crash was heard of, and what ran then. */
  readonly crash_at: number | null;
  readonly crash_version: string | null;
  /** When the last crashes were heard of, the newest first. */
  readonly crashes: readonly number[];
  readonly paper_out_since: number | null;
  readonly custody_since: number | null;
  readonly update_policy: string | null;
  /** What it may have kept; null where it is whole. */
  readonly budget: Budget | null;
  /** What it calls itself; '' where it does not say. */
  readonly said_name: string;
  /** The codecs that it has, as far as it says. */
  readonly codecs: readonly string[];
}

/** A change worth keeping. */
export interface Transition {
  readonly kind: 'first_heard' | 'printer' | 'paper' | 'version' | 'crash' | 'custody' | 'folded';
  readonly endpoint?: string;
  readonly before?: string;
  readonly after?: string;
  readonly detail?: object;
}

/** What a message comes to. `fresh` false: it has been stored before, and changes nothing. */
export interface Taken {
  readonly state: NodeState;
  readonly fresh: boolean;
  readonly transitions: readonly Transition[];
  readonly oddities: readonly Pick<Oddity, 'kind' | 'detail'>[];
  /** An hour that is over. */
  readonly hour?: HourSums | undefined;
}

/** Crashes within an hour that are a loop; as many as the node itself prints a notice for. */
export const LOOP_CRASHES = 3;
/** A node that comes back to an address it left so recently is two nodes with one id, or behind two ways out. */
const SAME_TIME_MS = 600_000;
/** Clocks of nodes may be wrong by this much before it is counted. */
const CLOCK_MS = 300_000;
/** Heartbeats are at most a day apart, and up to a tenth longer by chance. */
const SLOWEST_PACE = 1.1 * 86_400;
/** A boot id for nodes that tell none. */
const NO_BOOT = '';
/** The boot that a heartbeat is of. */
export const bootOf = ({ bootId = NO_BOOT }: Pick<Heartbeat, 'bootId'>): string => bootId;

/** A heartbeat that came `at` this time from `address`. */
export function takeHeartbeat(before: NodeState, beat: Heartbeat, at: number, address: string): Taken {
  const boot = bootOf(beat);
  const uptime = beat.uptimeSeconds ?? 0;
  const known = before.boots.find((each) => each.boot === boot);
  // Without a boot id, a lower number is of a node that was started again where that was after it was last heard.
  const restarted =
    boot === NO_BOOT &&
    known !== undefined &&
    beat.seq < known.highest &&
    at - uptime * 1000 >= before.last_seen - ROUNDED_MS;
  const boots = see(restarted ? before.boots.filter((each) => each !== known) : before.boots, boot, beat.seq);
  if (boots === undefined) {
    const detail = `heartbeat ${beat.seq} of boot ${boot || '(none)'} came again`;
    return { state: before, fresh: false, transitions: [], oddities: [{ kind: 'replay', detail }] };
  }
  const heard: NodeState = {
    ...before,
    boots,
    heartbeats: before.heartbeats + 1,
    last_seen: at,
    ...placeOf(before, address, at),
  };
  const oddities = [...addressOddity(before, heard, at), ...clockOddity(beat, at), ...duplicateOddity(before, beat)];
  // A late one of an earlier number or boot counts, but says nothing new.
  if (known !== undefined && !restarted && beat.seq < known.highest) {
    const { sums, over } = count(before, at, 0);
    return { state: { ...heard, ...sums }, fresh: true, transitions: [], oddities, hour: over };
  }
  // Another boot than the last time; also one that was heard before, where two nodes have one id.
  const newBoot = known !== before.boots[0] || known === undefined || restarted;
  if (!newBoot && uptime < before.uptime_seconds)
    oddities.push({
      kind: 'clock',
      detail: `uptime went back from ${before.uptime_seconds} to ${uptime} s in one boot`,
    });
  const started = at - uptime * 1000;
  const transitions: Transition[] = [];
  if (before.heartbeats === 0) transitions.push({ kind: 'first_heard', after: beat.firmwareVersion ?? '' });
  const version = beat.firmwareVersion ?? before.version;
  if (before.heartbeats > 0 && version !== before.version)
    transitions.push({ kind: 'version', before: before.version, after: version });
  const crashed = newCrash(before, beat);
  if (crashed !== undefined) transitions.push({ kind: 'crash', after: crashed.reason, detail: toldOf(crashed) });
  const printers = beat.printers?.map((now) => withPaper(before.printers, now, at)) ?? before.printers;
  transitions.push(...printers.flatMap((now) => printerTransitions(before.printers, now)));
  const held = beat.custodyHold ?? false;
  if (held !== (before.custody_since !== null))
    transitions.push({ kind: 'custody', after: held ? 'held' : 'released' });

  // What a node printed before it was ever heard belongs to no hour.
  const prints = before.heartbeats === 0 ? 0 : printsSince(before.counters, beat.counters ?? before.counters, newBoot);
  const { sums, over } = count(before, at, prints);
  // Its numbers begin anew, unless the last event was of this boot already. One from before its start, as far as that is known, may be all the
  // same where this heartbeat was under way for long: an event that comes again is looked up then.
  const { event_at: lastEvent } = before;
  const beginsAnew = newBoot && (lastEvent ?? 0) < started;
  const isClear = !beginsAnew || lastEvent === null || started - lastEvent > DELIVERY_MS;
  const state: NodeState = {
    ...heard,
    ...sums,
    variant: beat.variant ?? before.variant,
    version,
    slot: beat.slot ?? before.slot,
    uptime_seconds: uptime,
    pace_seconds: newBoot ? before.pace_seconds : paceOf(before, known, beat.seq, uptime),
    boot_started: newBoot ? started : Math.min(before.boot_started ?? started, started),
    boot_told: isClear,
    event_seq: beginsAnew ? 0 : before.event_seq,
    printers,
    peripherals: beat.peripherals ?? before.peripherals,
    counters: beat.counters ?? before.counters,
    crash: beat.crash ?? null,
    ...(crashed !== undefined && {
      crash_at: at,
      crash_version: crashedVersion(before, crashed, version),
      crashes: [at, ...before.crashes].slice(0, LOOP_CRASHES),
    }),
    paper_out_since: paperOutSince(before, printers),
    custody_since: held ? (before.custody_since ?? at) : null,
    update_policy: beat.updatePolicy ?? before.update_policy,
    said_name: beat.name ?? before.said_name,
    codecs: beat.codecs ?? before.codecs,
  };
  return { state, fresh: true, transitions, oddities, hour: over };
}

/**
 * Whether a webhook may be of a boot that nothing is known of. There is no boot id in it, but a time: that boot began after
 * the node was last heard, or the node was never heard.
 */
const mayBeginBoot = (before: NodeState, { uptimeMs }: Webhook, at: number): boolean =>
  at - uptimeMs > before.last_seen || (before.heartbeats === 0 && before.event_at === null);

/**
 * Whether a webhook may be new, or have been stored before and be sent again by somebody who recorded it: nothing but its
 * own time says that its boot is the one that is known.
 */
export const isUnclear = (before: NodeState, message: Webhook, at: number): boolean =>
  !before.boot_told || isAstray(before, message, at);

/** Whether its time does not say that a webhook is of the boot that is known, on its way for as long as nodes try to deliver. */
export const isAstray = (before: NodeState, message: Webhook, at: number): boolean =>
  mayBeginBoot(before, message, at) ||
  before.boot_started === null ||
  Math.abs(wrapped(at - before.boot_started - message.uptimeMs)) > DELIVERY_MS;

/** A difference of times of which one has 32 bits: `uptimeMs` begins at 0 again after 49 days. */
const wrapped = (ms: number): number => ms - 2 ** 32 * Math.round(ms / 2 ** 32);

/** A webhook whose signature was right. `isStored`: it is known to have been stored before. */
export function takeWebhook(before: NodeState, message: Webhook, at: number, isStored: boolean): Taken {
  const { seq, uptimeMs, event } = message;
  // Its boot began then, or earlier if it was under way for long.
  const isCurrent = at - uptimeMs >= (before.boot_started ?? 0) - CLOCK_SLACK_MS;
  const isNext = isCurrent && seq > before.event_seq;
  if (isStored || !(isNext || mayBeginBoot(before, message, at))) {
    const detail = `event ${seq} at ${uptimeMs} ms came again`;
    return { state: before, fresh: false, transitions: [], oddities: [{ kind: 'replay', detail }] };
  }
  const state = {
    ...before,
    last_seen: at,
    event_seq: seq,
    event_at: at,
    // A boot that the next heartbeat tells of.
    ...((!isNext || before.boot_started === null) && { boot_started: at - uptimeMs, boot_told: false }),
  };
  if (event.type !== 'printer_status') return { state, fresh: true, transitions: [], oddities: [] };
  const told = event as unknown as Printer;
  const printers = withPrinter(before.printers, told, (each) => withPaper(before.printers, each, at));
  const now = printers?.find(({ endpoint }) => endpoint === told.endpoint);
  if (printers === undefined || now === undefined) {
    const kept = { ...state, printers: within(before.printers) };
    const detail = 'more printers, or more of them, than are kept of one node';
    return { state: kept, fresh: true, transitions: [], oddities: [{ kind: 'flood', detail }] };
  }
  return {
    state: { ...state, printers, paper_out_since: paperOutSince(before, printers) },
    fresh: true,
    transitions: printerTransitions(before.printers, now),
    oddities: [],
  };
}

/** `uptimeSeconds` is rounded down, and what a node sends last takes a moment. */
const ROUNDED_MS = 2000;
/** `uptimeSeconds` of a heartbeat is rounded down; clocks of two machines drift apart by seconds a day. */
const CLOCK_SLACK_MS = 10_000;
/** A webhook waits behind seven others, each tried twice for 5 seconds (specification, section 8). */
const DELIVERY_MS = 8 * 2 * 5000 + CLOCK_SLACK_MS;

function placeOf(before: NodeState, address: string, at: number) {
  if (before.heartbeats === 0) return { address, address_before: '', address_since: at };
  if (address === before.address) return {};
  return { address, address_before: before.address, address_since: at };
}

function addressOddity(before: NodeState, now: NodeState, at: number): { kind: 'two_addresses'; detail: string }[] {
  const back = now.address !== before.address && now.address === before.address_before;
  return back && at - before.address_since < SAME_TIME_MS
    ? [{ kind: 'two_addresses', detail: `from ${before.address} and ${now.address} in turn` }]
    : [];
}

/**
 * Another box has its id: the node itself hears it on its network, or a boot goes on in turn with another, which is the only sign
 * where both are behind one way out. (What was under way as a node restarted comes before the second heartbeat of the next boot.)
 */
function duplicateOddity({ boots }: NodeState, beat: Heartbeat): { kind: 'duplicate'; detail: string }[] {
  if (beat.duplicate === true)
    return [{ kind: 'duplicate', detail: 'it hears another node with its id on its network' }];
  const [last] = boots;
  const boot = bootOf(beat);
  const known = boots.find((each) => each.boot === boot);
  const isInTurn =
    boot !== NO_BOOT && last !== undefined && known !== undefined && last !== known && beat.seq > known.highest;
  return isInTurn && last.highest > 1 && known.highest > 1
    ? [{ kind: 'duplicate', detail: `its boots ${last.boot} and ${boot} in turn: two boxes have its id` }]
    : [];
}

function clockOddity({ crash }: Heartbeat, at: number): { kind: 'clock'; detail: string }[] {
  if (crash?.time === undefined) return [];
  const time = Date.parse(crash.time);
  return Number.isNaN(time) || time > at + CLOCK_MS
    ? [{ kind: 'clock', detail: `a crash at ${crash.time}, heard of at ${new Date(at).toISOString()}` }]
    : [];
}

/** The crash of this heartbeat where it was not told before. */
function newCrash(before: NodeState, { crash }: Heartbeat): NonNullable<Heartbeat['crash']> | undefined {
  if (crash === undefined) return undefined;
  const key = ({ bootId, reason, time, uptimeSeconds }: NonNullable<Heartbeat['crash']>) =>
    [bootId, reason, time, uptimeSeconds].join(' ');
  return before.crash != null && key(before.crash) === key(crash) ? undefined : crash;
}

/** Over the numbers from the last one to this, which count those that were lost as well. */
function paceOf({ uptime_seconds }: NodeState, known: Seen, seq: number, uptime: number): number {
  const seconds = Math.round((uptime - uptime_seconds) / (seq - known.highest));
  return Math.min(SLOWEST_PACE, Math.max(0, seconds));
}

/** What is kept of a crash: a node may say more of it. */
const toldOf = ({ bootId, reason, time, uptimeSeconds }: NonNullable<Heartbeat['crash']>) => ({
  bootId,
  reason,
  time,
  uptimeSeconds,
});

/** What ran as it crashed: a boot that was never heard began after the last one that was. */
const crashedVersion = (before: NodeState, { bootId }: NonNullable<Heartbeat['crash']>, version: string): string =>
  before.heartbeats === 0 || (bootId !== undefined && before.boots.every(({ boot }) => boot !== bootId))
    ? version
    : before.version;

/** In one word each: how a printer is, and its paper. Without a reading, that is unknown. */
export const printerWord = ({ online, known, coverOpen }: Printer): string => {
  if (online === false) return 'offline';
  if (known === false) return 'unknown';
  return coverOpen === true ? 'cover_open' : 'online';
};
/** As `printerWord`, of the paper. */
export const paperWord = ({ online, known, paperOut, paperLow }: Printer): string => {
  if (known === false) return 'unknown';
  // A printer without paper may say that it is offline for that reason.
  if (paperOut === true) return 'out';
  if (online === false) return 'unknown';
  return paperLow === true ? 'low' : 'ok';
};

function printerTransitions(before: readonly Printer[], now: Printer): Transition[] {
  const was = before.find(({ endpoint }) => endpoint === now.endpoint);
  const changes = [
    { kind: 'printer', word: printerWord },
    { kind: 'paper', word: paperWord },
  ] as const;
  return changes.flatMap(({ kind, word }) => {
    const [from, to] = [was && word(was), word(now)];
    if (from === to) return [];
    const endpoint = now.endpoint === undefined ? {} : { endpoint: now.endpoint };
    return [{ kind, ...endpoint, ...defined({ before: from }), after: to }];
  });
}

/** The printer, and since when it has no paper. One that says nothing has not said that there is paper again. */
function withPaper(before: readonly Printer[], now: Printer, at: number): Printer {
  const { paperOutSince } = before.find(({ endpoint }) => endpoint === now.endpoint) ?? {};
  const { paperOutSince: _, ...said } = now;
  const word = paperWord(now);
  if (word === 'out') return { ...said, paperOutSince: paperOutSince ?? new Date(at).toISOString() };
  return word === 'unknown' && paperOutSince !== undefined ? { ...said, paperOutSince } : said;
}

/** Since when one of them has no paper. A node that tells of no printer has not said that there is paper again. */
function paperOutSince(before: NodeState, printers: readonly Printer[]): number | null {
  if (printers.length === 0) return before.paper_out_since;
  const times = printers.flatMap(({ paperOutSince }) => (paperOutSince === undefined ? [] : Date.parse(paperOutSince)));
  return times.length === 0 ? null : Math.min(...times);
}

/** The version as a text that sorts as versions do, for the column `version_order`. */
export const versionOrder = ({ version }: Pick<NodeState, 'version'>): string => orderOf(version);
