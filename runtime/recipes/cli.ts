/**
 * The commands of `npm run recipes`, which the assembly gives the codecs of the rooms: checks, explains and drafts recipe rows, and takes those of certified devices. Exit codes: 0 success, 1 fault or no row, 2 usage error.
 */

import type { Output } from '../base/output.ts';
import { Refused } from '../base/refused.ts';
import { type AcceptPlace, accept, type CertifyingRoom } from './accept.ts';
import { checkRecipes } from './check.ts';
import { draftOf } from './draft.ts';
import { explain } from './explain.ts';
import { type PlacedRow, placedRows, type RecipeFile, readRecipeFiles } from './files.ts';
import type { Codecs } from './row.ts';

const USAGE = `usage: npm run recipes -- check [ROOM]   ROOM: folder of a plugin, whose rows may name its codecs
       npm run recipes -- explain VID:PID [DEVICE-ID] [--with ROOM]   --with: also by its rows and codecs
       npm run recipes -- draft VID:PID [--with ROOM]
       npm run recipes -- accept CERTIFICATE.json [--with ROOM]   --with: into that room, not into this tree
`;

/** What rows may name, and where they stand. */
export interface RowsPlace {
  readonly codecs: Codecs;
  /** Default: `recipes` */
  readonly directory?: string | undefined;
  /** The rows of a room from outside, whose codecs are among `codecs`; none unless given. */
  readonly also?: string | undefined;
  /** Rooms that certify devices, by their kind: for `accept`, which puts one into the room from outside where there is one. */
  readonly rooms?: ReadonlyMap<string, CertifyingRoom>;
}

/** Runs one command; returns the exit code. */
export function main(args: readonly string[], { out, err }: Output, place: RowsPlace): number {
  const { codecs, directory = 'recipes', also, rooms = new Map() } = place;
  const [command, ids, deviceId, ...rest] = args;
  if (command === 'accept' && ids !== undefined && args.length === 2) {
    const [own, other] = also === undefined ? [directory] : [also, directory];
    return take(ids, { codecs, rooms, directory: own, also: other }, { out, err });
  }
  const device = /^([0-9a-f]{4}):([0-9a-f]{4})$/i.exec(ids ?? '');
  const understood = command === 'check' ? ids === undefined : device && (command === 'explain' || !deviceId);
  if (!understood || rest.length > 0 || !['check', 'explain', 'draft'].includes(command ?? '')) {
    err(USAGE);
    return 2;
  }
  const files = [directory, ...(also === undefined ? [] : [also])].flatMap((folder) => readRecipeFiles(folder));
  const faults = checkRecipes(files, codecs);
  for (const { path, line, row, field, reason } of faults) {
    err(`${path}:${line}: ${row === undefined ? '' : `row ${row}: `}${field}: ${reason}\n`);
  }
  if (faults.length > 0) return 1;
  const rows = placedRows(files);
  const [, vendorId = '', productId = ''] = device?.map((id) => id.toLowerCase()) ?? [];
  if (command === 'check') return report(files, rows, out);
  if (command === 'draft') return draft({ vendorId, productId }, { rows, codecs }, { out, err });
  const { lines, row } = explain({ vendorId, productId }, deviceId, { placed: rows, codecs });
  out(`${lines.join('\n')}\n`);
  return row === undefined ? 1 : 0;
}

function take(file: string, place: AcceptPlace, { out, err }: Output): number {
  try {
    out(`${accept(file, place).join('\n')}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    err(`${file}: ${error.message}\n`);
    return 1;
  }
}

function report(files: readonly RecipeFile[], rows: readonly PlacedRow[], out: Output['out']): number {
  out(`${rows.length} rows in ${files.length} files are in order\n`);
  return 0;
}

function draft(
  device: { readonly vendorId: string; readonly productId: string },
  { rows, codecs }: { readonly rows: readonly PlacedRow[]; readonly codecs: Codecs },
  { out, err }: Output,
): number {
  const drafted = draftOf(device, rows, codecs);
  if (!drafted.ok) {
    err(`${drafted.reason}\n`);
    return 1;
  }
  const { row, path } = drafted.value;
  out(`${JSON.stringify(row, null, 2)}\n`);
  err(`complete it and put it into ${path ?? 'a new file recipes/<maker>.json'}, sorted by ids\n`);
  return 0;
}
