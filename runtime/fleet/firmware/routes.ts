/** Firmware: what nodes ask for, and the releases of operators. */
import { Readable } from 'node:stream';
import { FirmwareOffer } from '../../services/cloud/contract.ts';
import { record } from '../audit/audit.ts';
import type { Database } from '../database/database.ts';
import { namesTag } from '../http/conditions.ts';
import { Refusal } from '../http/errors.ts';
import { type Call, PASSED, type Route, route } from '../http/routes.ts';
import { mustBeNode, NodeQuery } from '../http/tokens.ts';
import { orderOf } from '../ingest/version-order.ts';
import { offerFor, tookImage } from '../rollouts/offers.ts';
import { FirmwareQuery, Release, ReleaseList } from './contract.ts';
import { readImage, storeImage } from './images.ts';
import { rangeOf } from './range.ts';

/** Of what nodes take as an offer. */
const VERSION = /^\d{1,9}\.\d{1,9}\.\d{1,9}$/;
const TYPE = 'application/octet-stream';

interface Row extends Omit<Release, 'at'> {
  readonly at: Date;
}
const viewOf = ({ at, ...row }: Row): Release => ({ ...row, at: at.toISOString() });
const COLUMNS = 'variant, version, sha256, length, floor, at, who';

/** The routes. */
export const firmwareRoutes = (master: string, database: Database): Route[] => [
  route({
    method: 'GET',
    path: '/firmware',
    access: 'node',
    summary: 'the image that this node is to have; 204 where there is none',
    query: FirmwareQuery,
    response: FirmwareOffer,
    also: { 204: 'there is none' },
    errors: ['unauthorized'],
    async handle({ query: { variant, version = '', node = '' }, context }) {
      mustBeNode(master, node, context.get('authorization'));
      const release = await offerFor(database, { variant, version, node });
      if (release === undefined) return undefined;
      const { version: newer, length, sha256 } = release;
      // Relative to the question, so that it stands under whatever path this is served at; the node is who takes it.
      const query = node === '' ? '' : `?${new URLSearchParams({ node })}`;
      return { version: newer, length, sha256, url: `firmware/${sha256}.img${query}` };
    },
  }),
  route({
    method: 'GET',
    path: '/firmware/:file',
    access: 'node',
    summary: 'an image, or a range of its bytes',
    query: NodeQuery,
    type: TYPE,
    also: { 206: 'the range', 304: 'the image is the one of If-None-Match', 416: 'the range is behind the end' },
    errors: ['unauthorized', 'not_found'],
    async handle(call) {
      const { query, params, context } = call;
      const { node = '' } = query;
      mustBeNode(master, node, context.get('authorization'));
      const sha256 = /^([0-9a-f]{64})\.img$/.exec(params['file'] ?? '')?.[1] ?? '';
      const [release] = await database.query<Row>(`SELECT ${COLUMNS} FROM release WHERE sha256 = $1`, [sha256]);
      if (release === undefined) throw new Refusal('not_found', 'no release has this image');
      if (node !== '' && context.method === 'GET') await tookImage(database, node, release);
      return send(call, database, release);
    },
  }),
  route({
    method: 'GET',
    path: '/api/releases',
    access: 'operator',
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
    access: 'operator',
    summary: 'upload an image file; it is offered to nobody before a rollout of it begins',
    upload: TYPE,
    response: Release,
    errors: ['invalid_request', 'conflict'],
    async handle({ context, who }) {
      const { variant, version, sha256, length, floor } = await storeImage(database, context.req);
      if (!VERSION.test(version))
        throw new Refusal('invalid_request', `nodes take releases alone, and ${version} is a pre-release`);
      return database.transaction(async (on) => {
        const [stored] = await on.query<Row>(
          `INSERT INTO release (variant, version, version_order, sha256, length, floor, who)
           VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`,
          [variant, version, orderOf(version), sha256, length, floor, who?.name ?? ''],
        );
        if (stored !== undefined) {
          await record(on, who, 'release uploaded', `${variant} ${version}`, { sha256 });
          return viewOf(stored);
        }
        const [other] = await on.query<Row>(`SELECT ${COLUMNS} FROM release WHERE variant = $1 AND version = $2`, [
          variant,
          version,
        ]);
        if (other?.sha256 === sha256) return viewOf(other);
        throw new Refusal('conflict', `${variant} ${version} is another image already; give it another version`);
      });
    },
  }),
];

/** Writes the image, or the range that was asked for. The digest is the entity tag: it was computed at the upload. */
function send({ context }: Call, database: Database, { sha256, length }: Row): typeof PASSED {
  const tag = `"${sha256}"`;
  context.set({ 'Accept-Ranges': 'bytes', ETag: tag, 'Cache-Control': 'private, max-age=31536000, immutable' });
  if (namesTag(context.get('if-none-match'), tag)) {
    context.status = 304;
    return PASSED;
  }
  const condition = context.get('if-range');
  const range = condition === '' || condition === tag ? rangeOf(context.get('range'), length) : undefined;
  context.type = TYPE;
  if (range === 'unsatisfiable') {
    context.status = 416;
    context.set('Content-Range', `bytes */${length}`);
    context.body = '';
    return PASSED;
  }
  const { first, last } = range ?? { first: 0, last: length - 1 };
  context.status = range === undefined ? 200 : 206;
  if (range !== undefined) context.set('Content-Range', `bytes ${first}-${last}/${length}`);
  context.body = Readable.from(readImage(database, sha256, { first, last }), { objectMode: false });
  context.length = last - first + 1;
  return PASSED;
}
