/**
 * Puts a certified device into the tree, or into a room outside of it: its row into the file of its maker, its recording where it is
 * played as a test, and its line into the README's table of tested devices. All is checked before anything is written.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { createAjv } from '../base/ajv.ts';
import { parse } from '../base/json-places.ts';
import { Refused } from '../base/refused.ts';
import { sentenceOf, shapeFaultOf } from '../base/shape-faults.ts';
import { readRecording, writeLine } from '../bindings/recording.ts';
import type { UsbIdentity } from '../bindings/usb.ts';
import { deviceIn } from '../bindings/virtual/replay.ts';
import { Certificate } from './certificate.ts';
import { checkRecipes } from './check.ts';
import { draftOf, nameOf } from './draft.ts';
import { type PlacedRow, placedRows, type RecipeFile, readRecipeFiles } from './files.ts';
import type { Codecs, RecipeRow } from './row.ts';
import { tableIn, withTested } from './tested-devices.ts';
import { inserted, newFile, written } from './text.ts';

/** A certificate as it stands in the tree, beside its recording. */
export interface Certified extends Omit<Certificate, 'recording'> {
  /** The row that it was driven by; none where the node had worked one out. */
  readonly rows: readonly RecipeRow[];
}

/** What a recording and a certificate are called in their folder. */
export const CERTIFIED = 'certified';
const SOURCE = 'certified';

/** How devices of one kind are certified, and where what comes of it goes. */
export interface CertifyingRoom {
  /** Paths of the commands that its tour sends. */
  readonly sends: readonly string[];
  /** Folder of its recordings, from the root of the tree or of the room. */
  readonly recordings: string;
  /** How a certificate there is played, in words. */
  readonly play: string;
}

/** Where a certified device goes. */
export interface AcceptPlace {
  readonly codecs: Codecs;
  /** By the kind of their devices. */
  readonly rooms: ReadonlyMap<string, CertifyingRoom>;
  /** Folder of the rows, in the root of the tree or of a room outside of it. */
  readonly directory: string;
  /** Folder of rows that count, too, and stay as they are; none unless given. */
  readonly also?: string | undefined;
}

/** Returns what it did, in lines. Throws `Refused`, with the reason, where it does nothing. */
export function accept(path: string, { codecs, rooms, directory, also }: AcceptPlace): string[] {
  const root = dirname(directory);
  const { recording, ...certificate } = readCertificate(path);
  const { row, node, drivenBy } = certificate;
  // The first one is how the device came.
  if (certificate.steps.length < 2) throw new Refused('steps: nothing was tried');
  const identity = deviceOf(recording, row);
  if (codecs.get(row.codec)?.onSerialLine)
    throw new Refused(
      'row: the ids of a serial adapter do not say what hangs on it; npm run new -- recording makes a test',
    );
  const room = rooms.get(row.kind);
  if (room === undefined) throw new Refused(`row: no room certifies a ${row.kind}`);
  const stray = certificate.steps.find(({ sent }) => sent !== undefined && !room.sends.includes(sent.path));
  if (stray !== undefined) throw new Refused(`steps: no ${row.kind} is sent ${stray.sent?.path} (${stray.id})`);
  const files = readRecipeFiles(directory);
  const elsewhere = also === undefined ? [] : readRecipeFiles(also);
  if (checkRecipes([...files, ...elsewhere], codecs).length > 0)
    throw new Refused('the recipe files are not in order: npm run recipes -- check');
  const placed = placedRows([...files, ...elsewhere]);
  const driven = drivenBy.tier === 'derived' ? undefined : placed.find((each) => each.row.id === drivenBy.id);
  if (drivenBy.tier !== 'derived' && driven === undefined)
    throw new Refused(`drivenBy: no row of this tree is called ${drivenBy.id}`);

  const name = nameOf(`${row.make} ${row.model}`);
  if (name === '') throw new Refused('row: no folder can be named after its make and model');
  const folder = join(room.recordings, name);
  const origin = `${name}/${CERTIFIED}.ndjson: certified ${node.variant === 'twin' ? 'on the twin: a virtual device' : 'with a real device'}`;
  const mark = {
    seq: 0,
    tMs: 0,
    channel: 'mark',
    direction: 'mark',
    text: origin,
    length: 0,
    data: new Uint8Array(0),
  } as const;
  const texts = { json: join(root, folder, `${CERTIFIED}.json`), ndjson: join(root, folder, `${CERTIFIED}.ndjson`) };
  const told = `${writeLine(mark)}${recording}`;
  if (existsSync(texts.ndjson)) {
    if (readFileSync(texts.ndjson, 'utf8') === told) return [`${folder} has it already: nothing to do`];
    throw new Refused(`${folder} has another certificate; delete that folder's ${CERTIFIED}.* to replace it`);
  }

  const certified: Certified = { ...certificate, rows: driven === undefined ? [] : [driven.row] };
  const recipes = withRow({ files, directory, placed, codecs }, driven, certificate);
  const others = files.filter((file) => file.path !== recipes.path);
  const all = [...others, recipes, ...elsewhere];
  const [fault] = checkRecipes(all, codecs);
  if (fault !== undefined) throw new Refused(`row: ${fault.field}: ${fault.reason}`);
  const readme = join(root, 'README.md');
  const means = [node.variant === 'twin' ? 'recording of a virtual device' : 'recording of a real device'];
  const document = existsSync(readme) ? readFileSync(readme, 'utf8') : '';
  const hasTable = tableIn(document) !== undefined;
  const page = hasTable ? withTested(document, { ...identity, means }, placedRows(all), codecs) : document;

  mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(texts.json, `${JSON.stringify(certified, null, 2)}\n`);
  writeFileSync(texts.ndjson, told);
  writeFileSync(recipes.path, recipes.text);
  if (hasTable) writeFileSync(readme, page);
  return [
    `${relative(root, recipes.path)}: the row of ${row.vendorId}:${row.productId}`,
    `${folder}: certificate and recording`,
    ...(hasTable ? ['README.md: its line of tested devices'] : []),
    `play it: ${room.play}`,
  ];
}

