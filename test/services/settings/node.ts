/** A kernel with rooms, settings on virtual storage, and PUT /config through the checks that stand before its handler. */

import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { VirtualBoot } from '../../../runtime/bindings/virtual/boot.ts';
import { VirtualLinks } from '../../../runtime/bindings/virtual/links.ts';
import { VirtualStorage } from '../../../runtime/bindings/virtual/storage.ts';
import { Access, ADMITTED } from '../../../runtime/http/access.ts';
import { compose } from '../../../runtime/kernel/composition.ts';
import { CORE_ERRORS } from '../../../runtime/kernel/core-errors.ts';
import { ApiError } from '../../../runtime/kernel/errors.ts';
import { Kernel } from '../../../runtime/kernel/kernel.ts';
import { silentLogger } from '../../../runtime/kernel/log.ts';
import type { Plugin } from '../../../runtime/kernel/plugin.ts';
import { compileValidators } from '../../../runtime/kernel/schemas.ts';
import { Contract } from '../../../runtime/kernel/validator.ts';
import { SettingsStore } from '../../../runtime/node/settings-store.ts';
import settings from '../../../runtime/services/settings/index.ts';

export interface Answer {
  /** `ok`, or the code of the refusal. */
  readonly code: string;
  readonly detail?: string | undefined;
  readonly body?: Record<string, unknown>;
}

export interface SettingsNode {
  readonly kernel: Kernel;
  /** What GET /config answers. */
  config(): Record<string, unknown>;
  put(patch: unknown, key?: string): Promise<Answer>;
  /** A new node of the same rooms, on the same disk. */
  restart(): Promise<SettingsNode>;
}

/** Makes nodes of the settings room and these; their validators are compiled once. */
export function settingsNodes(...plugins: readonly Plugin[]): (storage?: VirtualStorage) => Promise<SettingsNode> {
  const rooms = [settings, ...plugins];
  const contract = new Contract(compileValidators(compose(rooms, CORE_ERRORS)));
  return (storage = new VirtualStorage()) => start(rooms, contract, storage);
}

async function start(plugins: readonly Plugin[], contract: Contract, storage: VirtualStorage): Promise<SettingsNode> {
  const { store } = await SettingsStore.open(storage);
  const kernel = new Kernel({
    image: {
      variant: 'test',
      version: '0.0.0',
      usbChannels: 1,
      hardware: {},
      trustedKeys: [],
      securityFloor: 1,
      scripts: [],
    },
    run: { host: '127.0.0.1', port: 0, ports: {}, appliance: false },
    beside: (name) => name,
    plugins,
    recipes: [],
    bindings: {
      usb: { state: 'no_bus', start: async () => {}, stop: async () => {} },
      storage,
      boot: new VirtualBoot(),
      links: new VirtualLinks(),
      host: { memoryLeft: () => Number.MAX_SAFE_INTEGER },
    },
    settings: store,
    contract,
    log: silentLogger,
  });
  const access = new Access(kernel);
  const route = kernel.routes.find(({ route: { method, path } }) => method === 'PUT' && path === '/config');
  if (route?.route.body === undefined) throw new Error('no PUT /config');
  const { body, tier, handle } = route.route;
  const { room } = route;

  const answer = async (patch: unknown, key: string | undefined): Promise<Record<string, unknown>> => {
    const request = new IncomingMessage(new Socket());
    if (key !== undefined) request.headers['x-node-api-key'] = key;
    const hasApiKey = access.hasApiKey(request);
    access.admit(tier, request, hasApiKey);
    const fault = contract.fault(body.schema, patch);
    if (fault !== undefined) throw new ApiError('invalid_config', `${fault.path}: ${fault.message}`);
    return (await handle({
      node: kernel,
      room,
      body: patch,
      params: {},
      request,
      hasApiKey,
      hasUpdateKey: false,
      admission: ADMITTED,
    })) as Record<string, unknown>;
  };
  return {
    kernel,
    config: () => kernel.config.view(),
    restart: () => start(plugins, contract, storage),
    put: (patch, key) =>
      answer(patch, key).then(
        (stored) => ({ code: 'ok', body: stored }),
        (error: unknown) => {
          if (!(error instanceof ApiError)) throw error;
          return { code: error.code, detail: error.detail };
        },
      ),
  };
}
