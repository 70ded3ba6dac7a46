/** Takes out of a recording what tells one copy of a device from another: its serial number, wherever it is said. */
import { decodeBase64 } from '../../codecs/base64.ts';
import type { NodeClient } from '../client/client.ts';

/** One record of GET /capture. */
export type CapturedRecord = ReturnType<NodeClient['capture']> extends AsyncGenerator<infer Each> ? Each : never;

/** A shorter one is none, and would be found in anything. */
const LEAST_SERIAL = 4;
/** The fields of a device id (IEEE 1284) that makers put it in. */
const DEVICE_ID_SERIAL = /(?<=(?:^|;)\s*(?:SN|SERN|SERIALNUMBER|SERIAL NUMBER|SERIAL|S\/N)\s*:)[^;]+/gi;

/**
 * The records without the serial number: it is left out of the identities, and each of its characters is a `0` in the data,
 * so that lengths stay. Times count from the first record.
 */
export function anonymous(records: readonly CapturedRecord[]): CapturedRecord[] {
  const serials = new Set(records.flatMap(({ identity }) => identity?.serial ?? []));
  const first = records[0]?.tMs ?? 0;
  return records.map(({ identity, ...record }) => ({
    ...record,
    tMs: Math.max(0, record.tMs - first),
    ...(record.lastTMs !== undefined && { lastTMs: Math.max(0, record.lastTMs - first) }),
    data: cleaned(record, serials),
    ...(identity && { identity: withoutSerial(identity) }),
  }));
}

const withoutSerial = ({ serial: _, ...identity }: NonNullable<CapturedRecord['identity']>) => identity;

function cleaned({ data, setup }: Omit<CapturedRecord, 'identity'>, serials: ReadonlySet<string>): string {
  const before = latin1Of(data);
  let text = setup === undefined ? before : before.replaceAll(DEVICE_ID_SERIAL, zeros);
  for (const serial of serials) {
    if (serial.length < LEAST_SERIAL) continue;
    const wide = [...serial].join('\0');
    text = text.replaceAll(serial, zeros).replaceAll(wide, [...zeros(serial)].join('\0'));
  }
  return text === before ? data : btoa(text);
}

const zeros = (text: string): string => '0'.repeat(text.length);

/** The bytes of a record as text, one character a byte. */
const latin1Of = (data: string): string => String.fromCharCode(...(decodeBase64(data) ?? []));