/** Throws `Refused` where the file holds no certificate. */
export function readCertificate(path: string): Certificate {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Refused((error as Error).message);
  }
  const validate = createAjv().compile<Certificate>(Certificate);
  if (validate(value)) return value;
  const [fault] = validate.errors ?? [];
  if (fault === undefined) throw new Refused('file: is no certificate');
  throw new Refused(
    `${fault.instancePath.slice(1).replaceAll('/', '.') || 'file'}: ${sentenceOf(shapeFaultOf(fault))}`,
  );
}

/** The device in the recording: nothing else may be in it, and nothing that tells one copy of it from another. */
function deviceOf(recording: string, { vendorId, productId }: Certificate['row']): UsbIdentity {
  const lines = readRecording(recording);
  if (!lines.ok) throw new Refused(`recording: ${lines.reason}`);
  const found = deviceIn(lines.value);
  if (!found.ok) throw new Refused(`recording: ${found.reason}`);
  const { identity } = found.value;
  const channel = lines.value.find(({ direction }) => direction === 'connect')?.channel;
  const stranger = lines.value.find((line) =>
    line.direction === 'mark' ? !/^certify [a-z0-9-]+$/.test(line.text ?? '') : line.channel !== channel,
  );
  if (stranger !== undefined) throw new Refused(`recording: record ${stranger.seq} is not of the device`);
  if (lines.value.some((line) => line.identity?.serial !== undefined))
    throw new Refused('recording: has a serial number; leave it out');
  if (identity.vendorId !== vendorId || identity.productId !== productId)
    throw new Refused(
      `recording: is of ${identity.vendorId}:${identity.productId}, the row of ${vendorId}:${productId}`,
    );
  if (/[|`<>\p{Cc}]/u.test(`${identity.make}${identity.model}`))
    throw new Refused('recording: the names of the device cannot stand in a table');
  return identity;
}

/** The maker's file with the row: what was measured goes into the row that the device has, or into one of its own. */
function withRow(
  { files, directory, placed, codecs }: Rows,
  driven: PlacedRow | undefined,
  { row: { make, model, ...measured } }: Omit<Certificate, 'recording'>,
): RecipeFile {
  const isOf = ({ row }: PlacedRow) => row.vendorId === measured.vendorId && row.productId === measured.productId;
  const known =
    driven !== undefined && isOf(driven) ? driven : placed.find((each) => isOf(each) && each.row.match === undefined);
  if (known !== undefined) return changed(files, known, measured);
  const drafted = draftOf(measured, placed, codecs, { make, model });
  if (!drafted.ok) throw new Refused(`row: ${drafted.reason}`);
  const { row, path } = drafted.value;
  const { kind, codec } = measured;
  // It was driven with the options of a row of more devices: its own row has them, and what was measured goes before.
  const shared = driven?.row.kind === kind && driven.row.codec === codec ? driven.row.options : undefined;
  const options = { ...shared, ...measured.options };
  const whole = { ...row, ...measured, options, confidence: 'high' as const, source: SOURCE };
  const name = path === undefined ? `${nameOf(make)}.json` : basename(path);
  const file = files.find((each) => basename(each.path) === name);
  if (file !== undefined) return { ...file, text: inserted(file.text, whole) };
  return { path: join(directory, name), text: newFile(make, whole) };
}

/** The files that a row may go into, their folder, and all rows that there are. */
interface Rows {
  readonly files: readonly RecipeFile[];
  readonly directory: string;
  readonly placed: readonly PlacedRow[];
  readonly codecs: Codecs;
}

function changed(
  files: readonly RecipeFile[],
  { row, path }: PlacedRow,
  { kind, codec, options }: Pick<Certificate['row'], 'kind' | 'codec' | 'options'>,
): RecipeFile {
  if (row.kind !== kind || row.codec !== codec)
    throw new Refused(
      `row: ${row.id} says ${row.kind}, ${row.codec ?? `refused as ${row.refuse}`}; this says ${kind}, ${codec}`,
    );
  const file = files.find((each) => each.path === path);
  if (file === undefined) throw new Refused(`row: ${row.id} stands in ${path}, which stays as it is`);
  const parsed = parse(file.text, '');
  if (!parsed.ok) throw new Refused(`${path} cannot be read`);
  const { rows } = parsed.value as { rows: readonly RecipeRow[] };
  const at = rows.findIndex(({ id }) => id === row.id);
  const { from, to } = parsed.place(`/rows/${at}`);
  const { source = '', ...before } = rows[at] as RecipeRow;
  const said = source.startsWith(SOURCE) ? source : `${SOURCE}; ${source}`;
  const text = textOf({ ...before, options: { ...row.options, ...options }, confidence: 'high', source: said });
  return { path, text: `${file.text.slice(0, from)}${text}${file.text.slice(to)}` };
}

/** As rows stand in the files; keys that few rows have behind those that all have. */
function textOf({ make, match, requires, ...row }: RecipeRow): string {
  const rare = Object.entries({ make, match, requires }).filter(([, value]) => value !== undefined);
  const lines = rare.map(([key, value]) => `,\n      ${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  return written(row)
    .trim()
    .replace(/\n\s*\}$/, `${lines.join('')}\n    }`);
}
