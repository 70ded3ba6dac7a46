/** Combines the declarations of an image's plugins and refuses those that conflict. Runs no code of a plugin. */
import type { CodecDeclaration } from '../../codecs/codec.ts';
import type { ConfigDeclaration } from './config.ts';
import type { ChannelsDeclaration, EndpointDeclaration } from './device.ts';
import type { ErrorRow } from './errors.ts';
import { type EventDeclaration, PLUGIN_API, type Plugin, type Route, type RouteError } from './plugin.ts';

/** Everything that the plugins of an image declare, by name. */
export interface Composition {
  readonly plugins: readonly Plugin[];
  readonly routes: readonly Route[];
  readonly endpoints: ReadonlyMap<string, EndpointDeclaration>;
  readonly codecs: ReadonlyMap<string, CodecDeclaration>;
  readonly errors: ReadonlyMap<string, ErrorRow>;
  readonly config: ReadonlyMap<string, ConfigDeclaration>;
  readonly events: ReadonlyMap<string, EventDeclaration>;
  /** Types of the events that a webhook may carry. */
  readonly webhookEvents: readonly string[];
  /** By device kind. */
  readonly channels: ReadonlyMap<string, ChannelsDeclaration>;
}

/**
 * The plugins cannot form an image: two declare the same name, or one needs what is missing. The message names both.
 */
export class CompositionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CompositionError';
  }
}

/** The error code of an entry of a route's `errors`. */
export const codeOf = (error: string | RouteError): string => (typeof error === 'string' ? error : error.code);

const CHANGES =
  'Rename apply(kernel) to room(node) and return the state that handlers need; handlers get { node, room, body }; ' +
  'ask node.endpoint(id) instead of kernel.hotplug.state(id), and node.bound(kind, id) for what bind returned.';

/**
 * Combines plugins, in the order given, with the errors that every image has. Throws a CompositionError where a name is
 * declared twice, a required plugin or an error code is missing, or no codec drives the kind of a `usb` endpoint.
 */
export function compose(plugins: readonly Plugin[], coreErrors: readonly ErrorRow[] = []): Composition {
  const names = new Set<string>();
  const routes: Route[] = [];
  const endpoints = new Map<string, EndpointDeclaration>();
  const codecs = new Map<string, CodecDeclaration>();
  const errors = new Map<string, ErrorRow>(coreErrors.map((row) => [row.code, row]));
  const config = new Map<string, ConfigDeclaration>();
  const events = new Map<string, EventDeclaration>();
  const channels = new Map<string, ChannelsDeclaration>();
  const taken = new Set<string>();

  for (const plugin of plugins) {
    if (plugin.api !== PLUGIN_API)
      throw new CompositionError(
        `plugin ${plugin.name} has api: ${String(plugin.api)}, this image has ${PLUGIN_API}. ${CHANGES}`,
      );
    if (names.has(plugin.name)) throw new CompositionError(`plugin ${plugin.name} is named twice`);
    names.add(plugin.name);
    const put = <T>(into: Map<string, T>, what: string, key: string, value: T) => {
      if (into.has(key)) throw new CompositionError(`plugin ${plugin.name} declares ${what} ${key}, which is taken`);
      into.set(key, value);
    };
    for (const endpoint of plugin.endpoints ?? []) put(endpoints, 'endpoint', endpoint.id, endpoint);
    for (const { kind } of plugin.endpoints ?? []) if (plugin.channels) channels.set(kind, plugin.channels);
    for (const codec of plugin.codecs ?? []) put(codecs, 'codec', codec.name, codec);
    for (const row of plugin.errors ?? []) put(errors, 'error', row.code, row);
    for (const declaration of plugin.config ?? []) put(config, 'config key', declaration.key, declaration);
    for (const [type, event] of Object.entries(plugin.events ?? {})) put(events, 'event', type, event);
    for (const route of plugin.routes ?? []) {
      const key = `${route.method} ${route.path}`;
      if (taken.has(key)) throw new CompositionError(`plugin ${plugin.name} declares route ${key}, which is taken`);
      taken.add(key);
      routes.push(route);
    }
  }
  const kinds = new Set([...codecs.values()].map(({ kind }) => kind));
  for (const { id, kind, transport } of endpoints.values()) {
    if (transport === 'usb' && !kinds.has(kind))
      throw new CompositionError(`endpoint ${id} is of kind ${kind}, which no plugin of this image drives`);
  }
  for (const plugin of plugins) {
    for (const needed of plugin.requires ?? []) {
      if (!names.has(needed))
        throw new CompositionError(`plugin ${plugin.name} requires ${needed}, which is not in this image`);
    }
    for (const route of plugin.routes ?? []) {
      for (const code of (route.errors ?? []).map(codeOf)) {
        if (!errors.has(code))
          throw new CompositionError(`route ${route.method} ${route.path} answers ${code}, which no plugin declares`);
      }
    }
    for (const [route, codes] of Object.entries(plugin.adds ?? {})) {
      for (const code of codes) {
        if (!errors.has(code))
          throw new CompositionError(`plugin ${plugin.name} adds ${code} to ${route}, which no plugin declares`);
      }
    }
  }
  const selectable = plugins.flatMap(({ webhooks = [] }) => webhooks.flatMap((webhook) => webhook.events ?? []));
  const declared = [...events].flatMap(([type, { webhook }]) => (webhook === true ? [type] : []));
  const webhookEvents = [...new Set([...selectable, ...declared])];
  return Object.freeze({ plugins, routes, endpoints, codecs, errors, config, events, webhookEvents, channels });
}

/**
 * Replaces the declared endpoints of each kind in `wanted` by one endpoint per given id. Returns new plugins; kinds
 * that are not in `wanted` keep what is declared. Throws a CompositionError where no plugin declares that kind, or its
 * plugin supports only one endpoint of it (`several`).
 */
export function withEndpoints(
  plugins: readonly Plugin[],
  wanted: Readonly<Record<string, readonly string[]>>,
): readonly Plugin[] {
  for (const [kind, ids] of Object.entries(wanted)) {
    const owner = plugins.find(({ endpoints = [] }) => endpoints.some((each) => each.kind === kind));
    const those = `endpoint ${ids.join(', ')} of kind ${kind}`;
    if (owner === undefined)
      throw new CompositionError(`the variant has ${those}, which no plugin of this image drives`);
    if (owner.several?.includes(kind) !== true)
      throw new CompositionError(`the variant has ${those}, and plugin ${owner.name} serves the one that it declares`);
  }
  return plugins.map((plugin) => ({
    ...plugin,
    endpoints: (plugin.endpoints ?? []).flatMap((declared) =>
      (wanted[declared.kind] ?? [declared.id]).map((id) => ({ ...declared, id })),
    ),
  }));
}
