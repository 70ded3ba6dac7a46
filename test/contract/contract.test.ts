/** One contract: the specification's tables, and the OpenAPI document that every image ships with. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import limits from '../spec/limits.json' with { type: 'json' };
import { at, documents, operationOf, operationsOf, Schemas } from './document.ts';
import {
  additionalPairs,
  errorRows,
  eventsOf,
  isIn,
  nameOf,
  type Pair,
  routesOf,
  tablePairs,
  type VariantName,
} from './tables.ts';

const VARIANTS: readonly VariantName[] = ['wifi', 'camera', 'twin'];

const documentedPairs = (variant: VariantName): Pair[] =>
  operationsOf(variant).flatMap(([route, { responses }]) =>
    Object.entries(responses).flatMap(([status, { 'x-errors': codes = {} }]) =>
      Object.keys(codes).map((code) => ({ code, status: Number(status), route })),
    ),
  );

describe.each(VARIANTS)('the document of variant %s', (variant) => {
  const document = documents[variant];

  it('has the routes of the table, each with its tier, and no others', () => {
    const inTable = routesOf(variant).map(({ method, path, tier }) => `${method} ${path} ${tier}`);
    const inDocument = operationsOf(variant).map(([route, operation]) => `${route} ${operation['x-tier']}`);
    expect(inDocument.sort()).toEqual(inTable.sort());
  });

  it('asks for the key that the tier names', () => {
    const asked = (route: string) => operationOf(variant, route)?.security;
    for (const { method, path, tier } of routesOf(variant)) {
      const security = JSON.stringify(asked(`${method} ${path}`));
      if (tier === 'none') expect(security).toBe('[]');
      else expect(security).toContain(tier === 'update' ? 'updateKey' : 'apiKey');
    }
  });

  it('changes only the keys of the configuration that are sent: none has a default there, each has one where it is shown', () => {
    const { ConfigPatch, Config } = document.components.schemas;
    expect(JSON.stringify(ConfigPatch)).not.toContain('"default"');
    expect(at(Config!, '/properties/printWidthCols/default')).toBe(48);
    // A default shows no more than the configuration itself, and that no credential.
    for (const shape of Object.values(at(Config!, '/properties') as Record<string, Record<string, object>>)) {
      const shown = Object.keys(shape['properties'] ?? {});
      if (shown.length > 0) expect(shown).toEqual(expect.arrayContaining(Object.keys(shape['default'] ?? {})));
    }
  });

  it('has a body, with its largest size, where the table has one', () => {
    for (const { method, path, body } of routesOf(variant)) {
      const documented = operationOf(variant, `${method} ${path}`)?.requestBody;
      const media = { json: 'application/json', image: 'application/octet-stream', xml: 'application/xml' }[body ?? ''];
      expect([path, Object.keys(documented?.content ?? {})]).toEqual([path, media === undefined ? [] : [media]]);
      if (documented !== undefined) expect(documented['x-limit-bytes']).toBeGreaterThan(0);
    }
  });

  it('says of every route that takes a key of idempotency that its answers may be stored ones', () => {
    const keyed = operationsOf(variant).filter(([, { parameters }]) =>
      parameters.some(({ name }) => name === 'Idempotency-Key'),
    );
    expect(keyed.map(([name]) => name)).toContain('POST /print');
    for (const [name, { responses }] of keyed)
      for (const { headers } of Object.values(responses)) expect(headers, name).toHaveProperty('Idempotency-Replayed');
  });

  it('has every code of the error table at its routes and statuses', () => {
    const documented = new Set(documentedPairs(variant).map(nameOf));
    const missing = tablePairs(variant).filter((pair) => pair.route !== 'unrouted' && !documented.has(nameOf(pair)));
    expect(missing.map(nameOf)).toEqual([]);
  });

  it('has no code beside the table but the stated additions', () => {
    const known = new Set([...tablePairs(variant), ...additionalPairs(variant)].map(nameOf));
    const unknown = documentedPairs(variant).filter((pair) => !known.has(nameOf(pair)));
    expect(unknown.map(nameOf)).toEqual([]);
  });

  it('gives the retry advice of the table', () => {
    const { 'x-errors': advice } = document;
    for (const { code, at: statuses, retry } of errorRows(variant)) {
      if (advice[code] === undefined) {
        // A code of the camera's, on a variant without one.
        expect(tablePairs(variant).filter((pair) => pair.code === code)).toEqual([]);
        continue;
      }
      expect([code, advice[code].retry]).toEqual([code, retry]);
      expect(Object.keys(statuses)).toContain(String(advice[code].status));
    }
  });

  it('has the events of the table with their fields, and no others', () => {
    const documented = operationOf(variant, 'GET /events')?.responses['200']?.['x-events'] ?? {};
    expect(Object.keys(documented).sort()).toEqual(
      eventsOf(variant)
        .map(({ type }) => type)
        .sort(),
    );
    for (const { type, fields } of eventsOf(variant)) {
      const { $ref } = documented[type] as { $ref: string };
      const schema = at(document, $ref.slice(1)) as { properties: Record<string, unknown> };
      expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining([...fields]));
    }
  });

  it.each(limits.limits.filter(isIn(variant)))('says the limit: $limit', ({ at: pointer, value }) => {
    expect(at(document, pointer)).toBe(value);
  });

  it('is without a fault under every recommended rule', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const source = JSON.stringify(document);
    const problems = await lintFromString({ source, absoluteRef: `/${variant}/openapi.json`, config });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  it('holds plain JSON Schema, which compiles in strict mode', () => {
    const schemas = new Schemas(document);
    const { components } = document;
    for (const [name, schema] of Object.entries(components.schemas)) {
      expect(schemas.compile(schema), name).toBeTypeOf('function');
    }
    for (const [route, { responses, requestBody }] of operationsOf(variant)) {
      for (const { content } of [...Object.values(responses), ...(requestBody === undefined ? [] : [requestBody])]) {
        for (const { schema = {} } of Object.values(content)) {
          expect(schemas.compile(schema), route).toBeTypeOf('function');
        }
      }
    }
    expect(JSON.stringify(document)).not.toMatch(/"(\$id|\$static|maxUtf8Bytes)":/);
  });
});

it('no two routes of an image have one operationId, and no route is without an answer', () => {
  for (const variant of VARIANTS) {
    const operations = operationsOf(variant);
    expect(new Set(operations.map(([, { operationId }]) => operationId)).size).toBe(operations.length);
    const vague = operations.filter(([, { responses }]) => {
      const [media, { schema }] = Object.entries(responses['200']?.content ?? {})[0] ?? ['', {}];
      return media === 'application/json' && JSON.stringify(schema) === '{"type":"object"}';
    });
    expect(vague.map(([route]) => route)).toEqual([]);
  }
});
