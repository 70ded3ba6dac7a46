/** The README's table of tested devices: its lines, and how one is put into it. */

import { explain } from './explain.ts';
import type { PlacedRow } from './files.ts';
import type { Codecs } from './row.ts';

/** A device that was tested, and what with. */
export interface TestedDevice {
  readonly vendorId: string;
  readonly productId: string;
  /** As its descriptors say. */
  readonly make: string;
  readonly model: string;
  readonly means: readonly string[];
  /** IEEE 1284, where a row asks for it. */
  readonly deviceId?: string | undefined;
}

const HEAD = ['| make | model | id | kind | codec | tested with |', '|---|---|---|---|---|---|'];
const TABLE = /(<!-- tested devices -->\n)([\s\S]*?)(\n<!-- end -->)/;

/** The table, one line for each device, sorted by make. */
export const tableOf = (devices: readonly TestedDevice[], rows: readonly PlacedRow[], codecs: Codecs): string =>
  linesOf(devices.map((device) => lineOf(device, rows, codecs)));

const linesOf = (lines: readonly string[]) => [...HEAD, ...lines.toSorted()].join('\n');

function lineOf(
  { make, model, means, deviceId, ...ids }: TestedDevice,
  rows: readonly PlacedRow[],
  codecs: Codecs,
): string {
  const { row: { kind, codec } = {} } = explain(ids, deviceId, { placed: rows, codecs });
  const driven = [kind, codec].map((word) => word ?? 'worked out by the node');
  const id = `\`${ids.vendorId}:${ids.productId}\``;
  return `| ${[make, model, id, ...driven, [...new Set(means)].sort().join(', ')].join(' | ')} |`;
}

/** The table in a document; undefined if it has none. */
export const tableIn = (text: string): string | undefined => TABLE.exec(text)?.[2];

/** The document with the device in its table: what it was tested with is added to its line. Throws where it has no table. */
export function withTested(text: string, device: TestedDevice, rows: readonly PlacedRow[], codecs: Codecs): string {
  const table = tableIn(text);
  if (table === undefined) throw new Error('the README has no table of tested devices');
  const lines = table.split('\n').slice(HEAD.length);
  const id = `\`${device.vendorId}:${device.productId}\``;
  const cells =
    lines
      .find((line) => line.split(' | ')[2] === id)
      ?.slice(2, -2)
      .split(' | ') ?? [];
  const [make = device.make, model = device.model, , , , before] = cells;
  const means = [...(before?.split(', ') ?? []), ...device.means];
  const others = lines.filter((line) => line.split(' | ')[2] !== id);
  const line = lineOf({ ...device, make, model, means }, rows, codecs);
  return text.replace(TABLE, (_, begin, __, end) => `${begin}${linesOf([...others, line])}${end}`);
}
