/** The Koa application: routes to handlers, requests checked, errors as envelopes. */
import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { TSchema } from '@sinclair/typebox';
import Koa, { type Context } from 'koa';
import { compiledOnce } from '../../base/ajv.ts';
import { DEFAULT_LIMIT_BYTES, invite, readBytes } from '../../http/body.ts';
import { EVERY_ANSWER, enveloping, errorBody, type Refusals } from '../../http/envelope.ts';
import { allowedOn, StaticFirstRouter, unrouted } from '../../http/router.ts';
import { ApiError } from '../../kernel/errors.ts';
import { type CompiledValidator, Contract, wordsOf } from '../../kernel/validator.ts';
import { Away, Full } from '../database/database.ts';
import { inSpan } from '../traces/spans.ts';
import { jsonOf, limitsOf } from './body.ts';
import { Busy, ERRORS, fieldsOf, Refusal } from './errors.ts';
import { Crowded, type Places } from './places.ts';
import { isEnough } from './roles.ts';
import { NONE, PASSED, type Route, type Who } from './routes.ts';
import type { Sockets } from './sockets.ts';
import { Turns } from './turns.ts';

/**
 * How long the rest of a request that was refused may still arrive, so that its sender reads the answer. Then nobody reads it,
 * and later, spread so that not all are opened again at once, its connection is closed.
 */
const REST_MS = 1000;
const CLOSE_MS = 30_000;

/** What the application needs beside its routes. */
export interface AppParts {
  readonly routes: readonly Route[];
  /** Finds out who asks, by token or session; undefined where nobody is signed in. */
  readonly whoOf: (context: Context) => Promise<Who | undefined>;
  /** The nearest proxy tells the address of a client, at the end of X-Forwarded-For: the rest is what the client says. */
  readonly behindProxy: boolean;
  /** Told each request of an operator, whose connection gives way to no other, and those that are kept waiting. */
  readonly sockets: Pick<Sockets, 'admit' | 'dismiss'>;
  /** Where people and programs read, by their names. */
  readonly readers: Pick<Places, 'within'>;
  /** Told faults of the fleet itself. */
  readonly report: (error: Error) => void;
}

/** Puts the application together. */
export function createApp({ routes, whoOf, behindProxy, sockets, readers, report }: AppParts): Koa {
  const app = new Koa({ proxy: behindProxy, maxIpsCount: 1 });
  const router = new StaticFirstRouter();
  const turns = new Turns();
  const checks = checksOf(routes);
  for (const each of routes) {
    // A path of the API that ends early is none: of /api/nodes/. clients make /api/nodes/. Nodes send to what somebody typed.
    router.add(each.method, each.path, handle, { strict: each.path.startsWith('/api/'), sensitive: false });
    async function handle(context: Context): Promise<void> {
      const mustStillMay = () => whoMay(each, context, whoOf);
      const who = await mustStillMay();
      context.state['isKnown'] = who !== undefined;
      if (who !== undefined) sockets.admit(context.req);
      invite(context.req, context.res);
      const { query: parameters = NONE } = each;
      const query = checked(checks, parameters, queryOf(context, parameters), 'query');
      const body = each.body === undefined ? undefined : await bodyOf(context, each);
      if (each.body !== undefined) checked(checks, each.body, body);
      // A body may take its time, and who sends it may be removed meanwhile.
      if (each.body !== undefined) await mustStillMay();
      const params = (context as Context & { params: Record<string, string> }).params;
      const answer = async () =>
        each.handle({
          ...{
            body,
            query: query as never,
            params,
            who,
            address: context.ip,
            context,
            mustStillMay,
            turn: () => waitItsTurn(context),
          },
        });
      // What changes something is rare, and takes a place of its own.
      const reads = who !== undefined && each.method === 'GET';
      const result = reads ? await readers.within(context, answer, who.name) : await answer();
      if (result === PASSED) return;
      context.status = result === undefined ? 204 : 200;
      if (result !== undefined) context.body = result;
    }
  }
  const refusals: Refusals = {
    errors: SAID,
    meant: (thrown) => meantBy(thrown, report),
    async refuse(context, error, status) {
      // Who is told to come again waits of himself, and a fault is not his.
      const mayWait = error instanceof Crowded || !(error instanceof Busy || error.code === 'internal');
      if (mayWait && context.state['isKnown'] !== true) await waitItsTurn(context);
      for (const field of OF_ANSWER) context.remove(field);
      context.set({ ...EVERY_ANSWER, ...fieldsOf(error) });
      context.req.resume();
      if (!context.req.complete) cutRest(context.req);
      context.status = status;
      context.body = { ...errorBody(error.code, error.detail), ...(error instanceof Refusal && error.more) };
    },
  };
  const serve = enveloping((context, next) => {
    context.set(EVERY_ANSWER);
    return next();
  }, refusals);
  app.on('error', () => {});
  app.use((context, next) =>
    inSpan({ name: context.method, kind: 'server', isRoot: true }, async (tell) => {
      await serve(context, next);
      const { _matchedRoute: path } = context as { _matchedRoute?: unknown };
      tell({
        'http.request.method': context.method,
        'http.response.status_code': context.status,
        // As it is declared: ids and names stay out of it.
        ...(typeof path === 'string' && { 'http.route': path }),
      });
    }),
  );
  app.use(router.routes());
  app.use((context) => {
    const allowed = context.method === 'OPTIONS' ? allowedOn(context) : '';
    if (allowed === '') unrouted(context);
    // Balancers ask so whether a server is there.
    context.set('Allow', allowed);
    context.body = '';
  });
  return app;

  /** Nothing more is read from the connection meanwhile, and it gives way to others. */
  async function waitItsTurn({ req, ip }: Context): Promise<void> {
    const wait = turns.take(ip);
    if (wait === 0) return;
    sockets.dismiss(req);
    req.socket.pause();
    await delay(wait, undefined, { ref: false });
    req.socket.resume();
  }
}

