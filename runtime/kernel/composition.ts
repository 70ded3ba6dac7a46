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
export const errorCodeOf = (error: string | RouteError): string => (typeof error === 'string' ? error : error.code);

/** What to change in a plugin of `api: 1`. */
const SINCE_1 =
  'Rename apply(kernel) to room(node) and return the state that handlers need; handlers get { node, room, body }; ' +
  'ask node.endpoint(id) instead of kernel.hotplug.state(id), and node.bound(kind, id) for what bind returned.';

const TRANSPORTS: readonly string[] = ['usb', 'node'];
/** Most characters of an endpoint's id. */
const ID_LENGTH = 64;

/**
 * Combines plugins, in the order given, with the errors that every image has. Throws a CompositionError where a plugin is
 * of another `api`, a name is declared twice, a required plugin or an error code is missing, an endpoint is one that its
 * kind cannot have, or a configuration key could not be patched. That somebody binds the devices of each kind shows only
 * when the plugins run: the kernel refuses that (`requireBinders`).
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
  /** By kind: the first endpoint, and the plugin that declares it and so serves the kind. */
  const owners = new Map<string, { readonly plugin: Plugin; readonly endpoint: EndpointDeclaration }>();
  const taken = new Set<string>();

  for (const [at, plugin] of plugins.entries()) {
    if (typeof plugin?.name !== 'string')
      throw new CompositionError(`plugin ${at + 1} of ${plugins.length} is not what definePlugin returned`);
    const { api }: { api: number } = plugin;
    if (api !== PLUGIN_API) {
      const advice = api === 1 ? SINCE_1 : `Use a release of ${plugin.name} that was made for api: ${PLUGIN_API}.`;
      throw new CompositionError(`plugin ${plugin.name} has api: ${api}, this image has ${PLUGIN_API}. ${advice}`);
    }
    if (names.has(plugin.name)) throw new CompositionError(`plugin ${plugin.name} is named twice`);
    names.add(plugin.name);
    const put = <T>(into: Map<string, T>, what: string, key: string, value: T) => {
      if (into.has(key)) throw new CompositionError(`plugin ${plugin.name} declares ${what} ${key}, which is taken`);
      into.set(key, value);
    };
    for (const endpoint of plugin.endpoints ?? []) {
      const fault = endpointFault(endpoint);
      if (fault !== undefined)
        throw new CompositionError(
          `plugin ${plugin.name} declares endpoint ${JSON.stringify(endpoint.id)}, and ${fault}`,
        );
      put(endpoints, 'endpoint', endpoint.id, endpoint);
      const first = owners.get(endpoint.kind) ?? { plugin, endpoint };
      owners.set(endpoint.kind, first);
      if (first.endpoint !== endpoint && first.plugin.several?.includes(endpoint.kind) !== true)
        throw new CompositionError(
          `plugin ${plugin.name} declares endpoint ${endpoint.id} of kind ${endpoint.kind}, ` +
            `and plugin ${first.plugin.name} serves its endpoint ${first.endpoint.id} alone (several)`,
        );
    }
    if (plugin.channels !== undefined)
      for (const kind of new Set((plugin.endpoints ?? []).map((endpoint) => endpoint.kind)))
        put(channels, 'channels of kind', kind, plugin.channels);
    for (const codec of plugin.codecs ?? []) put(codecs, 'codec', codec.name, codec);
    for (const row of plugin.errors ?? []) put(errors, 'error', row.code, row);
    for (const declaration of plugin.config ?? []) {
      const { key, schema } = declaration;
      put(config, 'config key', key, declaration);
      const required: readonly string[] = schema['required'] ?? [];
      if (required.length > 0)
        throw new CompositionError(
          `plugin ${plugin.name} declares config key ${key} with the required property ${required.join(', ')}, ` +
            'which a patch may leave out: make it optional and give its value in default',
        );
    }
    for (const [type, event] of Object.entries(plugin.events ?? {})) put(events, 'event', type, event);
    for (const route of plugin.routes ?? []) {
      const key = `${route.method} ${route.path}`;
      if (taken.has(key)) throw new CompositionError(`plugin ${plugin.name} declares route ${key}, which is taken`);
      taken.add(key);
      routes.push(route);
    }
  }
  for (const plugin of plugins) {
    for (const needed of plugin.requires ?? []) {
      if (!names.has(needed))
        throw new CompositionError(`plugin ${plugin.name} requires ${needed}, which is not in this image`);
    }
    for (const route of plugin.routes ?? []) {
      for (const code of (route.errors ?? []).map(errorCodeOf)) {
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

/** What is wrong with an endpoint, as the end of a sentence; undefined if nothing is. */
function endpointFault({ id, transport }: EndpointDeclaration): string | undefined {
  if (id.length < 1 || id.length > ID_LENGTH) return `an id has 1 to ${ID_LENGTH} characters`;
  if (!TRANSPORTS.includes(transport)) return `transport ${transport} is none of ${TRANSPORTS.join(', ')}`;
  return undefined;
}

/**
 * Throws a CompositionError if hot-plug fills an endpoint whose devices nobody binds. To be called when the rooms have
 * tapped their hooks; `binds` tells whether `hooks.bind` has a tap for a kind.
 */
export function requireBinders(plugins: readonly Plugin[], binds: (kind: string) => boolean): void {
  for (const { name, endpoints = [] } of plugins) {
    for (const { id, kind, transport } of endpoints) {
      if (transport === 'usb' && !binds(kind))
        throw new CompositionError(
          `plugin ${name} declares endpoint ${id} of kind ${kind}, and no plugin of this image binds one (hooks.bind)`,
        );
    }
  }
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
