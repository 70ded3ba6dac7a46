/** Firmware: what nodes ask for, and the releases of operators. */
import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { signatureOf } from '../../http/delivery.ts';
import { takesTag } from '../../http/negotiation.ts';
import { bearerOf } from '../../http/secrets.ts';
import { FirmwareOffer } from '../../services/cloud/contract.ts';
import { changeOf, record } from '../audit/audit.ts';
import type { Database, Queries } from '../database/database.ts';
import { piecesOf } from '../http/body.ts';
import { Refusal } from '../http/errors.ts';
import { PASSED, type Route, route, type Who } from '../http/routes.ts';
import { orderOf } from '../ingest/version-order.ts';
import { offerFor, tookImage } from '../rollouts/offers.ts';
import { readSettings } from '../settings/settings.ts';
import type { NodeTokens } from '../sign-in/node-tokens.ts';
import { IMMUTABLE } from './bucket.ts';
import { FirmwareQuery, Release, ReleaseList } from './contract.ts';
import type { Fetching } from './fetching.ts';
import type { DownloadPlace, Gate } from './gate.ts';
import type { Images, StoredImage } from './images.ts';
import type { KnownImages } from './known.ts';
import { type Range, rangeOf } from './range.ts';

/** The shape of a version that nodes take as an offer. */
const VERSION = /^\d{1,9}\.\d{1,9}\.\d{1,9}$/;
const TYPE = 'application/octet-stream';

interface Row extends Omit<Release, 'at'> {
  readonly at: Date;
}
const viewOf = ({ at, ...row }: Row): Release => ({ ...row, at: at.toISOString() });
const COLUMNS = 'variant, version, sha256, length, floor, at, who';

/** A download of which no byte leaves for so long is broken off; it goes on by `Range`. */
const STALL_MS = 30_000;

/** What the routes need. `fetching`: where there is a bucket. */
export interface FirmwareParts {
  readonly tokens: NodeTokens;
  readonly database: Database;
  readonly images: Images;
  readonly known: KnownImages;
  readonly gate: Gate;
  readonly fetching: Fetching | undefined;
}

