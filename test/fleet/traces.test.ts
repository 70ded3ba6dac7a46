/** Traces of OpenTelemetry, as a receiver of OTLP/HTTP gets them. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { build } from 'esbuild';
import { expect, it, onTestFinished, vi } from 'vitest';
import { wantsTraces } from '../../runtime/fleet/traces/opentelemetry.ts';
import { until } from '../node.ts';
import { callsOf, databases, EITHER, heartbeat, MASTER } from './fleet.ts';
import { startFleetProcess } from './process.ts';

const database = databases(EITHER[0]!);

interface Span {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: object }>;
}
interface Sent {
  readonly resourceSpans: ReadonlyArray<{
    readonly resource: { readonly attributes: Span['attributes'] };
    readonly scopeSpans: ReadonlyArray<{ readonly spans: readonly Span[] }>;
  }>;
}
const SERVER = 2;
const attribute = ({ attributes }: Pick<Span, 'attributes'>, name: string): unknown =>
  Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0];

/** A server on any port of loopback. */
async function listening(handle: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const server = createServer((request, response) => void handle(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  onTestFinished(() => (server.listening ? close() : undefined));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

it('requests, statements, rollouts and webhooks are spans, in which nothing stands that came in', async () => {
  const bodies: Sent[] = [];
  const paths = new Set<string | undefined>();
  const collector = await listening(async (request, response) => {
    paths.add(`${request.method} ${request.url} ${request.headers['content-type']}`);
    bodies.push((await json(request)) as Sent);
    response.setHeader('Content-Type', 'application/json').end('{}');
  });
  const told: string[] = [];
  const receiver = await listening((request, response) => {
    told.push(request.url ?? '');
    request.resume();
    response.writeHead(204).end();
  });
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
  vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment.name=test');
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '100');
  onTestFinished(() => void vi.unstubAllEnvs());
  const running = await startFleetProcess(await database(), MASTER);
  onTestFinished(() => running.stop());
  const fleet = callsOf(running.url);
  const webhook = { url: `${receiver.url}/hook-of-ada`, secret: 'whispered' };
  expect((await fleet.call('PUT', '/api/settings', { alerts: { webhook } })).status).toBe(200);
  expect((await fleet.beat(heartbeat({ node: 'private1', custodyHold: true }))).status).toBe(204);
  expect((await fleet.call('PUT', '/api/nodes/private1', { name: 'Lovelace', site: 'Babbage' })).status).toBe(200);
  expect((await fleet.call('GET', '/api/nodes?filter=name:Lovelace')).body.total).toBe(1);
  expect((await fleet.call('GET', '/api/nodes/private2')).status).toBe(404);
  expect((await fleet.call('GET', '/private3')).status).toBe(404);
  expect((await fleet.beat(heartbeat({ uptimeSeconds: 'private4' }))).status).toBe(422);
  await until(() => told.length > 0);

  const spans = () =>
    bodies
      .flatMap(({ resourceSpans }) => resourceSpans.flatMap((each) => each.scopeSpans))
      .flatMap((each) => each.spans);
  const named = (name: string) => spans().filter((each) => each.name === name);
  const NAMES = ['POST /heartbeat', 'PUT /api/nodes/:id', 'GET /api/nodes/:id', 'GET', 'ingest batch', 'watch look'];
  await until(() =>
    [...NAMES, 'rollouts turn', 'rollouts settle', 'deliver webhook'].every((name) => named(name).length > 0),
  );
  await until(() => named('POST /heartbeat').length === 2);
  const statuses = (name: string) => named(name).map((each) => attribute(each, 'http.response.status_code'));
  expect(statuses('POST /heartbeat').sort()).toEqual([204, 422]);
  expect([statuses('GET /api/nodes/:id'), statuses('GET')]).toEqual([[404], [404]]);
  expect(named('PUT /api/nodes/:id')[0]).toMatchObject({ kind: SERVER });
  // A request has its statements below it, and so has a batch of messages.
  for (const name of ['PUT /api/nodes/:id', 'ingest batch']) {
    const { traceId = '', spanId = '' } = named(name)[0] ?? {};
    await until(() => spans().some((each) => each.parentSpanId === spanId && each.name === 'UPDATE'));
    const below = spans().filter((each) => each.traceId === traceId && each.parentSpanId === spanId);
    expect(below.map((each) => String(attribute(each, 'db.query.text'))).join()).toMatch(/UPDATE node/);
  }
  const { attributes = [] } = bodies[0]?.resourceSpans[0]?.resource ?? {};
  expect(['service.name', 'deployment.environment.name'].map((name) => attribute({ attributes }, name))).toEqual([
    'tillnode-fleet',
    'test',
  ]);
  expect([...paths]).toEqual(['POST /v1/traces application/json']);
  const all = JSON.stringify(bodies);
  for (const word of ['private', 'Lovelace', 'Babbage', 'hook-of-ada', 'whispered', MASTER])
    expect([word, all.includes(word)]).toEqual([word, false]);

  // Where nobody takes them any more, nothing else waits for that.
  await collector.close();
  for (let seq = 2; seq < 20; seq += 1)
    expect((await fleet.beat(heartbeat({ node: 'private1', seq, uptimeSeconds: 60 + seq }))).status).toBe(204);
  await running.stop();
});

it('tracing is off unless the variables of the standard say otherwise, and nothing of it is loaded then', async () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
  for (const [env, wanted] of [
    [{}, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, false],
    [endpoint, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' }, true],
    [{ ...endpoint, OTEL_SDK_DISABLED: 'TRUE' }, false],
    [{ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }, false],
  ] as const)
    expect([env, wantsTraces(env)]).toEqual([env, wanted]);
  const { metafile } = await build({
    entryPoints: ['runtime/fleet/main.ts'],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  });
  const imports = Object.values(metafile.inputs).flatMap((each) => each.imports);
  const kinds = imports.filter(({ path }) => path.startsWith('@opentelemetry/')).map(({ kind }) => kind);
  expect(kinds.length).toBeGreaterThan(3);
  expect(new Set(kinds)).toEqual(new Set(['dynamic-import']));
});