/** Finds out who asks, where that matters. Throws the Refusal `unauthorized`, or `forbidden` for a person who may not. */
async function whoMay({ access }: Route, context: Context, whoOf: AppParts['whoOf']): Promise<Who | undefined> {
  if (access === 'anyone' || access === 'node') return undefined;
  const who = await whoOf(context);
  if (who === undefined) throw new Refusal('unauthorized');
  if (!isEnough(who.role, access)) throw new Refusal('forbidden', `this takes the role ${access}, and not ${who.role}`);
  return who;
}

/** What a route may mean to say. Whoever throws `internal`, it is a fault: reported, and without details. */
const SAID = new Map([...ERRORS].filter(([code]) => code !== 'internal'));

/** SQLSTATE class 22, data exception: NUL in a text, or a number beyond those of its column. */
const isOfData = (error: object): boolean => 'code' in error && /^22/.test(String(error.code));
/** unique_violation: two did what one of them can, and had both looked before. */
const isSecond = (error: object): boolean => 'code' in error && error.code === '23505';

/** What a handler may have said of an answer that does not come: a cache would keep the error as that (RFC 9110, 8; RFC 9111, 3). */
const OF_ANSWER = [
  ...[
    'Accept-Ranges',
    'Content-Disposition',
    'Content-Encoding',
    'Content-Language',
    'Content-Range',
    'ETag',
    'Last-Modified',
  ],
  ...['Vary', 'X-NODE-Signature'],
];

/** What was announced and refused is not waited for. */
function cutRest(request: IncomingMessage): void {
  const { socket } = request;
  const leave = setTimeout(() => socket.pause(), REST_MS).unref();
  const close = setTimeout(() => socket.destroy(), CLOSE_MS * (1 + Math.random())).unref();
  const end = () => {
    clearTimeout(leave);
    clearTimeout(close);
    // Thousands of requests may come by one connection.
    socket.off('close', end);
  };
  request.once('end', end);
  socket.once('close', end);
}

/** What is meant by what is no refusal; a fault of the fleet is reported. */
function meantBy(thrown: unknown, report: (error: Error) => void): ApiError {
  // Whoever works on it without being asked reports it: one line for each request would fill a log. What it says is for no client.
  if (thrown instanceof Away) return new Busy(thrown instanceof Full ? 'the disk of the fleet is full' : undefined);
  const error = thrown instanceof Error ? thrown : new Error(`${thrown} was thrown`);
  if (isSecond(error)) return new Refusal('conflict', 'somebody else was first');
  if (isOfData(error)) return new Refusal('invalid_request', 'a value that no database takes');
  report(error);
  return new ApiError('internal');
}

/** The validators of all bodies and queries. */
function checksOf(routes: readonly Route[]): Contract {
  const schemas = routes.flatMap(({ body, query = NONE }) => [body, query]).filter((each) => each !== undefined);
  const validators = new Map<string, CompiledValidator>();
  for (const schema of schemas) {
    if (schema.$id === undefined) throw new Error('a schema of a request has no $id');
    if (!validators.has(schema.$id)) validators.set(schema.$id, compiledOnce(schema) as CompiledValidator);
  }
  return new Contract(Object.fromEntries(validators));
}

/** `whole`: what the value is called where nothing within it is at fault. */
function checked(checks: Contract, schema: TSchema, value: unknown, whole = ''): unknown {
  const fault = checks.fault(schema, value);
  if (fault === undefined) return value;
  throw new Refusal('invalid_request', wordsOf({ ...fault, path: fault.path || whole }));
}

const bodyOf = async ({ req }: Context, { limitBytes = DEFAULT_LIMIT_BYTES }: Route): Promise<unknown> =>
  jsonOf(await readBytes(req, limitsOf(limitBytes)));

/** The query as its schema has it: integers as numbers. An empty parameter counts as absent, where there is one of that name. */
function queryOf({ query }: Context, schema: NonNullable<Route['query']>): Record<string, unknown> {
  const given = Object.entries(query).filter(
    ([name, value]) => value !== '' || !Object.hasOwn(schema.properties, name),
  );
  return Object.fromEntries(
    given.map(([name, value]) => {
      const isNumber = schema.properties[name]?.['type'] === 'integer' && /^-?\d+$/.test(String(value));
      return [name, isNumber ? Number(value) : value];
    }),
  );
}
