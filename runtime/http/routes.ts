/** The routes of a node: the router made from those that are declared, with the checks that precede each handler. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type Router from '@koa/router';
import type { Context } from 'koa';
import { inTime } from '../base/in-time.ts';
import type { Begin } from '../kernel/command.ts';
import { ApiError } from '../kernel/errors.ts';
import { IDEMPOTENCY_KEY, IDEMPOTENCY_MARK, KEY_PATTERN } from '../kernel/key-names.ts';
import type { Node } from '../kernel/node.ts';
import type { Admission, BodyDeclaration, Call, ServedRoute } from '../kernel/plugin.ts';
import { Reply } from '../kernel/reply.ts';
import { Shares } from '../kernel/shares.ts';
import { type SchemaFault, wordsOf } from '../kernel/validator.ts';
import { type Access, ADMITTED, type UnderWay } from './access.ts';
import { type BodyLimits, DEFAULT_LIMIT_BYTES, invite, readJson, readText, utf8Of } from './body.ts';
import type { Connections } from './connections.ts';
import { send } from './envelope.ts';
import type { LargeBodies } from './large.ts';
import { LoopTurns } from './loop-turns.ts';
import { addressOf } from './peer.ts';
import type { RequestTurns } from './request-turns.ts';
import { StaticFirstRouter } from './router.ts';

/** Memory of the bodies that arrive, and of those of one address. */
const BODY_BYTES = 8 * 1024 * 1024;
const BODY_BYTES_OF_ONE_ADDRESS = BODY_BYTES / 2;

/** What has a longer body is read by turns: a hundred clients that ask for it at once would stop a print or a kick. */
const LONG_READ_BYTES = 16 * 1024;

/** Longest time that a handler may take, but one that takes an upload, which has its own: longer than any command waits. */
const HANDLER_MS = 900_000;

/** The detail of `busy` on a connection that is kept. */
const KEPT = 'every connection but those that are kept for reads is taken; nothing was written';

/** What the router is made of. */
export interface RouteParts {
  readonly node: Node;
  readonly routes: readonly ServedRoute[];
  readonly access: Access;
  readonly connections: Connections;
  readonly large: LargeBodies;
  readonly bodyTimeoutMs: number;
  readonly requests: RequestTurns;
}

/** A router for all routes of the node. */
export function assemble(parts: RouteParts): Router {
  const router = new StaticFirstRouter();
  const memory = new Shares(BODY_BYTES, BODY_BYTES_OF_ONE_ADDRESS);
  const longReads = new LoopTurns();
  for (const served of parts.routes)
    router.add(served.route.method, served.route.path, serve(served, { memory, longReads }, parts));
  return router;
}

