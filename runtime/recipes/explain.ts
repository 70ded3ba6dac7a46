/**
 * Explains which recipe row a device gets: all candidates in the order of precedence, and what would change the result.
 */
import type { CodecDeclaration } from '../../codecs/codec.ts';
import { parseDeviceId } from '../../codecs/ieee1284.ts';
import { defined } from '../base/defined.ts';
import { adviceFor, LANGUAGES, LANGUAGES_OF, type PlacedRow } from './files.ts';
import type { Codecs, RecipeRow } from './row.ts';
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
  /** The codec whose language it names. */
  readonly spoken?: CodecDeclaration;
  /** The only language that the device id names, if it is one that is refused. */
  readonly refusedAs?: string;
}

/** All rows of the repository, and the codecs of the rooms at hand. */
interface Known {
  readonly placed: readonly PlacedRow[];
  readonly codecs: Codecs;
}

/**
 * Explains the row for these ids (four hexadecimal digits each) and this device id (IEEE 1284, for example
 * `MFG:…;MDL:…;`; undefined: the device has none).
 */
export function explain(
  { vendorId, productId }: { readonly vendorId: string; readonly productId: string },
  deviceId: string | undefined,
  { placed, codecs }: Known,
): Explanation {
  const said = understand(deviceId, codecs);
  const table = new RecipeTable(placed.map(({ row }) => row));
  const { mfg, mdl, spoken } = said;
  const winner = table.resolve({ vendorId, productId }, { mfg, mdl, ...defined({ codec: spoken?.name }) })?.row;
  const candidates = placed
    .filter(({ row }) => row.vendorId === vendorId && (row.productId === productId || row.productId === '*'))
    .sort((a, b) => rank(b.row) - rank(a.row));
  const rows = candidates.map(({ row, path, line }, index) => {
    const missing = whatItNeeds(row, said, codecs);
    const standing =
      row === winner ? `wins: ${grounds(row)}` : missing ? `passed over: needs ${missing}` : 'comes after';
    return `  ${index === 0 ? 'builtin' : '       '}  ${row.id} (${path}:${line}) ${standing}`;
  });
  const passedOver = candidates.flatMap(({ row }) => {
    const missing = whatItNeeds(row, said, codecs);
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

function understand(deviceId: string | undefined, codecs: Codecs): Said {
  const id = deviceId === undefined ? undefined : parseDeviceId(Buffer.from(`\0\0${deviceId}`, 'latin1'));
  if (!id?.ok) return { mfg: '', mdl: '' };
  const asked = [...codecs.values()].flatMap((codec) =>
    codec.language === undefined ? [] : [{ codec, said: codec.language.of(id.value, LANGUAGES) }],
  );
  const spoken = asked.find(({ codec, said }) => said.verdict === codec.name)?.codec;
  const refusedAs =
    spoken === undefined ? asked.find(({ said }) => said.verdict === 'refuse')?.said.language : undefined;
  return { mfg: id.value.manufacturer, mdl: id.value.model, ...defined({ spoken, refusedAs }) };
}

/** Precedence: rows of one product before rows of a whole vendor, then by the length of `match`. */
const rank = ({ productId, match }: RecipeRow) =>
  (productId === '*' ? 0 : 1000) + Object.values(match ?? {}).join('').length;

/** What the device id lacks for the row to apply, as text; undefined if the row applies. */
function whatItNeeds(row: RecipeRow, { mfg, mdl, spoken }: Said, codecs: Codecs): string | undefined {
  const { refuse, requires, codec, match = {} } = row;
  const contains = (text: string, part = '') => text.toUpperCase().includes(part.toUpperCase());
  if (!contains(mfg, match['mfg'])) return `a device id whose MFG contains "${match['mfg']}"`;
  if (!contains(mdl, match['mdl'])) return `a device id whose MDL contains "${match['mdl']}"`;
  if (refuse !== undefined && spoken !== undefined) return `a device id that does not list ${spoken.language?.name}`;
  if (requires === 'device-id' && spoken?.name !== codec)
    return `a device id that lists ${codecs.get(codec ?? '')?.language?.name ?? `the language of ${codec}`}`;
  return undefined;
}

const grounds = ({ productId, match }: RecipeRow): string =>
  `${productId === '*' ? 'any product of the vendor' : 'this product'}${match ? ', and its device id matches' : ''}`;

const derivation = ({ spoken }: Said): string =>
  spoken === undefined
    ? 'what the descriptors say: see the rooms in plugins/'
    : `${spoken.name}: the device id lists ${spoken.language?.name}`;

function outcome(row: RecipeRow | undefined, { refusedAs }: Said): string {
  if (refusedAs !== undefined && (row === undefined || row.kind === LANGUAGES_OF))
    return `refused: ${refusedAs}, the only language its device id names; that outweighs every row`;
  if (row === undefined) return 'no row';
  if (row.refuse === undefined) return `driven as a ${row.kind} by ${row.codec} ${JSON.stringify(row.options)}`;
  const advice = adviceFor(row.refuse);
  return `refused: ${row.refuse}${advice === undefined ? '' : `; ${advice}`}`;
}
