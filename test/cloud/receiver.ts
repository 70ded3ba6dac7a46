/** A cloud to look into and to host oneself: heartbeats, recipes, firmware, and a model that repeats what it is told. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { createReadStream, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Router from '@koa/router';
import Koa, { type Context, type Next } from 'koa';
import { HEADER_BYTES, type ImageHeader, parseHeader } from '../../runtime/image/format.ts';

export interface CloudOptions {
  /** What nodes must show. */
  readonly token: string;
  /** JSON file {"rows": [...]}, read at each request; without one there are no rows. */
  readonly recipes?: string;
  /** Folder of image files. */
  readonly firmware?: string;
}

interface Seen {
  readonly at: number;
  readonly heartbeat: Readonly<Record<string, unknown>>;
}

const BODY_BYTES = 16 * 1024;
const NODES = 1000;

export function createCloud({ token, recipes, firmware }: CloudOptions): Koa {
  const nodes = new Map<string, Seen>();
  const router = new Router();

  router.post('/heartbeat', async (ctx) => {
    const heartbeat = await jsonOf(ctx);
    const { node } = heartbeat;
    if (typeof node !== 'string' || node.length > 64) return ctx.throw(400, 'no node');
    // The newest last; the oldest goes where there are too many.
    nodes.delete(node);
    nodes.set(node, { at: Date.now(), heartbeat });
    if (nodes.size > NODES) nodes.delete([...nodes.keys()][0] ?? '');
    ctx.status = 204;
  });

  router.get('/nodes', (ctx) => {
    const list = [...nodes.values()].map(({ at, heartbeat }) => ({
      ...heartbeat,
      lastSeen: new Date(at).toISOString(),
      ageSeconds: Math.round((Date.now() - at) / 1000),
    }));
    ctx.body = { nodes: list.reverse() };
  });

  router.get('/recipes', (ctx) => {
    const table = recipes === undefined ? Buffer.from('{"rows":[]}') : readFileSync(recipes);
    ctx.status = 200;
    ctx.type = 'json';
    ctx.etag = sha256(table);
    if (ctx.fresh) ctx.status = 304;
    else ctx.body = table;
  });

  router.get('/firmware', (ctx) => {
    const found = firmware === undefined ? undefined : newestOf(firmware, String(ctx.query['variant']));
    if (found === undefined) {
      ctx.status = 204;
      return;
    }
    const { name, header } = found;
    const digest = sha256(readFileSync(join(firmware ?? '', name)));
    // Relative to the question, so that it stands under whatever path this is served at.
    ctx.body = { version: header.version, length: header.length, sha256: digest, url: `firmware/${name}` };
  });

  router.get('/firmware/:name', (ctx) => {
    const { name = '' } = ctx.params;
    const image = imagesIn(firmware).find((each) => each.name === name);
    if (image === undefined) return ctx.throw(404);
    ctx.type = 'application/octet-stream';
    ctx.length = image.header.length;
    ctx.body = createReadStream(join(firmware ?? '', name));
  });

  router.post('/compose', async (ctx) => {
    const { prompt } = await jsonOf(ctx);
    if (typeof prompt !== 'string') return ctx.throw(400, 'no prompt');
    ctx.body = { lines: echo(prompt) };
  });

  const app = new Koa();
  app.use(bearer(token)).use(router.routes()).use(router.allowedMethods());
  return app;
}

/** In place of a model: the sentence itself, between two rules. */
const echo = (prompt: string) => [
  { type: 'rule', style: 'double' },
  { type: 'text', value: prompt, align: 'center' },
  { type: 'rule', style: 'double' },
  { type: 'cut' },
];

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const bearer = (token: string) => {
  const own = Buffer.from(sha256(Buffer.from(`Bearer ${token}`)));
  return async (ctx: Context, next: Next) => {
    const shown = Buffer.from(sha256(Buffer.from(ctx.get('authorization'))));
    if (!timingSafeEqual(own, shown)) ctx.throw(401);
    await next();
  };
};

async function jsonOf(ctx: Context): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of ctx.req) {
    length += (chunk as Buffer).length;
    if (length > BODY_BYTES) ctx.throw(413);
    chunks.push(chunk as Buffer);
  }
  try {
    return Object(JSON.parse(Buffer.concat(chunks).toString())) as Record<string, unknown>;
  } catch {
    return ctx.throw(400, 'not JSON');
  }
}

interface Image {
  readonly name: string;
  readonly header: ImageHeader;
}

const imagesIn = (folder: string | undefined): Image[] =>
  folder === undefined
    ? []
    : readdirSync(folder)
        .filter((name) => /^[\w.-]+\.img$/.test(name))
        .map((name) => ({ name, header: parseHeader(readFileSync(join(folder, name)).subarray(0, HEADER_BYTES)) }));

function newestOf(folder: string, variant: string): Image | undefined {
  const numbers = ({ header }: Image) => header.version.split(/[.-]/, 3).map(Number);
  return imagesIn(folder)
    .filter(({ header }) => header.variant === variant)
    .sort((x, y) => {
      const [a, b] = [numbers(x), numbers(y)];
      const at = a.findIndex((number, index) => number !== b[index]);
      return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
    })
    .at(-1);
}
