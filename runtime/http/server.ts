/**
 * The HTTP front. Order of middleware: error envelope; Host, Origin and path; the routes of the composition; 404 and
 * 405.
 */
import { createServer, type RequestListener } from 'node:http';
import Koa, { type Context, type Next } from 'koa';
import { stackOf } from '../base/thrown.ts';
import { ApiError } from '../kernel/errors.ts';
import type { Node } from '../kernel/node.ts';
import type { ServedRoute } from '../kernel/plugin.ts';
import { Access } from './access.ts';
import { closeServer } from './close.ts';
import { Connections } from './connections.ts';
import { answer, enveloping, errorBody, type Refusals, send } from './envelope.ts';
import { checkFraming, originForm } from './front.ts';
import { checkHost, checkOrigin } from './hosts.ts';
import { LargeBodies } from './large.ts';
import { answers } from './probe.ts';
import { requestTurnsOf } from './request-turns.ts';
import { unrouted } from './router.ts';
import { assemble, type RouteParts } from './routes.ts';

/** Time and connection limits; tests lower them. */
const LIMITS = {
  headersTimeoutMs: 5000,
  bodyTimeoutMs: 15_000,
  keepAliveTimeoutMs: 5000,
  checkIntervalMs: 1000,
  unreadTimeoutMs: 20_000,
  connections: 126,
  keptConnections: 2,
};
/** Limits of the HTTP front. */
export type HttpLimits = typeof LIMITS;

/**
 * Time limit for a whole request with an upload: a system bundle of 256 MiB over 0.6 Mbit/s. Other bodies must be complete
 * after `bodyTimeoutMs`.
 */
const REQUEST_TIMEOUT_MS = 3_600_000;
const MAX_HEADER_BYTES = 8192;
/** TCP keep-alive: probes an idle peer after this time, then every second; gives up after ten probes (libuv). */
const PROBE_AFTER_MS = 5000;

/** A listening server. */
export interface HttpServer {
  readonly address: { readonly host: string; readonly port: number };
  /** Whether a request for the status gets a response (`probe.ts`). */
  works(): Promise<boolean>;
  close(): Promise<void>;
}

/** Starts the HTTP front of a node. Rejects if it cannot listen on the address. */
export async function createHttpServer(
  node: Node,
  routes: readonly ServedRoute[],
  limits: Partial<HttpLimits> = {},
): Promise<HttpServer> {
  const bounds: HttpLimits = { ...LIMITS, ...limits };
  const { headersTimeoutMs, bodyTimeoutMs, keepAliveTimeoutMs, checkIntervalMs } = bounds;
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: checkIntervalMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    // A missing Host is refused by `checkHost`, with a JSON body.
    requireHostHeader: false,
    keepAlive: true,
    keepAliveInitialDelay: PROBE_AFTER_MS,
  });
  // A client that has closed its own side after its request reads the answer (RFC 9112, 9.6).
  Object.assign(server, { httpAllowHalfOpen: true });
  const requests = requestTurnsOf(node);
  const open = new Connections(server, bounds, requests);
  const access = new Access(node);
  const large = new LargeBodies();
  const handle = application({ node, routes, access, connections: open, large, bodyTimeoutMs, requests }).callback();
  const serve: RequestListener = (request, response) => {
    open.begin(request, response, () => {
      // Node drops what it has read behind it, a request or a part of one: the client is told that it is the last.
      if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
      return handle(request, response);
    });
  };
  // With these listeners, Node leaves `100 Continue` to the reader of the body, and 417 to the front.
  server.on('request', serve).on('checkContinue', serve).on('checkExpectation', serve);

  const { host, port, text } = await node.listening.start(server, node.run.host, node.run.port);
  node.listening.set('http', text);
  return { address: { host, port }, works: () => answers({ host, port }), close: () => closeServer(server) };
}

function application(parts: RouteParts): Koa {
  const { node } = parts;
  const app = new Koa();
  app.on('error', (error: NodeJS.ErrnoException) => {
    // Premature close is normal: every client that leaves a stream causes it.
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') node.log.warn({ error: error.message }, 'answer broken off');
  });
  app.use(enveloping(checking(parts), refusals(parts)));
  app.use(assemble(parts).routes());
  app.use(unrouted);
  return app;
}

/** The checks that come before the path is looked at. */
const checking =
  ({ node, large }: RouteParts) =>
  (ctx: Context, next: Next): Promise<void> | undefined => {
    const { req: request } = ctx;
    checkFraming(request);
    const instead = node.hooks.request.call(request);
    if (instead !== undefined) return void send(ctx, instead, large);
    const host = checkHost(request, node.config.get('hosts'));
    checkOrigin(request, host);
    request.url = originForm(request.url ?? '', host);
    return next();
  };

const refusals = ({ node, access }: RouteParts): Refusals => ({
  errors: node.errors,
  meant(thrown, { req: { method, url } }) {
    if (!node.rooms.knows(thrown))
      node.log.error({ method, url: url?.slice(0, 200), error: stackOf(thrown) }, 'request failed');
    return new ApiError('internal');
  },
  async refuse(ctx, error, status) {
    if (!(await access.penalize(error, ctx.req))) ctx.set('Connection', 'close');
    answer(ctx, status, errorBody(error.code, error.detail), error.headers);
  },
});
