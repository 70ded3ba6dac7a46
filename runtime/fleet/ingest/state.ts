/** What is known of a node, and how one message changes it. Nothing here reads a clock or a database. */
import type { Heartbeat, Webhook } from '../contract.ts';
import type { Oddity } from './oddities.ts';
import { type Seen, see } from './seen.ts';
import { orderOf } from './version-order.ts';

/** The columns of the table `node` that messages change; times in milliseconds since 1970. */
export interface NodeState {
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
  /** When the newest boot began, by the clock here. */
  readonly boot_started: number | null;
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
}
type Printer = NonNullable<Heartbeat['printers']>[number];

/** A change worth keeping. */
export interface Transition {
  readonly kind: 'first_heard' | 'printer' | 'paper' | 'version' | 'crash' | 'custody';
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
}

/** Crashes within an hour that are a loop; as many as the node itself prints a notice for. */
export const LOOP_CRASHES = 3;
/** A node that comes back to an address it left so recently is two nodes with one id, or behind two ways out. */
const SAME_TIME_MS = 600_000;
/** Clocks of nodes may be wrong by this much before it is counted. */
const CLOCK_MS = 300_000;
/** A first boot id for nodes that tell none. */
const NO_BOOT = '';

/** A heartbeat that came `at` this time from `address`. */
export function takeHeartbeat(before: NodeState, beat: Heartbeat, at: number, address: string): Taken {
  const boot = beat.bootId ?? NO_BOOT;
  const uptime = beat.uptimeSeconds ?? 0;
  const known = before.boots.find((each) => each.boot === boot);
  // Without a boot id, a lower number at a lower uptime is a node that was started again.
  const restarted =
    boot === NO_BOOT && known !== undefined && beat.seq < known.highest && uptime < before.uptime_seconds;
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
  const oddities = [...addressOddity(before, heard, at), ...clockOddity(beat, at)];
  // A late one of an earlier number or boot counts, but says nothing new.
  if (known !== undefined && !restarted && beat.seq < known.highest)
    return { state: heard, fresh: true, transitions: [], oddities };
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
  if (crashed !== undefined) transitions.push({ kind: 'crash', after: crashed.reason, detail: crashed });
  const printers = beat.printers ?? before.printers;
  transitions.push(...printers.flatMap((now) => printerTransitions(before.printers, now)));
  const held = beat.custodyHold ?? false;
  if (held !== (before.custody_since !== null))
    transitions.push({ kind: 'custody', after: held ? 'held' : 'released' });

  const state: NodeState = {
    ...heard,
    variant: beat.variant ?? before.variant,
    version,
    slot: beat.slot ?? before.slot,
    uptime_seconds: uptime,
    boot_started: newBoot ? started : Math.min(before.boot_started ?? started, started),
    event_seq: newBoot && (before.event_at ?? 0) < started ? 0 : before.event_seq,
    printers,
    peripherals: beat.peripherals ?? before.peripherals,
    counters: beat.counters ?? before.counters,
    crash: beat.crash ?? null,
    ...(crashed !== undefined && {
      crash_at: at,
      crash_version: crashedVersion(before, crashed, version),
      crashes: [at, ...before.crashes].slice(0, LOOP_CRASHES),
    }),
    paper_out_since: paperOutSince(before, printers, at),
    custody_since: held ? (before.custody_since ?? at) : null,
    update_policy: beat.updatePolicy ?? before.update_policy,
  };
  return { state, fresh: true, transitions, oddities };
}

/**
 * Whether a webhook may be of a boot that nothing is known of. There is no boot id in it, but a time: that boot began after
 * the node was last heard, or the node was never heard.
 */
export const mayBeginBoot = (before: NodeState, { uptimeMs }: Webhook, at: number): boolean =>
  at - uptimeMs > before.last_seen || (before.heartbeats === 0 && before.event_at === null);

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
  const state = { ...before, last_seen: at, event_seq: seq, event_at: at };
  if (event.type !== 'printer_status') return { state, fresh: true, transitions: [], oddities: [] };
  const now = event as unknown as Printer;
  const printers = before.printers.some(({ endpoint }) => endpoint === now.endpoint)
    ? before.printers.map((each) => (each.endpoint === now.endpoint ? { ...each, ...now } : each))
    : [...before.printers, now];
  return {
    state: { ...state, printers, paper_out_since: paperOutSince(before, printers, at) },
    fresh: true,
    transitions: printerTransitions(before.printers, now),
    oddities: [],
  };
}

/** `uptimeSeconds` of a heartbeat is rounded down; clocks of two machines drift apart by seconds a day. */
const CLOCK_SLACK_MS = 10_000;

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
    return [{ kind, ...endpoint, ...(from !== undefined && { before: from }), after: to }];
  });
}

/** Since when there is no paper. A printer that says nothing has not said that there is paper again. */
function paperOutSince(before: NodeState, printers: readonly Printer[], at: number): number | null {
  const words = printers.map(paperWord);
  if (words.includes('out')) return before.paper_out_since ?? at;
  return words.includes('unknown') ? before.paper_out_since : null;
}

/** The version as a text that sorts as versions do, for the column `version_order`. */
export const versionOrder = ({ version }: Pick<NodeState, 'version'>): string => orderOf(version);
