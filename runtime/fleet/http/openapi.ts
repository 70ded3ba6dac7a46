/** The OpenAPI 3.1 document of the fleet, from its routes. */
import type { TObject } from '@sinclair/typebox';
import { defined } from '../../base/defined.ts';
import { ENVELOPE, ErrorEnvelope, idOf, inPath, type Json, pathOf, Shapes } from '../../http/openapi-parts.ts';
import type { Access } from '../sign-in/roles.ts';
import { COOKIE } from '../sign-in/sessions.ts';
import { ERRORS, type ErrorCode } from './errors.ts';
import type { Route } from './routes.ts';

const isOpen = (access: Access) => access === 'anyone' || access === 'node';
const PERSON = [{ bearer: [] }, { session: [] }];
const securityOf = (access: Access) => (access === 'anyone' ? [] : access === 'node' ? [{ bearer: [] }] : PERSON);
const ABOUT = `Nodes call, nothing calls a node. Every failure is an envelope with an \`error\` code. Nodes show the master token
or their own as a bearer; operators the master token, a token made for a program, or the cookie of a session. A role may
all that those before it may: viewer, operator, releaser, owner. \`x-pattern\` is a pattern of ECMA-262 (flag u) that other languages
do not take.`;

/** The document. `version`: of the fleet. */
export function openapi(routes: readonly Route[], version: string): Json {
  const shapes = new Shapes(routes.flatMap(({ body, query, response }) => [body, query, response]));
  const paths: Record<string, Record<string, Json>> = {};
  for (const each of routes) {
    const path = pathOf(each.path);
    paths[path] = { ...paths[path], [each.method.toLowerCase()]: operation(each, shapes) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'tillnode fleet',
      version,
      description: ABOUT.replaceAll('\n', ' '),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    paths,
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
  };
}

function operation(each: Route, shapes: Shapes): Json {
  return {
    operationId: idOf(each.method, each.path),
    summary: each.summary,
    ...(!isOpen(each.access) && { description: `Role: ${each.access}.` }),
    security: securityOf(each.access),
    parameters: [...inPath(each.path), ...(each.query === undefined ? [] : inQuery(each.query, shapes))],
    ...requestBody(each, shapes),
    responses: responses(each, shapes),
  };
}

const inQuery = (query: TObject, shapes: Shapes): Json[] =>
  shapes.properties(query).map(([name, { description, ...schema }, required]) => ({
    in: 'query',
    name,
    required,
    ...defined({ description }),
    schema,
  }));

function requestBody({ body, upload }: Route, shapes: Shapes): Json {
  if (body !== undefined)
    return { requestBody: { required: true, content: { 'application/json': { schema: shapes.of(body) } } } };
  return upload === undefined ? {} : { requestBody: { required: true, content: { [upload]: {} } } };
}

function responses(each: Route, shapes: Shapes): Json {
  const { response, type, body, query, access, also = {}, errors = [] } = each;
  const codes = new Set<ErrorCode>(['internal', 'busy', ...errors]);
  if (!isOpen(access)) codes.add('unauthorized').add('forbidden');
  if (body !== undefined)
    for (const code of ['invalid_json', 'invalid_request', 'body_too_large'] as const) codes.add(code);
  if (query !== undefined) codes.add('invalid_request');
  const success =
    response === undefined && type === undefined
      ? { 204: { description: 'done' } }
      : {
          200: {
            description: each.summary,
            content: {
              [type ?? 'application/json']: response === undefined ? {} : { schema: shapes.of(response) },
            },
          },
        };
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of [...codes].sort()) {
    const status = ERRORS.get(code)?.status ?? 500;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const refusals = [...byStatus].map(([status, list]) => [
    status,
    {
      description: list.map((code) => `${code}: ${ERRORS.get(code)?.meaning}`).join('; '),
      content: { 'application/json': { schema: ENVELOPE } },
    },
  ]);
  const others = Object.entries(also).map(([status, description]) => [status, { description }]);
  return { ...success, ...Object.fromEntries([...others, ...refusals]) };
}
