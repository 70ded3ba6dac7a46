/**
 * Generates the OpenAPI 3.1 document of an image from the declarations of its rooms. The node has no route that lists
 * its routes: the document is a file beside the image.
 */
import type { TObject } from '@sinclair/typebox';
import { defined } from '../../base/defined.ts';
import { DEFAULT_LIMIT_BYTES } from '../../http/body.ts';
import {
  ENVELOPE,
  ErrorEnvelope,
  errorsOf,
  headOf,
  idOf,
  inPath,
  JSON_TYPE,
  type Json,
  pathsOf,
  refusalsOf,
  type Shapes,
} from '../../http/openapi-parts.ts';
import type { Composition } from '../../kernel/composition.ts';
import { IDEMPOTENCY_REPLAYED } from '../../kernel/key-names.ts';
import { KeyHeader } from '../../kernel/keys-schema.ts';
import type { ImageInfo } from '../../kernel/node.ts';
import type { RouteDeclaration, WebhookDeclaration } from '../../kernel/plugin.ts';
import { shapesOf } from './openapi-schemas.ts';

/** Errors that every path can respond with; the last one for methods that the path does not have. */
const EVERY_ROUTE = [
  'invalid_body',
  'expectation_failed',
  'origin_refused',
  'host_refused',
  'internal',
  'method_not_allowed',
];
/** Errors of every route that runs commands. */
const OF_COMMANDS = ['restarting', 'write_failed', 'key_in_use', 'idempotency_mismatch', 'persist_failed'];

const ABOUT = `Every failure is an envelope with an \`error\` code, an open set: branch on codes you know, treat others as a
generic failure. \`x-errors\` says of each whether to try again. A path that is not here is 404 not_found. HEAD is served
wherever GET is. A body of JSON is parsed as such whatever its Content-Type says. \`x-tier\` is the weakest mode (\`apiMode\`) in
which a route asks for the API key: none never asks, strict asks in strict mode, admin in admin and strict mode, update
asks for the update key in every mode. \`x-limit-bytes\` is the largest body, \`x-max-utf8-bytes\` the largest string in
UTF-8 bytes, \`x-pattern\` a pattern of ECMA-262 (flag u) that other languages do not take, \`x-limits\` holds the other
bounds. The transport is plain HTTP: the keys are no secret on the wire.`;

/**
 * The document: the routes of the composition as paths, its events, webhooks, errors and limits, with JSON Schema
 * 2020-12. Throws if two different schemas have the same name.
 */
export function openapi({ variant, version }: ImageInfo, composition: Composition): Json {
  const shapes = shapesOf(composition);
  const routes = composition.plugins.flatMap(({ name, routes = [] }) =>
    routes.map((route) => ({ ...route, room: name })),
  );
  const webhooks = composition.plugins.flatMap((plugin) => plugin.webhooks ?? []);
  return {
    ...headOf(`tillnode, variant ${variant}`, version, ABOUT),
    servers: [
      {
        url: 'http://node-{deviceId}.local',
        description: 'deviceId: 8 hexadecimal digits, on the slip of the node',
        variables: { deviceId: { default: '00000000' } },
      },
    ],
    paths: pathsOf(routes, ({ room, ...route }) => operation(route, room, { shapes, composition })),
    webhooks: Object.fromEntries(
      webhooks.map((webhook) => [webhook.name, { post: sent(webhook, { shapes, composition }) }]),
    ),
    components: {
      schemas: { ErrorEnvelope, ...shapes.components },
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-NODE-Api-Key', description: 'config key apiKey' },
        updateKey: { type: 'http', scheme: 'bearer', description: 'updateKey of PUT /update' },
      },
      headers: {
        Allow: { description: 'the verbs that the path has', schema: { type: 'string' } },
        [IDEMPOTENCY_REPLAYED]: {
          description: 'this is the stored answer to an earlier request with the same key: nothing was done now',
          schema: { const: 'true' },
        },
      },
    },
    'x-errors': errorsOf(composition.errors),
    'x-limits': Object.fromEntries(
      composition.plugins.flatMap(({ name, limits }) => (limits === undefined ? [] : [[name, limits]])),
    ),
  };
}

interface Parts {
  readonly shapes: Shapes;
  readonly composition: Composition;
}

function operation(route: RouteDeclaration, room: string, parts: Parts): Json {
  const { method, path, tier, summary, headers } = route;
  const body = requestBody(route, parts);
  return {
    operationId: idOf(method, path),
    tags: [room],
    summary,
    'x-tier': tier,
    security: securityOf(route),
    parameters: [
      ...inPath(path),
      ...(route.commands === undefined ? [] : parts.shapes.parameters('header', KeyHeader)),
      ...(headers === undefined ? [] : parts.shapes.parameters('header', headers)),
    ],
    ...defined({ requestBody: body }),
    responses: answers(route, parts),
  };
}

