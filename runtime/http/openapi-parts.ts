/** What the OpenAPI 3.1 documents of node and fleet have in common: schemas of a contract as plain JSON Schema, paths, parameters, errors. */

import type { TObject, TSchema } from '@sinclair/typebox';
import { defined } from '../base/defined.ts';
import { isRecord } from '../base/record.ts';
import { errorCodeOf } from '../kernel/composition.ts';
import type { ErrorRow } from '../kernel/errors.ts';
import type { RouteError } from '../kernel/plugin.ts';

/** Media type of nearly all bodies. */
export const JSON_TYPE = 'application/json';

/** A JSON object. */
export type Json = { readonly [key: string]: unknown };

/** What regular expressions of ECMA-262 have and those of Python or Rust (pydantic) lack, so that they refuse the whole. */
const ECMA_ONLY = /\(\?<?[=!]|\\[pP]\{|\\u[dD][89a-fA-F]|\\[1-9]/;

/**
 * The schemas of a document, which those that are given refer to. Throws in the constructor if two different schemas have the same `$id`,
 * unless that is among `composed`: then the first one counts.
 */
export class Shapes {
  /** The schemas that `of` has referred to, by name: the `components.schemas` of the document. */
  readonly components: Record<string, Json> = {};
  readonly #known = new Map<string, TSchema>();

  readonly #composed: readonly string[];

  constructor(schemas: Iterable<TSchema | undefined>, composed: readonly string[] = []) {
    this.#composed = composed;
    for (const schema of schemas) this.#learn(schema);
  }

  /**
   * A reference if the schema has a name, else the schema itself. A named one that was not given is any object.
   */
  of(schema: TSchema): Json {
    const { $id } = schema;
    if ($id === undefined) return this.#plain(schema);
    const known = this.#known.get($id);
    if (known === undefined) return { type: 'object' };
    if (this.components[$id] === undefined) {
      this.components[$id] = {};
      this.components[$id] = this.#plain(known);
    }
    return { $ref: `#/components/schemas/${$id}` };
  }

  /** The first example of a schema, by its name; undefined where it has none. */
  exampleOf({ $id = '' }: TSchema): unknown {
    return this.#known.get($id)?.['examples']?.[0];
  }

  /** The properties of an object schema as parameters, header fields or of the query. */
  parameters(place: 'header' | 'query', { properties, required }: TObject): Json[] {
    return Object.entries(properties).map(([name, each]) => {
      const { description, ...schema } = this.of(each);
      return { in: place, name, required: required?.includes(name) === true, ...defined({ description }), schema };
    });
  }

  #learn(schema: unknown): void {
    if (Array.isArray(schema)) for (const part of schema) this.#learn(part);
    if (!isRecord(schema)) return;
    const { $id } = schema;
    if (typeof $id === 'string' && Object.keys(schema).length > 1) {
      const other = this.#known.get($id);
      if (other !== undefined && other !== schema && !this.#composed.includes($id) && !isSame(other, schema)) {
        throw new Error(`two schemas are called ${$id}`);
      }
      if (other === undefined) this.#known.set($id, schema as unknown as TSchema);
    }
    for (const part of Object.values(schema)) this.#learn(part);
  }

  /** The schema without `$id`, with keywords that every reader knows. */
  #plain(schema: TSchema): Json {
    const plain: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === '$id') continue;
      if (keyword === 'maxUtf8Bytes') plain['x-max-utf8-bytes'] = value;
      else if (keyword === 'pattern' && ECMA_ONLY.test(value)) plain['x-pattern'] = value;
      else if (keyword === 'anyOf' && isEnumeration(value)) plain['enum'] = value.map(({ const: only }) => only);
      else if (['anyOf', 'oneOf', 'allOf'].includes(keyword))
        plain[keyword] = (value as TSchema[]).map((s) => this.of(s));
      else if (keyword === 'items') plain[keyword] = this.of(value as TSchema);
      else if (keyword === 'properties') {
        plain[keyword] = Object.fromEntries(
          Object.entries(value as Record<string, TSchema>).map(([name, each]) => [name, this.of(each)]),
        );
      } else plain[keyword] = value;
    }
    return plain;
  }
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const isEnumeration = (value: unknown): value is { const: unknown }[] =>
  Array.isArray(value) && value.every((each) => isRecord(each) && 'const' in each);

/** How a document begins. `about`: what it says of itself, on any number of lines. */
export const headOf = (title: string, version: string, about: string) => ({
  openapi: '3.1.0',
  info: { title, version, description: about.replaceAll('\n', ' '), license: { name: 'MIT', identifier: 'MIT' } },
});

/** The schema of the error envelope, the component `ErrorEnvelope`. */
export const ErrorEnvelope: Json = {
  type: 'object',
  required: ['ok', 'error'],
  properties: {
    ok: { const: false },
    error: { type: 'string', description: 'a code; an open set' },
    detail: { type: 'string', description: 'for people; never parse it' },
  },
};
/** What refers to it. */
export const ENVELOPE: Json = { $ref: '#/components/schemas/ErrorEnvelope' };

/** A table of errors, by code. */
export type ErrorTable = ReadonlyMap<string, ErrorRow>;

/** The table as `x-errors` of a document. */
export const errorsOf = (table: ErrorTable): Json =>
  Object.fromEntries([...table.values()].map(({ code, ...row }) => [code, row]));

/**
 * The error responses of a route, by status: of the codes that it may answer and the table has, each with the status that it has there or
 * with those that are given. `schema`: of their bodies.
 */
export function refusalsOf(
  codes: Iterable<string | RouteError>,
  table: ErrorTable,
  schema = ENVELOPE,
): Readonly<Record<string, Json>> {
  const statuses = new Map<number, Set<string>>();
  for (const each of codes) {
    const row = table.get(errorCodeOf(each));
    for (const status of row === undefined ? [] : typeof each === 'string' ? [row.status] : each.statuses)
      statuses.set(status, (statuses.get(status) ?? new Set()).add(errorCodeOf(each)));
  }
  return Object.fromEntries(
    [...statuses].map(([status, of]) => [status, refusal([...of].sort(), status, table, schema)]),
  );
}

function refusal(codes: readonly string[], status: number, table: ErrorTable, schema: Json): Json {
  const example = (code: string) => ({ summary: table.get(code)?.meaning, value: { ok: false, error: code } });
  return {
    description: codes.join(', '),
    ...(status === 405 && { headers: { Allow: { $ref: '#/components/headers/Allow' } } }),
    content: { [JSON_TYPE]: { schema, examples: Object.fromEntries(codes.map((code) => [code, example(code)])) } },
    'x-errors': Object.fromEntries(codes.map((code) => [code, { retry: table.get(code)?.retry }])),
  };
}

/** The paths of a document: `/jobs/:id` is `/jobs/{id}`, with its operations by method. */
export function pathsOf<R extends { readonly method: string; readonly path: string }>(
  routes: Iterable<R>,
  operation: (route: R) => Json,
): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  return paths;
}

/** The parameters in a path. */
export const inPath = (path: string): Json[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({ in: 'path', name, required: true, schema: { type: 'string' } }));

/** The operationId of a route: `PUT /network/ipv4` is putNetworkIpv4. */
export const idOf = (method: string, path: string): string => {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return (
    method.toLowerCase() +
    (words.length === 0 ? ['root'] : words).map((word) => word.replace(/^./, (first) => first.toUpperCase())).join('')
  );
};
