/** The room `network`: the node's connection, its settings, and setup mode (specification 2.10, 3.5). */
import type { Band, Ipv4Settings } from '../../bindings/network.ts';
import { bytesOfSsid, ssidOf } from '../../bindings/ssid.ts';
import { ApiError } from '../../kernel/errors.ts';
import { type Call, definePlugin, type Plugin, routesOf } from '../../kernel/plugin.ts';
import { checkCustody } from '../../kernel/settings.ts';
import { Connection } from './connection-manager.ts';
import { Ipv4Body, Ipv4Stored, MOST_NETWORKS, NearbyNetworks, NetworkView, WifiBody, WifiStored } from './contract.ts';
import { errors } from './errors.ts';
import { checkIpv4 } from './ipv4.ts';
import { answerOf, isPortalOf, languageOf, originOf } from './portal.ts';
import { inWords } from './reason.ts';
import type { Timings } from './timings.ts';
import { networkView } from './view.ts';
import type { StoredWifi } from './wifi-credentials.ts';
import { faultIn } from './wifi-key.ts';

interface Boot {
  /** As stored when this boot started. */
  readonly ipv4: Ipv4Settings | undefined;
  /** Undefined if the node may not change the network of the machine. */
  readonly connection: Connection | undefined;
}

const route = routesOf<Boot>();

/** Throws `not_appliance`. */
function connectionOf({ connection }: Boot): Connection {
  if (connection === undefined)
    throw new ApiError('not_appliance', 'this needs a node that was started with --appliance');
  return connection;
}

/** Handles a body that is valid by its schema: checks the radio's bands, custody and the machine, then stores it. */
async function provision({ node, room, body, request }: Call<WifiBody, Boot>, noSuchBand: string) {
  const { password, band: wanted = 'auto' } = body;
  const language = languageOf(request);
  // The same bytes are always the same string.
  const ssid = ssidOf(bytesOfSsid(body.ssid));
  const { image, settings } = node;
  const { bands = [] } = image.hardware;
  const band = (['auto', ...bands] as const).find((each) => each === wanted);
  if (band === undefined) {
    throw new ApiError(noSuchBand, `band: the radio of variant ${image.variant} has ${bands.join(' and ')} GHz`);
  }
  const fault = faultIn(body) ?? faultIn({ ssid, password });
  if (fault !== undefined) throw new ApiError('invalid_provision', inWords(fault, language));
  checkCustody(settings);
  const stored = await connectionOf(room).provision({ ssid, password, band }, language);
  return { ok: true, ssid: stored.ssid, band };
}

async function storeIpv4({ node, room, body }: Call<Ipv4Body, Boot>) {
  const ipv4 = checkIpv4(body);
  connectionOf(room);
  await node.settings.update((draft) => {
    if (ipv4 === undefined) delete draft.ipv4;
    else draft.ipv4 = ipv4;
  });
  return { ok: true, ...ipv4, effective: 'next_boot' };
}

/** Creates the room. `timings` is for tests. */
export const network = (timings: Partial<Timings> = {}): Plugin =>
  definePlugin({
    name: 'network',
    api: 2,
    requires: ['settings', 'custody'],
    errors,
    routes: [
      route({
        method: 'GET',
        path: '/network',
        tier: 'none',
        summary: 'the network connection of the node',
        response: NetworkView,
        handle: ({ node, room }) => networkView(node, room),
      }),
      route({
        method: 'GET',
        path: '/network/nearby',
        tier: 'admin',
        summary: 'the Wi-Fi networks in range; the radio leaves its channel to look for them, twice a minute at most',
        response: NearbyNetworks,
        errors: ['not_appliance'],
        handle: async ({ room }) => {
          const networks = (await connectionOf(room).nearby()).slice(0, MOST_NETWORKS);
          return { networks: networks.map((each) => ({ ...each, signal: Math.round(each.signal) })) };
        },
      }),
      route({
        method: 'POST',
        path: '/network',
        tier: 'admin',
        summary: 'store Wi-Fi credentials, then join',
        body: { schema: WifiBody, invalid: 'invalid_provision' },
        response: WifiStored,
        errors: [
          'band_unsupported',
          'custody_hold',
          'invalid_body',
          'invalid_provision',
          'not_appliance',
          'save_failed',
        ],
        handle: (call) => provision(call, 'band_unsupported'),
      }),
      route({
        method: 'PUT',
        path: '/network/ipv4',
        tier: 'admin',
        summary: 'a static address, or {} for DHCP; from the next boot on',
        body: { schema: Ipv4Body, invalid: 'invalid_config' },
        response: Ipv4Stored,
        errors: ['invalid_body', 'invalid_config', 'not_appliance', 'persist_failed'],
        handle: storeIpv4,
      }),
      route({
        method: 'POST',
        path: '/provision',
        tier: 'none',
        summary: 'on the setup network only: store Wi-Fi credentials, then join',
        body: { schema: WifiBody, invalid: 'invalid_provision' },
        response: WifiStored,
        errors: ['custody_hold', 'invalid_provision', 'not_found', 'origin_refused', 'save_failed'],
        before: ({ room, request }) => {
          const portal = room.connection?.portal;
          if (portal === undefined || !isPortalOf(portal, request)) throw new ApiError('not_found');
          const { origin } = request.headers;
          if (origin !== undefined && origin !== originOf(portal, request)) {
            throw new ApiError('origin_refused', 'only the web page of the portal may set up the node');
          }
        },
        handle: (call) => provision(call, 'invalid_provision'),
      }),
    ],
    room(node) {
      const { hooks, bindings, run } = node;
      const ipv4 = node.settings.read('ipv4');
      const { radio } = bindings;
      const isOurs = radio !== undefined && (run.appliance || !radio.ofMachine);
      const connection = isOurs ? new Connection(node, radio, ipv4, timings) : undefined;
      const boot: Boot = { ipv4, connection };
      if (connection === undefined) return boot;
      hooks.request.tap('network', (request) => connection.portal && answerOf(connection.portal, request, node));
      hooks.start.tap('network', () => connection.start());
      hooks.stop.tapPromise('network', () => connection.stop());
      hooks.attach.tap('network', () => connection.printSlip());
      node.offered('custody')?.forgetNetwork.tapPromise('network', () => connection.forget());
      return boot;
    },
  });

export default network();

declare module '../../kernel/registry.ts' {
  interface StoredSettings {
    wifi: StoredWifi;
    /** Name and password of the setup network. */
    setup: { readonly key: string };
    /** A fixed address; without it, DHCP. */
    ipv4: Ipv4Settings;
  }
  interface Hardware {
    /** Wi-Fi bands of the radio, in GHz. */
    bands: readonly Band[];
  }
}
