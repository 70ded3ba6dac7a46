/**
 * Explains which recipe row a device gets: all candidates in the order of precedence, and what would change the result.
 */
import { languageOf, parseDeviceId } from '../../codecs/ieee1284.ts';
import { adviceFor, LANGUAGES, type PlacedRow } from './files.ts';
import type { RecipeRow } from './row.ts';
import { RecipeTable } from './table.ts';

/** The result, for people and for the exit code. */
export interface Explanation {
  readonly lines: readonly string[];
  /** The row that the device gets; undefined if none fits. */
  readonly row: RecipeRow | undefined;
}

/** What a device id states (IEEE 1284). */
interface Said {
  readonly mfg: string;
  readonly mdl: string;
  readonly codec?: 'escpos';
  /** The only language that the device id names, if it is one that is refused. */
  readonly refusedAs: string | undefined;
}

/**
 * Explains the row for these ids (four hexadecimal digits each) and this device id (IEEE 1284, for example
 * `MFG:…;MDL:…;`; undefined: the device has none). `placed`: all rows of the repository.
 */
export function explain(
  { vendorId, productId }: { readonly vendorId: string; readonly productId: string },
  deviceId: string | undefined,
  placed: readonly PlacedRow[],
): Explanation {
  const said = understand(deviceId);
  const table = new RecipeTable(placed.map(({ row }) => row));
  const { refusedAs: _, ...named } = said;
  const winner = table.resolve({ vendorId, productId }, named)?.row;
  const candidates = placed
    .filter(({ row }) => row.vendorId === vendorId && (row.productId === productId || row.productId === '*'))
    .sort((a, b) => rank(b.row) - rank(a.row));
  const rows = candidates.map(({ row, path, line }, index) => {
    const missing = whatItNeeds(row, said);
    const standing =
      row === winner ? `wins: ${grounds(row)}` : missing ? `passed over: needs ${missing}` : 'comes after';
    return `  ${index === 0 ? 'builtin' : '       '}  ${row.id} (${path}:${line}) ${standing}`;
  });
  const passedOver = candidates.flatMap(({ row }) => {
    const missing = whatItNeeds(row, said);
    return row !== winner && missing !== undefined ? [`  ${missing}: ${row.id}`] : [];
  });
  const lines = [
    `${vendorId}:${productId}, ${deviceId === undefined ? 'no device id' : `device id ${deviceId}`}`,
    '  cloud    not in this repository',
    '  cached   not in this repository',
    ...(rows.length > 0 ? rows : ['  builtin  no row of this vendor fits']),
    `  derived  ${winner === undefined ? derivation(said) : 'not asked'}`,
    outcome(winner, said),
    'what would change it:',
    ...passedOver,
    ...(rows.length === 0 ? [`  a row of recipes/: npm run new -- recipe ${vendorId}:${productId}`] : []),
    `  a row of the cloud overlay or the cached table for ${vendorId}:${productId} or ${vendorId}:*`,
  ];
  return { lines, row: winner };
}

function understand(deviceId: string | undefined): Said {
  const id = deviceId === undefined ? undefined : parseDeviceId(Buffer.from(`\0\0${deviceId}`, 'latin1'));
  if (!id?.ok) return { mfg: '', mdl: '', refusedAs: undefined };
  const verdict = languageOf(id.value, LANGUAGES);
  return {
    mfg: id.value.manufacturer,
    mdl: id.value.model,
    ...(verdict.verdict === 'escpos' && { codec: 'escpos' }),
    refusedAs: verdict.verdict === 'refuse' ? verdict.language : undefined,
  };
}

/** Precedence: rows of one product before rows of a whole vendor, then by the length of `match`. */
const rank = ({ productId, match }: RecipeRow) =>
  (productId === '*' ? 0 : 1000) + Object.values(match ?? {}).join('').length;

/** What the device id lacks for the row to apply, as text; undefined if the row applies. */
function whatItNeeds({ refuse, requires, match = {} }: RecipeRow, { mfg, mdl, codec }: Said): string | undefined {
  const contains = (text: string, part = '') => text.toUpperCase().includes(part.toUpperCase());
  if (!contains(mfg, match['mfg'])) return `a device id whose MFG contains "${match['mfg']}"`;
  if (!contains(mdl, match['mdl'])) return `a device id whose MDL contains "${match['mdl']}"`;
  if (refuse !== undefined && codec) return 'a device id that does not list ESC/POS';
  if (requires === 'device-id' && !codec) return 'a device id that lists ESC/POS';
  return undefined;
}

const grounds = ({ productId, match }: RecipeRow): string =>
  `${productId === '*' ? 'any product of the vendor' : 'this product'}${match ? ', and its device id matches' : ''}`;

const derivation = ({ codec }: Said): string =>
  codec ? 'escpos: the device id lists ESC/POS' : 'what the descriptors say: see the rooms in plugins/';

function outcome(row: RecipeRow | undefined, { refusedAs }: Said): string {
  if (refusedAs !== undefined && (row === undefined || row.kind === 'printer'))
    return `refused: ${refusedAs}, the only language its device id names; that outweighs every row`;
  if (row === undefined) return 'no row';
  if (row.refuse === undefined) return `driven as a ${row.kind} by ${row.codec} ${JSON.stringify(row.options)}`;
  const advice = adviceFor(row.refuse);
  return `refused: ${row.refuse}${advice === undefined ? '' : `; ${advice}`}`;
}
