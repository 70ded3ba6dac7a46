/** The OpenAPI 3.1 document of the fleet, from its routes. */
import {
  ErrorEnvelope,
  errorsOf,
  headOf,
  idOf,
  inPath,
  JSON_TYPE,
  type Json,
  pathsOf,
  refusalsOf,
  Shapes,
} from '../../http/openapi-parts.ts';
import { COOKIE } from './cookie.ts';
import { ERRORS, type ErrorCode } from './errors.ts';
import type { RouteAccess } from './roles.ts';
import type { Route } from './routes.ts';

const isOpen = (access: RouteAccess) => access === 'anyone' || access === 'node';
const PERSON = [{ bearer: [] }, { session: [] }];
const securityOf = (access: RouteAccess) => (access === 'anyone' ? [] : access === 'node' ? [{ bearer: [] }] : PERSON);
/** Errors of every route, which all refuse parameters that they do not know, and of those that ask who it is or take a body. */
const EVERY_ROUTE: readonly ErrorCode[] = ['internal', 'busy', 'invalid_request'];
const OF_PERSON: readonly ErrorCode[] = ['unauthorized', 'forbidden'];
const OF_BODY: readonly ErrorCode[] = ['invalid_json', 'body_too_large'];

const ABOUT = `Nodes call, nothing calls a node. Every failure is an envelope with an \`error\` code, of which \`x-errors\` says
whether to try again. Nodes show the master token or their own as a bearer; operators the master token, a token made for a
program, or the cookie of a session. A role may all that those before it may: viewer, operator, releaser, owner. \`x-pattern\` is a
pattern of ECMA-262 (flag u) that other languages do not take.`;

/** The document. `version`: of the fleet. */
export function openapi(routes: readonly Route[], version: string): Json {
  const shapes = new Shapes(routes.flatMap(({ body, query, response }) => [body, query, response]));
  return {
    ...headOf('tillnode fleet', version, ABOUT),
    servers: [{ url: '/' }],
    paths: pathsOf(routes, (each) => operation(each, shapes)),
    components: {
      schemas: { ErrorEnvelope, ...shapes.components },
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'the master token; on routes of nodes also that of a node',
        },
        session: { type: 'apiKey', in: 'cookie', name: COOKIE, description: 'what signing in sets' },
      },
    },
    'x-errors': errorsOf(ERRORS),
  };
}

function operation(each: Route, shapes: Shapes): Json {
  return {
    operationId: idOf(each.method, each.path),
    summary: each.summary,
    ...(!isOpen(each.access) && { description: `Role: ${each.access}.` }),
    security: securityOf(each.access),
    parameters: [...inPath(each.path), ...(each.query === undefined ? [] : shapes.parameters('query', each.query))],
    ...requestBody(each, shapes),
    responses: responses(each, shapes),
  };
}

function requestBody({ body, upload }: Route, shapes: Shapes): Json {
  if (body !== undefined)
    return { requestBody: { required: true, content: { [JSON_TYPE]: { schema: shapes.of(body) } } } };
  return upload === undefined ? {} : { requestBody: { required: true, content: { [upload]: {} } } };
}

function responses(each: Route, shapes: Shapes): Json {
  const { response, type = JSON_TYPE, body, access, also = {}, errors = [] } = each;
  const codes = [
    ...EVERY_ROUTE,
    ...errors,
    ...(isOpen(access) ? [] : OF_PERSON),
    ...(body === undefined ? [] : OF_BODY),
  ];
  const content = { [type]: response === undefined ? {} : { schema: shapes.of(response) } };
  const isEmpty = response === undefined && each.type === undefined;
  // What is done is said otherwise, where another status says it.
  const isSaid = Object.keys(also).some((status) => Number(status) < 400);
  const success = isEmpty
    ? !isSaid && { 204: { description: 'done' } }
    : { 200: { description: each.summary, content } };
  const others = Object.entries(also).map(([status, description]) => [status, { description }]);
  return { ...success, ...Object.fromEntries(others), ...refusalsOf(codes, ERRORS) };
}
