/** A small kernel behind the HTTP front: a few routes, settings in memory, no devices. */

import { connect, type Socket } from 'node:net';
import { type TSchema, Type } from '@sinclair/typebox';
import { onTestFinished } from 'vitest';
import { closed } from '../../runtime/base/schema.ts';
import { VirtualBoot } from '../../runtime/bindings/virtual/boot.ts';
import { VirtualLinks } from '../../runtime/bindings/virtual/links.ts';
import { createHttpServer, type HttpLimits, type HttpServer } from '../../runtime/http/server.ts';
import { compose } from '../../runtime/kernel/composition.ts';
import { CORE_ERRORS } from '../../runtime/kernel/core-errors.ts';
import { ApiError } from '../../runtime/kernel/errors.ts';
import { Kernel } from '../../runtime/kernel/kernel.ts';
import type { Logger } from '../../runtime/kernel/log.ts';
import { definePlugin, type Plugin, route } from '../../runtime/kernel/plugin.ts';
import type { StoredSettings } from '../../runtime/kernel/registry.ts';
import { Reply } from '../../runtime/kernel/reply.ts';
import { compileValidators } from '../../runtime/kernel/schemas.ts';
import type { Settings } from '../../runtime/kernel/settings.ts';
import { Contract } from '../../runtime/kernel/validator.ts';

export const API_KEY = 'correct horse battery';
export const UPDATE_KEY = 'update-key-0123456789';

const Echo = closed({ value: Type.String({ maxLength: 200_000 }), n: Type.Optional(Type.Integer()) }, { $id: 'Echo' });
const Anything = { $id: 'Anything' } as TSchema;

export const echo = definePlugin({
  name: 'echo',
  api: 2,
  config: [
    { key: 'apiMode', schema: Type.String(), default: 'open' },
    { key: 'apiKey', schema: Type.String(), default: '', secrets: ['apiKey'] },
    { key: 'hosts', schema: Type.Array(Type.String()), default: ['till.example'] },
  ],
  routes: [
    route({
      method: 'GET',
      path: '/',
      tier: 'none',
      summary: 'page',
      handle: () => new Reply(200, '<p>', { 'Content-Type': 'text/html' }),
    }),
    route({
      method: 'GET',
      path: '/echo',
      tier: 'none',
      summary: 'who asks',
      handle: ({ hasApiKey }) => ({ ok: true, hasApiKey }),
    }),
    route({
      method: 'POST',
      path: '/echo',
      tier: 'strict',
      summary: 'what was sent',
      body: { schema: Echo, invalid: 'invalid_command', limitBytes: 4096 },
      handle: ({ body }) => ({ ok: true, ...body }),
    }),
    route({
      method: 'PUT',
      path: '/echo',
      tier: 'admin',
      summary: 'any JSON of the default size',
      body: { schema: Anything, invalid: 'invalid_command' },
      handle: ({ body }) => ({ ok: true, body }),
    }),
    route({
      method: 'DELETE',
      path: '/echo/:id',
      tier: 'admin',
      summary: 'a parameter',
      handle: ({ params }) => ({ ok: true, id: params['id'] }),
    }),
    route({
      method: 'POST',
      path: '/image',
      tier: 'update',
      summary: 'reads its own body',
      handle: async ({ request }) => {
        let bytes = 0;
        for await (const chunk of request) bytes += (chunk as Buffer).length;
        return { ok: true, bytes };
      },
    }),
    route({
      method: 'POST',
      path: '/busy',
      tier: 'none',
      summary: 'refuses for its state, before its body',
      body: { schema: Echo, invalid: 'invalid_command' },
      before: () => {
        throw new ApiError('persist_failed', 'busy', { 'Retry-After': '1' });
      },
      handle: () => ({ ok: true }),
    }),
    route({
      method: 'GET',
      path: '/boom',
      tier: 'none',
      summary: 'fails',
      handle: () => Promise.reject(new Error('kaput secret')),
    }),
    route({
      method: 'GET',
      path: '/undeclared',
      tier: 'none',
      summary: 'throws a code nobody declared',
      handle: () => {
        throw new ApiError('no_such_code');
      },
    }),
  ],
});

export interface TestFront {
  readonly kernel: Kernel;
  readonly server: HttpServer;
  readonly url: string;
  readonly port: number;
  /** Messages logged as errors. */
  readonly errors: object[];
}

export interface TestFrontOptions {
  readonly plugins?: readonly Plugin[];
  readonly limits?: Partial<HttpLimits>;
  /** Stored sections. */
  readonly stored?: Record<string, unknown>;
  /** The mode the node is in; the key of a mode above open is API_KEY. */
  /** Where it listens. */
  readonly host?: string;
  readonly apiMode?: 'open' | 'admin' | 'strict';
}

/** Started on a free port of 127.0.0.1; stopped at the end of the test. */
export async function startFront({
  plugins = [echo],
  limits,
  stored = {},
  apiMode,
  host = '127.0.0.1',
}: TestFrontOptions = {}): Promise<TestFront> {
  const errors: object[] = [];
  const log: Logger = { debug() {}, info() {}, warn() {}, error: (fields) => errors.push(fields) };
  const config = apiMode === undefined ? {} : { config: { apiMode, apiKey: API_KEY } };
  const sections: Partial<StoredSettings> = { ...config, ...stored };
  const settings: Settings = {
    read: (section) => sections[section],
    update: async (mutate) => mutate(sections),
  };
  const kernel = new Kernel({
    image: {
      variant: 'test',
      version: '0.0.0',
      usbChannels: 4,
      hardware: {},
      trustedKeys: [],
      securityFloor: 1,
      scripts: [],
    },
    run: { host, port: 0, ports: {}, appliance: false },
    beside: (name) => name,
    plugins,
    recipes: [],
    bindings: {
      usb: { state: 'no_bus', start: async () => {}, stop: async () => {} },
      storage: {
        read: async () => undefined,
        write: async () => {},
        remove: async () => {},
        append: async () => {},
        note: async () => {},
        machineRun: undefined,
        writeNow: () => {},
      },
      boot: new VirtualBoot(),
      links: new VirtualLinks(),
      host: { memoryLeft: () => Number.MAX_SAFE_INTEGER },
    },
    settings,
    contract: new Contract(compileValidators(compose(plugins, CORE_ERRORS))),
    log,
  });
  await kernel.start();
  const server = await createHttpServer(kernel, kernel.routes, limits);
  onTestFinished(async () => {
    await kernel.stop();
    await server.close();
  });
  const { port } = server.address;
  return { kernel, server, url: `http://127.0.0.1:${port}`, port, errors };
}

/** A raw connection, closed at the end of the test. */
export function openSocket(port: number): Socket {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Everything the server sends until it closes the connection. */
export function received(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('end', () => resolve(text)).on('close', () => resolve(text));
  });
}

/** Sends the parts one segment after the other and answers with all that came back until the connection closed. */
export async function exchange(port: number, ...parts: (string | Buffer)[]): Promise<string> {
  const socket = openSocket(port).setNoDelay(true);
  const answer = received(socket);
  for (const part of parts) {
    await new Promise<void>((sent) => socket.write(part, () => setImmediate(sent)));
  }
  return answer;
}

export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1] ?? 0);
export const bodyOf = (answer: string): Record<string, unknown> =>
  JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
