/** Texts for error codes, times and names. */

import { isolated, language, wordsOfAny } from '../../base/speech.ts';
import { messageOf } from '../../base/thrown.ts';
import { NodeError, type Status } from '../../client/client.ts';
import { say } from './say.ts';
import { detailInWords } from './shape-faults.ts';

/** A refusal or a failure as a sentence. */
export function faultOf(error: unknown): string {
  if (!(error instanceof NodeError)) return messageOf(error);
  const { code } = error;
  const words = faultWords(code) ?? `The node refused: ${code}.`;
  return error.detail === undefined || code === 'unreachable'
    ? words
    : `${words} (${isolated(detailInWords(error.detail))})`;
}

/**
 * An error code in words: those of the page, or of the room that has it (`fault_<code>` in its `words`), else what its row
 * means, in English; undefined for one that nobody declares.
 */
export function faultWords(code: string): string | undefined {
  const words = say.find(`fault_${code}`) ?? wordsOfAny(`fault_${code}`);
  const { meaning } = new NodeError(code, 0);
  return words ?? (meaning && `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`);
}

/** What the type of a command is called by its room (`command_<type>` in its `words`); the type itself where it has no words. */
export const commandWords = (type: string): string => wordsOfAny(`command_${type}`) ?? type;

/** A kind of devices in words: those of the page, or of the room that drives it (`kind_<kind>` in its `words`), else as it is. */
export const kindName = (kind: string): string => say.find(`kind_${kind}`) ?? wordsOfAny(`kind_${kind}`) ?? kind;

/** The code of a refusal or a failure, if it has one. */
export const codeOf = (error: unknown): string | undefined => (error instanceof NodeError ? error.code : undefined);

/** A boot slot in words: `a` and `b` are letters everywhere, `factory` is a word. */
export const slotName = (slot: string): string => say.find(`slot_${slot}`) ?? slot;

/** Why a device is not driven, as half a sentence; the code itself where it has no words. */
export const reasonOf = (code: string): string =>
  say.find(`reason_${code}`) ?? (code.startsWith('second_') ? say('reason_second') : code);

/** What an error code or the reason of a rejection means. */
export const meaningOf = (code: string): string =>
  say.find(`fault_${code}`) ?? wordsOfAny(`fault_${code}`) ?? reasonOf(code);

const UNITS = [
  [86_400_000, 'days'],
  [3_600_000, 'hours'],
  [60_000, 'minutes'],
] as const;

/** Milliseconds as `12 s`, `5 min`, `3 h`, `2 d`. */
export function duration(ms: number): string {
  const [size, unit] = UNITS.find(([least]) => ms >= least) ?? ([1000, 'seconds'] as const);
  return say(unit, { n: Math.floor(ms / size) });
}

/** A past time, `ms` milliseconds ago, in words. */
export const ago = (ms: number): string => (ms < 1000 ? say('justNow') : say('ago', { time: duration(ms) }));

type Counts = Status['counters'][number]['total'];

/** The counter of a device, since the start and in total, as text; undefined if the device does not have it. */
export function counted(status: Status | undefined, endpoint: string, what: keyof Counts): string | undefined {
  const counters = status?.counters?.find((each) => each.endpoint === endpoint);
  const total = counters?.total[what];
  return total === undefined ? undefined : say('counted', { n: counters?.sinceStart[what] ?? 0, total });
}

/** The local time of day, `agoMs` milliseconds ago, in hours and minutes, with the digits that stand everywhere else. */
export const clock = (agoMs = 0): string =>
  new Date(Date.now() - agoMs).toLocaleTimeString(`${language}-u-nu-latn`, { hour: 'numeric', minute: '2-digit' });

/** The name of the node; `node-<device id>` if it has none. */
export function nodeName(status: Status | undefined): string {
  if (status === undefined) return 'tillnode';
  const { name, deviceId } = status.identity as { readonly name?: string; readonly deviceId: string };
  return name || `node-${deviceId}`;
}

/** Make and model of a device; its ids if it reports neither. */
export const deviceName = (device: {
  readonly make: string;
  readonly model: string;
  readonly vendorId: string;
  readonly productId: string;
}): string => `${device.make} ${device.model}`.trim() || `${device.vendorId}:${device.productId}`;