/** The answers of a route. Each of one that runs commands may be a stored one. */
function answers(route: RouteDeclaration, parts: Parts): Json {
  const all: Readonly<Record<string, Json>> = { 200: success(route, parts), ...refusals(route, parts) };
  if (route.commands === undefined) return all;
  const replayed = { [IDEMPOTENCY_REPLAYED]: { $ref: `#/components/headers/${IDEMPOTENCY_REPLAYED}` } };
  return Object.fromEntries(
    Object.entries(all).map(([status, { headers, ...answer }]) => [
      status,
      { ...answer, headers: { ...(headers as Json | undefined), ...replayed } },
    ]),
  );
}

/** `security` of a route; the alternative `{}` is for modes below its tier, in which no key is needed. */
function securityOf({ tier, errors = [] }: RouteDeclaration): Json[] {
  if (tier === 'none') return [];
  if (tier === 'update') return [{ updateKey: [] }];
  const keys = [{ apiKey: [] }, {}];
  return errors.includes('ota_locked') ? [...keys, { apiKey: [], updateKey: [] }, { updateKey: [] }] : keys;
}

function requestBody({ body, upload }: RouteDeclaration, { shapes }: Parts): Json | undefined {
  if (body === undefined && upload === undefined) return undefined;
  const limitBytes = upload?.limitBytes ?? body?.limitBytes ?? DEFAULT_LIMIT_BYTES;
  return {
    required: true,
    description: `at most ${limitBytes} bytes`,
    'x-limit-bytes': limitBytes,
    content: {
      // Of the schema's examples, too: readers of OpenAPI 3.0 know them only here.
      ...(body !== undefined && {
        [body.type ?? JSON_TYPE]: {
          schema: shapes.of(body.schema),
          ...defined({ example: shapes.exampleOf(body.schema) }),
        },
      }),
      ...(upload !== undefined && { [upload.type]: {} }),
    },
  };
}

function success({ response, type = JSON_TYPE, summary }: RouteDeclaration, { shapes, composition }: Parts): Json {
  const media = type.replace(/; charset=utf-8$/, '');
  if (media === 'text/event-stream') {
    const events = [...composition.events].map(([type, { schema }]) => [type, shapes.of(schema)] as const);
    return {
      description:
        'messages whose `event` is the type, whose `id` grows since boot, and whose `data` is an event as JSON',
      content: { [media]: { schema: { oneOf: events.map(([, schema]) => schema) } } },
      'x-events': Object.fromEntries(events),
    };
  }
  if (media !== JSON_TYPE && response !== undefined) {
    return {
      description: `${summary}; each line is one of these`,
      content: { [media]: { schema: shapes.of(response) } },
    };
  }
  const schema = response === undefined ? { type: 'object' } : shapes.of(response);
  const text = /^text\/|\+xml$/.test(media) ? { schema: { type: 'string' } } : {};
  return { description: summary, content: { [media]: media === JSON_TYPE ? { schema } : text } };
}

/** The error responses of a route, by HTTP status. */
function refusals(
  route: RouteDeclaration,
  { shapes, composition: { errors, plugins } }: Parts,
): Readonly<Record<string, Json>> {
  const { method, path, tier, body, response } = route;
  const codes = [
    ...EVERY_ROUTE,
    ...(method !== 'GET' && route.always !== true ? ['busy'] : []),
    ...(route.commands === undefined ? [] : OF_COMMANDS),
    ...(body === undefined ? [] : ['body_too_large']),
    ...(body !== undefined && body.type === undefined ? ['invalid_json'] : []),
    ...(typeof body?.invalid === 'string' ? [body.invalid] : []),
    ...(tier === 'admin' || tier === 'strict' ? ['api_locked'] : []),
    ...(tier === 'update' ? ['ota_locked'] : []),
    ...(route.errors ?? []),
    ...plugins.flatMap(({ adds = {} }) => adds[`${method} ${path}`] ?? []),
  ];
  // A failed command is reported as its result, not as an envelope.
  const alsoResult = response?.properties !== undefined && 'error' in (response['properties'] as object);
  const schema = alsoResult && response !== undefined ? { anyOf: [ENVELOPE, shapes.of(response)] } : ENVELOPE;
  return refusalsOf(codes, errors, schema);
}

/** The OpenAPI operation of a webhook. Its event is one of those that a webhook may carry. */
function sent({ name, summary, headers, body }: WebhookDeclaration, { shapes, composition }: Parts): Json {
  const carried = [...composition.events.values()].filter(({ webhook }) => webhook === true);
  const events = carried.map(({ schema }) => shapes.of(schema));
  const { $id: _, ...shape } = body;
  const plain = shapes.of(shape as TObject);
  return {
    operationId: `webhook${name.replace(/^./, (c) => c.toUpperCase())}`,
    summary,
    security: [],
    parameters: shapes.parameters('header', headers),
    requestBody: {
      required: true,
      content: {
        [JSON_TYPE]: {
          schema: { ...plain, properties: { ...(plain['properties'] as Json), event: { oneOf: events } } },
        },
      },
    },
    responses: {
      '2XX': { description: 'delivered' },
      '4XX': { description: 'dropped, and not sent again' },
      default: { description: 'sent once more at once, then dropped' },
    },
  };
}