/** The routes. */
export const firmwareRoutes = ({ tokens, database, images, known, gate, fetching }: FirmwareParts): Route[] => [
  route({
    method: 'GET',
    path: '/firmware',
    access: 'node',
    summary:
      'the image that this node is to have; 204 where there is none. X-NODE-Signature is of the body, with the token',
    query: FirmwareQuery,
    response: FirmwareOffer,
    also: { 204: 'there is none; Retry-After says when to ask again' },
    errors: ['unauthorized'],
    async handle({ query: { variant, version = '', node = '' }, context }) {
      const token = bearerOf(context.get('authorization'));
      if (!(await tokens.isOfNode(node, token))) throw new Refusal('unauthorized');
      const { image, againInSeconds } = await offerFor(database, { variant, version, node });
      if (image === undefined) {
        if (againInSeconds !== undefined) context.set('Retry-After', String(againInSeconds));
        return undefined;
      }
      const { version: newer, length, sha256 } = image;
      const { origin } = (await readSettings(database)).firmware;
      // Relative to the question where it is here, so that it stands under whatever path this is served at.
      const url = `${origin === '' ? '' : `${origin.replace(/\/$/, '')}/`}firmware/${sha256}`;
      // Nobody here sees a download from elsewhere.
      if (origin !== '' && node !== '') await tookImage(database, node, { variant, version: newer });
      const body = JSON.stringify({ version: newer, length, sha256, url });
      context.set('X-NODE-Signature', signatureOf(body, token));
      context.status = 200;
      context.type = 'json';
      context.body = body;
      return PASSED;
    },
  }),
  route({
    method: 'GET',
    path: '/firmware/:sha256',
    access: 'anyone',
    summary: 'an image, or a range of its bytes: it is signed, and never changes',
    type: TYPE,
    also: { 206: 'the range', 304: 'the image is the one of If-None-Match', 416: 'the range is behind the end' },
    errors: ['not_found', 'busy'],
    async handle({ params: { sha256 = '' }, context, address }) {
      // Who asks for what is of no release waits for his answer, takes no place, and costs no look at the disk.
      const image = await known.find(sha256);
      if (image === undefined) throw new Refusal('not_found', 'there is no such image');
      // Who has gone meanwhile would never leave his place.
      if (context.res.destroyed) return PASSED;
      const place = context.method === 'GET' ? gate.enter(address, () => context.res.destroy()) : undefined;
      let stall: NodeJS.Timeout | undefined;
      // One listener for both: with what Koa and Node have there, Node warns of a leak above ten.
      context.res.once('close', () => {
        clearTimeout(stall);
        place?.leave();
      });
      const length = await images.lengthOf(sha256);
      if (length === undefined) {
        place?.leave();
        fetching?.begin(image);
        throw new Refusal('not_found', 'the image is not in the folder of this process');
      }
      const range = answer(context, sha256, length);
      if (range === undefined || place === undefined) return PASSED;
      const node = context.get('x-node-id');
      if (node !== '' && (await tokens.isOfNode(node, bearerOf(context.get('authorization'))))) {
        const [sent] = await database.query<Row>(`SELECT ${COLUMNS} FROM release WHERE sha256 = $1`, [sha256]);
        if (sent !== undefined) await tookImage(database, node, sent);
      }
      stall = setTimeout(() => context.res.destroy(), STALL_MS);
      context.body = Readable.from(watched(images.read(sha256, range), stall, place), { objectMode: false });
      context.length = range.last - range.first + 1;
      return PASSED;
    },
  }),
  route({
    method: 'GET',
    path: '/api/releases',
    access: 'viewer',
    summary: 'the images that were uploaded, newest version first',
    response: ReleaseList,
    handle: async () => ({
      releases: (
        await database.query<Row>(`SELECT ${COLUMNS} FROM release ORDER BY version_order DESC, variant LIMIT 1000`)
      ).map(viewOf),
    }),
  }),
  route({
    method: 'POST',
    path: '/api/releases',
    access: 'releaser',
    summary:
      'upload an image file, signed with a key of the settings; it is offered to nobody before a rollout of it begins',
    upload: TYPE,
    response: Release,
    errors: ['invalid_request', 'conflict'],
    async handle({ context, who, mustStillMay }) {
      const { keys } = (await readSettings(database)).firmware;
      if (keys.length === 0)
        throw new Refusal(
          'conflict',
          'no key is set by which signatures are checked: an owner sets the key of those who sign images first (firmware.keys of the settings)',
        );
      return images.store(piecesOf(context.req), keys, async (image, { put, publish }) => {
        await mustStillMay();
        // Nothing waits for the bucket but who uploads; and what would be refused is not put there.
        await mustFit(database, image);
        await mustBeTrusted(database, image);
        await put();
        await mustStillMay();
        return database.transaction((on) => release(on, image, who, publish));
      });
    },
  }),
];

/** Makes an image a release, and publishes it. Throws a Refusal, before it is published. */
async function release(
  on: Queries,
  image: StoredImage,
  who: Who | undefined,
  publish: () => Promise<void>,
): Promise<Release> {
  // Of two at once the second sees the first.
  await on.query('LOCK TABLE release IN SHARE ROW EXCLUSIVE MODE');
  const stored = await mustFit(on, image);
  // Whoever takes a key back waits until this is over, and then knows of no release by it that comes later.
  await on.query('LOCK TABLE setting IN SHARE MODE');
  await mustBeTrusted(on, image);
  if (stored !== undefined) {
    await publish();
    return viewOf(stored);
  }
  const { variant, version, sha256, length, floor } = image;
  const [made] = await on.query<Row>(
    `INSERT INTO release (variant, version, version_order, sha256, length, floor, who)
     VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING ${COLUMNS}`,
    [variant, version, orderOf(version), sha256, length, floor, who?.name ?? ''],
  );
  if (made === undefined) throw new Error('the release was not stored');
  await record(on, who, 'release uploaded', `${variant} ${version}`, changeOf({}, { sha256, length, floor }));
  await publish();
  return viewOf(made);
}

