/** The room `cloud`: heartbeats to a cloud, recipes and images from it. No response ever changes a setting. */
import { Outbound } from '../../http/outbound.ts';
import { targetsOf } from '../../http/targets.ts';
import { type Call, definePlugin, type Plugin, routesOf } from '../../kernel/plugin.ts';
import { checkCustody } from '../../kernel/settings.ts';
import {
  CloudPart,
  CloudPatch,
  CloudStored,
  CloudView,
  FirmwareOffer,
  HeartbeatEvent,
  RecipeDocument,
} from './contract.ts';
import { errors } from './errors.ts';
import { Firmware } from './firmware.ts';
import { Heartbeat } from './heartbeat.ts';
import { RECIPES_EVERY_MS, RECIPES_RETRY_MS, Recipes } from './recipes.ts';
import { HEARTBEAT_RETRY_MS, Recurring, SLOWEST_HEARTBEAT_MS } from './recurring.ts';
import { cloudOf, storeCloud, view } from './settings.ts';

/** Longest random delay of the first requests, so that nodes that are switched on together do not send together. */
const START_MS = 30_000;

/** Called when a setting of the cloud has changed. */
type Changed = (urlMoved: boolean) => Promise<void>;
const route = routesOf<Changed>();

async function put({ node: { settings }, room: changed, body }: Call<CloudPatch, Changed>) {
  const before = cloudOf(settings);
  await storeCloud(settings, body);
  const now = cloudOf(settings);
  if (JSON.stringify(now) !== JSON.stringify(before)) await changed(now.url !== before.url);
  return { ok: true, ...view(now) };
}

/** Times that tests shorten. */
interface Times {
  readonly startMs?: number;
  readonly recipesRetryMs?: number;
  readonly downloadRetryMs?: number;
}

/** Creates the room. The times are for tests. */
export const cloud = ({ startMs = START_MS, recipesRetryMs = RECIPES_RETRY_MS, downloadRetryMs }: Times = {}): Plugin =>
  definePlugin({
    name: 'cloud',
    api: 2,
    requires: ['settings', 'custody'],
    adds: { 'PUT /update': ['cloud_unreachable'] },
    limits: { recipeFetchEveryMs: RECIPES_EVERY_MS },
    errors,
    status: CloudPart,
    events: { heartbeat: { schema: HeartbeatEvent } },
    inputs: [RecipeDocument, FirmwareOffer],
    routes: [
      route({
        method: 'GET',
        path: '/cloud',
        tier: 'none',
        summary: 'the cloud settings; the token only as a flag',
        response: CloudView,
        handle: ({ node }) => view(cloudOf(node.settings)),
      }),
      route({
        method: 'PUT',
        path: '/cloud',
        tier: 'admin',
        summary: 'change cloud settings; another url or heartbeatUrl clears the token unless one is sent as well',
        body: { schema: CloudPatch, invalid: 'invalid_config' },
        response: CloudStored,
        errors: ['api_locked', 'custody_hold', 'invalid_config', 'persist_failed'],
        before: ({ node }) => checkCustody(node.settings),
        handle: put,
      }),
    ],
    room(node) {
      const { hooks, log } = node;
      const outbound = new Outbound({ refuses: targetsOf(node) });
      const heartbeat = new Heartbeat(node, outbound);
      const recipes = new Recipes(node, outbound);
      const updates = node.offered('update');
      const firmware = updates && new Firmware(node, outbound, updates, downloadRetryMs);
      const recurring = [
        {
          name: 'heartbeat',
          everyMs: () => heartbeat.everyMs(),
          retryMs: HEARTBEAT_RETRY_MS,
          slowestMs: SLOWEST_HEARTBEAT_MS,
          work: (signal: AbortSignal) => heartbeat.beat(signal),
        },
        {
          name: 'recipe fetch',
          everyMs: () => recipes.everyMs(),
          retryMs: recipesRetryMs,
          work: (signal: AbortSignal) => recipes.fetch(signal),
        },
        ...(firmware === undefined
          ? []
          : [
              {
                name: 'update check',
                everyMs: () => firmware.everyMs(),
                work: (signal: AbortSignal) => firmware.follow(signal),
              },
            ]),
      ].map((parts) => new Recurring({ ...parts, log }));

      hooks.status.tap('cloud', (draft) => {
        draft['cloud'] = { recipes: recipes.status };
      });
      updates?.source.tap('cloud', () => (firmware?.isConfigured ? firmware : undefined));
      hooks.start.tapPromise('cloud', async () => {
        await recipes.load();
        for (const each of recurring) each.start(Math.random() * startMs);
      });
      hooks.stop.tap('cloud', () => {
        for (const each of recurring) each.stop();
        outbound.close();
      });
      return async (urlMoved: boolean) => {
        for (const each of recurring) each.stop();
        if (urlMoved) await recipes.forget();
        for (const each of recurring) each.start(0);
      };
    },
  });

export default cloud();
