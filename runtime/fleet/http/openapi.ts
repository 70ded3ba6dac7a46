/** The OpenAPI 3.1 document of the fleet, from its routes. */
import type { TObject, TSchema } from '@sinclair/typebox';
import { defined } from '../../base/defined.ts';
import type { Access } from '../sign-in/roles.ts';
import { COOKIE } from '../sign-in/sessions.ts';
import { ERRORS, type ErrorCode } from './errors.ts';
import type { Route } from './routes.ts';

type Json = { readonly [key: string]: unknown };
const ENVELOPE = {
  type: 'object',
  required: ['ok', 'error'],
  properties: {
    ok: { const: false },
    error: { type: 'string', description: 'a code; an open set' },
    detail: { type: 'string', description: 'for people; never parse it' },
  },
};
const isOpen = (access: Access) => access === 'anyone' || access === 'node';
const PERSON = [{ bearer: [] }, { session: [] }];
const securityOf = (access: Access) => (access === 'anyone' ? [] : access === 'node' ? [{ bearer: [] }] : PERSON);
const ABOUT = `Nodes call, nothing calls a node. Every failure is an envelope with an \`error\` code. Nodes show the master token
or their own as a bearer; operators the master token, a token made for a program, or the cookie of a session. A role may
all that those before it may: viewer, operator, releaser, owner.`;

/** The document. `version`: of the fleet. */
export function openapi(routes: readonly Route[], version: string): Json {
  const schemas: Record<string, Json> = { ErrorEnvelope: ENVELOPE };
  const paths: Record<string, Record<string, Json>> = {};
  for (const each of routes) {
    const path = each.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [each.method.toLowerCase()]: operation(each, schemas) };
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
      schemas,
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

function operation(each: Route, schemas: Record<string, Json>): Json {
  const words = `${each.method} ${each.path}`.toLowerCase().split(/[^a-z0-9]+/);
  const operationId = words
    .map((word, at) => (at === 0 ? word : word.replace(/^./, (first) => first.toUpperCase())))
    .join('');
  const inPath = [...each.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    in: 'path',
    name,
    required: true,
    schema: { type: 'string' },
  }));
  return {
    operationId,
    summary: each.summary,
    ...(!isOpen(each.access) && { description: `Role: ${each.access}.` }),
    security: securityOf(each.access),
    parameters: [...inPath, ...(each.query === undefined ? [] : inQuery(each.query, schemas))],
    ...requestBody(each, schemas),
    responses: responses(each, schemas),
  };
}

const inQuery = (query: TObject, schemas: Record<string, Json>) =>
  Object.entries(query.properties).map(([name, { description, ...schema }]) => ({
    in: 'query',
    name,
    required: query.required?.includes(name) === true,
    ...defined({ description }),
    schema: plain(schema as TSchema, schemas),
  }));

function requestBody({ body, upload }: Route, schemas: Record<string, Json>): Json {
  if (body !== undefined)
    return { requestBody: { required: true, content: { 'application/json': { schema: refer(body, schemas) } } } };
  return upload === undefined ? {} : { requestBody: { required: true, content: { [upload]: {} } } };
}

function responses(each: Route, schemas: Record<string, Json>): Json {
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
              [type ?? 'application/json']: response === undefined ? {} : { schema: refer(response, schemas) },
            },
          },
        };
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of [...codes].sort()) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const refusals = [...byStatus].map(([status, list]) => [
    status,
    {
      description: list.map((code) => `${code}: ${ERRORS[code].meaning}`).join('; '),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorEnvelope' } } },
    },
  ]);
  const others = Object.entries(also).map(([status, description]) => [status, { description }]);
  return { ...success, ...Object.fromEntries([...others, ...refusals]) };
}

/** A reference to a named schema, which is put among the components; another schema as it is. */
function refer(schema: TSchema, schemas: Record<string, Json>): Json {
  const { $id } = schema;
  if ($id === undefined) return plain(schema, schemas);
  if (schemas[$id] === undefined) {
    schemas[$id] = {};
    schemas[$id] = plain(schema, schemas);
  }
  return { $ref: `#/components/schemas/${$id}` };
}

function plain(schema: TSchema, schemas: Record<string, Json>): Json {
  const of = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(of);
    if (typeof value !== 'object' || value === null) return value;
    return refer(value as TSchema, schemas);
  };
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => keyword !== '$id')
      .map(([keyword, value]) => [
        keyword === 'maxUtf8Bytes' ? 'x-max-utf8-bytes' : keyword,
        keyword === 'properties'
          ? Object.fromEntries(Object.entries(value as object).map(([name, each]) => [name, of(each)]))
          : of(value),
      ]),
  );
}
