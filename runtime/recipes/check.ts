/** Checks recipe files. */

import { parse, positionOf } from '../base/json-places.ts';
import { isRecord } from '../base/record.ts';
import { type RecipeFile, refusalsOf } from './files.ts';
import { type Codecs, checkRow, type OtherCodecs, type RecipeRow } from './row.ts';

/** A fault in a recipe file. */
export interface RecipeFault {
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
  /** Id of the row; absent if it has none, or if the fault is not in a row. */
  readonly row?: string;
  /** Name of the field; `file` for a fault of the whole file. */
  readonly field: string;
  readonly reason: string;
}

const FILE_KEYS = ['maker', 'rows'];
/** All faults in these files, also those between rows. `codecs`: the codecs that a row may name; `others`: as `checkRow`. */
export function checkRecipes(
  files: readonly RecipeFile[],
  codecs: Codecs,
  others: OtherCodecs = 'refused',
): RecipeFault[] {
  const taken = new Map<string, string>();
  const checks: Checks = {
    row: (row) => checkRow(row, codecs, others),
    needsDeviceId: (codec) => codecs.get(codec)?.toldByDescriptor !== true,
  };
  return files.flatMap((file) => checkFile(file, checks, taken));
}

interface Checks {
  readonly row: (row: unknown) => string | undefined;
  /** Whether a row with this codec for all products of a vendor needs a device id that names its language. */
  readonly needsDeviceId: (codec: string) => boolean;
}

function checkFile({ path, text }: RecipeFile, checks: Checks, taken: Map<string, string>): RecipeFault[] {
  const parsed = parse(text, '');
  const lineAt = (offset: number) => positionOf(text, offset).line;
  const fault = (field: string, reason: string, line = 1): RecipeFault[] => [{ path, line, field, reason }];
  if (!parsed.ok) return fault('file', `is not JSON: ${parsed.message}`, lineAt(parsed.at.from));
  const { value: file } = parsed;
  const lineOf: LineOf = (...keys) => lineAt(parsed.place(['', ...keys].join('/')).from);
  if (!isRecord(file) || !Array.isArray(file['rows'])) return fault('file', 'must be {"maker": "...", "rows": [...]}');
  const strange = Object.keys(file).find((key) => !FILE_KEYS.includes(key));
  if (strange !== undefined) return fault(strange, 'is not a field of a maker file', lineOf(strange));
  const { maker, rows } = file;
  if (typeof maker !== 'string') return fault('maker', 'must be text', lineOf('maker'));

  let before = '';
  return rows.flatMap((written: unknown, index): RecipeFault[] => {
    const row = isRecord(written) ? { make: maker, options: {}, ...written } : written;
    const problem = checks.row(row) ?? checkPlaced(row as RecipeRow, checks, { before, path, taken });
    before = isRecord(row) ? sortKeyOf(row as unknown as RecipeRow) : before;
    return problem === undefined ? [] : [located(problem, row, path, lineOf, index)];
  });
}

/** The line, from 1, of the value at these keys, or of the nearest parent that exists. */
type LineOf = (...keys: readonly (string | number)[]) => number;

/** Adds file and line. `problem` is `field: reason`. */
function located(problem: string, row: unknown, path: string, lineOf: LineOf, index: number): RecipeFault {
  const colon = problem.indexOf(': ');
  const field = problem.slice(0, colon);
  const line = lineOf('rows', index, ...field.split('.'));
  const id = isRecord(row) && typeof row['id'] === 'string' ? { row: row['id'] } : {};
  return { path, line, ...id, field, reason: problem.slice(colon + 2) };
}

/** Rules between rows (unique, sorted), and those that apply only to rows in the repository. */
function checkPlaced(
  row: RecipeRow,
  { needsDeviceId }: Checks,
  { before, path, taken }: { readonly before: string; readonly path: string; readonly taken: Map<string, string> },
): string | undefined {
  const { id, vendorId, productId, kind, codec, refuse, match, requires, confidence, source } = row;
  if (confidence === undefined) return 'confidence: is missing';
  if (source === undefined) return 'source: is missing';
  if (refuse !== undefined && !refusalsOf(kind).includes(refuse)) return `refuse: refused.json has no ${refuse}`;
  if (productId === '*' && codec !== undefined && requires === undefined && needsDeviceId(codec))
    return 'requires: a vendor id alone drives nothing, so this needs "device-id"';
  const device = `${vendorId}:${productId} ${match?.mfg ?? ''} / ${match?.mdl ?? ''}`.toUpperCase();
  const [sameId, sameDevice] = [taken.get(id), taken.get(device)];
  taken.set(id, path).set(device, path);
  if (sameId !== undefined) return `id: a row of ${sameId} has it`;
  if (sameDevice !== undefined) return `productId: a row of ${sameDevice} has the same ids and match`;
  return sortKeyOf(row) < before
    ? 'vendorId: stands too late; rows are sorted by vendor id, then product id'
    : undefined;
}

/** The sort key of a row: vendor id, product id with `*` last, rows with a `match` before the one without. */
export const sortKeyOf = ({ vendorId, productId, match }: Pick<RecipeRow, 'vendorId' | 'productId' | 'match'>) =>
  `${vendorId} ${productId === '*' ? 'z' : productId} ${match === undefined ? 1 : 0}`;