/** The middleware of a route. The order is that of the specification: tier, state, body, schema, handler. */
function serve(
  { plugin, route, room }: ServedRoute,
  { memory, longReads }: { readonly memory: Shares; readonly longReads: LoopTurns },
  { node, access, connections, large, bodyTimeoutMs, requests }: RouteParts,
) {
  const { body } = route;
  const isAlways = route.method === 'GET' || route.always === true;
  const limits: BodyLimits = {
    bytes: body?.limitBytes ?? DEFAULT_LIMIT_BYTES,
    timeoutMs: bodyTimeoutMs,
    tooLarge: node.errors.has('body_too_large') ? 'body_too_large' : 'invalid_body',
    notWhole: 'invalid_body',
    memory: isAlways ? undefined : memory,
    turn: (address) => requests.read(address),
  };
  /** Reads the body. Mode and keys may change meanwhile: that ends it, and the tier is looked at again. */
  const receive = async (request: IncomingMessage, response: ServerResponse, admission: UnderWay): Promise<unknown> => {
    let found: unknown;
    try {
      found =
        body?.type === undefined
          ? await readJson(request, limits, admission, response)
          : await readText(body.decode ?? utf8Of, request, limits, admission, response);
    } finally {
      // A tier that refuses is said rather than a fault of the body.
      access.admit(route.tierOf?.(found) ?? route.tier, request, access.hasApiKey(request));
    }
    return found;
  };
  /** Work of the route's room. What it throws, and does not mean as a refusal, is the room's fault. */
  const ofRoom = async (work: () => unknown): Promise<unknown> => {
    try {
      const result = node.rooms.run(plugin, work);
      return await (result instanceof Promise && route.upload === undefined ? inTime(result, HANDLER_MS) : result);
    } catch (error) {
      if (!(error instanceof ApiError)) node.rooms.threw(plugin, `${route.method} ${route.path}`, error);
      throw error;
    }
  };
  let isLong = false;
  return async (ctx: Context): Promise<void> => {
    const { req: request, res: response } = ctx;
    const callOf = <Body>(body: Body, admission: Admission, begin?: Begin): Call<Body> => ({
      node,
      room,
      body,
      params: ctx['params'],
      request,
      hasApiKey: access.hasApiKey(request),
      hasUpdateKey: access.hasUpdateKey(request),
      admission,
      begin,
      begins: route.commands?.begins,
    });
    /** The last look at the tier, and the key on the disk. */
    const beginning =
      ({ check }: Admission, store?: () => Promise<void>): Begin =>
      () => {
        check();
        return store?.();
      };
    if (route.tierOf === undefined) access.admit(route.tier, request, access.hasApiKey(request));
    if (!isAlways && connections.isKept(request)) throw new ApiError('busy', KEPT);
    const key = route.commands === undefined ? undefined : keyOf(request);
    if (node.rooms.isOff(plugin)) throw new ApiError('internal', `${plugin} could not start; GET /status says why`);
    if (route.commands !== undefined && node.restarting) throw new ApiError('restarting');
    if (route.before !== undefined) await ofRoom(() => route.before?.(callOf(undefined, ADMITTED)));
    if (body === undefined) invite(request, response);
    const { method, path, tier, tierOf } = route;
    const handle = async (found: unknown, admission: Admission): Promise<unknown> => {
      if (key === undefined) return ofRoom(() => route.handle(callOf(found, admission, beginning(admission))));
      const mark = request.headers[MARK]?.toString();
      const keyed = { key, mark, method, path, body: found, from: addressOf(request.socket) };
      return node.keys.once(keyed, async (begin) => {
        if (route.commands?.begins === 'route') await begin();
        const call = { ...callOf(found, admission, beginning(admission, begin)), key };
        const result = await ofRoom(() => route.handle(call));
        return result instanceof Reply ? result : new Reply(200, result);
      });
    };
    // The launcher asks by HEAD whether the node still works: it is answered before them.
    if (isLong && request.method === 'GET') await longReads.next();
    const reply = await access.during(tierOf === undefined ? tier : 'none', request, async (admission) => {
      const found = body === undefined ? undefined : await receive(request, response, admission);
      const fault = body === undefined ? undefined : node.contract.fault(body.schema, found);
      if (body !== undefined && fault !== undefined) return refuse(body, fault, callOf(found, ADMITTED));
      if (tierOf === undefined) return handle(found, admission);
      return access.during(tierOf(found), request, (admitted) => handle(found, admitted));
    });
    isLong = send(ctx, reply, large, route.type) > LONG_READ_BYTES && route.method === 'GET';
  };
}

const KEY = new RegExp(KEY_PATTERN);
const HEADER = IDEMPOTENCY_KEY.toLowerCase();
const MARK = IDEMPOTENCY_MARK.toLowerCase();

/** The key of a request, if it has one. Throws `invalid_command` for one that is none. */
function keyOf(request: IncomingMessage): string | undefined {
  // The fields one by one, of which Node makes a copy, only of a request that has one.
  if (request.headers[HEADER] === undefined) return undefined;
  const [key = '', ...others] = request.headersDistinct[HEADER] ?? [];
  if (others.length === 0 && KEY.test(key)) return key;
  throw new ApiError('invalid_command', `${IDEMPOTENCY_KEY}: must be one, of 1 to 64 printable ASCII characters`);
}

function refuse({ invalid }: BodyDeclaration, fault: SchemaFault, call: Call): Reply {
  if (typeof invalid === 'function') return invalid(fault, call);
  throw new ApiError(invalid, wordsOf(fault));
}