/** Throws the Refusal `conflict` where the key that signed an image was taken from the settings while it came. */
async function mustBeTrusted(on: Queries, { signer }: Pick<StoredImage, 'signer'>): Promise<void> {
  const { keys } = (await readSettings(on)).firmware;
  if (signer === undefined || !keys.includes(signer))
    throw new Refusal('conflict', 'the key that signed it was taken from the settings while it came');
}

/** The release that an image is already, if it is one. Throws a Refusal where it can be none. */
async function mustFit(
  on: Queries,
  { variant, version, sha256, floor }: Pick<StoredImage, 'variant' | 'version' | 'sha256' | 'floor'>,
): Promise<Row | undefined> {
  if (!VERSION.test(version))
    throw new Refusal('invalid_request', `nodes take releases alone, and ${version} is a pre-release`);
  const [stored] = await on.query<Row>(`SELECT ${COLUMNS} FROM release WHERE variant = $1 AND version = $2`, [
    variant,
    version,
  ]);
  if (stored !== undefined && stored.sha256 !== sha256)
    throw new Refusal('conflict', `${variant} ${version} is another image already; give it another version`);
  if (stored === undefined) await mustKeepFloor(on, { variant, version, floor });
  return stored;
}

/** Throws the Refusal `invalid_request` where a node that has one of two versions would not take the later one. */
async function mustKeepFloor(
  on: Queries,
  { variant, version, floor }: Pick<StoredImage, 'variant' | 'version' | 'floor'>,
): Promise<void> {
  const parameters = [variant, orderOf(version), floor];
  const [earlier] = await on.query<{ version: string; floor: number }>(
    `SELECT version, floor FROM release WHERE variant = $1 AND version_order < $2 AND floor > $3 ORDER BY floor DESC LIMIT 1`,
    parameters,
  );
  if (earlier !== undefined)
    throw new Refusal(
      'invalid_request',
      `its security floor is ${floor}, and nodes with ${earlier.version} take none below ${earlier.floor}`,
    );
  const [later] = await on.query<{ version: string; floor: number }>(
    `SELECT version, floor FROM release WHERE variant = $1 AND version_order > $2 AND floor < $3 ORDER BY floor LIMIT 1`,
    parameters,
  );
  if (later !== undefined)
    throw new Refusal(
      'invalid_request',
      `its security floor is ${floor}: nodes with it would not take ${later.version}, of which it is ${later.floor}; give it a later version`,
    );
}

/** The pieces; each that is taken counts for its place, and puts off the end of a download that stalls. */
async function* watched(
  pieces: AsyncIterable<Uint8Array>,
  stall: NodeJS.Timeout,
  place: DownloadPlace,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    yield piece;
    place.took(piece.length);
    stall.refresh();
  }
}

/** Sets status and fields of the answer; returns the bytes that are to follow. The digest is the entity tag. */
function answer(context: Context, sha256: string, length: number): Range | undefined {
  const tag = `"${sha256}"`;
  const condition = context.get('if-range');
  // Of GET alone (RFC 9110, 14.2).
  const isAsked = context.method === 'GET' && (condition === '' || condition === tag);
  const range = isAsked ? rangeOf(context.get('range'), length) : undefined;
  const isKnown = takesTag(context.get('if-none-match'), tag);
  if (range === 'unsatisfiable' && !isKnown) {
    // Of this question alone: a cache keeps what is of the image.
    context.status = 416;
    context.set({ 'Accept-Ranges': 'bytes', 'Content-Range': `bytes */${length}` });
    context.body = '';
    return undefined;
  }
  context.set({ 'Accept-Ranges': 'bytes', ETag: tag, 'Cache-Control': IMMUTABLE });
  if (isKnown || range === 'unsatisfiable') {
    context.status = 304;
    return undefined;
  }
  context.type = TYPE;
  const { first, last } = range ?? { first: 0, last: length - 1 };
  context.status = range === undefined ? 200 : 206;
  if (range !== undefined) context.set('Content-Range', `bytes ${first}-${last}/${length}`);
  context.length = last - first + 1;
  return { first, last };
}
