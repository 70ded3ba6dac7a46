/** What the certificate takes of the records of a step (GET /capture). */
import { decodeBase64 } from '../../codecs/base64.ts';
import type { CapturedRecord } from './anonymous.ts';
import type { Transfer } from './tour.ts';

/** All but what says that a device was plugged in. */
export const withoutDevice = (records: readonly CapturedRecord[]) =>
  records.filter(({ direction }) => direction !== 'connect');

/** The mark, and then from the last time on that the device was plugged in. */
export const asPluggedIn = (records: readonly CapturedRecord[]) => [
  ...records.slice(0, 1),
  ...records.slice(records.findLastIndex(({ direction }) => direction === 'connect')),
];

/** A transfer by which the node gets to know a device names no endpoint yet. */
export const isBeforeBound = ({ endpoint, direction }: CapturedRecord) =>
  endpoint === undefined && (direction === 'in' || direction === 'out');

/** The record as a transfer of the device; none where it is another record. */
export const transferOf = ({ direction, tMs, data }: CapturedRecord): Transfer[] =>
  direction === 'in' || direction === 'out' ? [{ direction, tMs, data: decodeBase64(data) ?? new Uint8Array(0) }] : [];
