/** The cloud: where it is, heartbeats to it, and recipes and images from it. Nothing it answers is ever a setting. */
import { Outbound } from '../../http/outbound.ts';
import { targetsOf } from '../../http/targets.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { definePlugin, type Plugin, route } from '../../kernel/plugin.ts';
import { checkCustody } from '../../kernel/settings.ts';
import { CloudPatch, CloudStored, CloudView, FirmwareOffer, HeartbeatEvent, RecipeDocument } from './contract.ts';
import { errors } from './errors.ts';
import { Firmware } from './firmware.ts';
import { Heartbeat } from './heartbeat.ts';
import { RECIPES_EVERY_MS, Recipes } from './recipes.ts';
import { Recurring } from './recurring.ts';
import { cloudOf, storeCloud, view } from './settings.ts';

/** Nodes that are switched on together do not call together: each waits up to this long. */
const START_MS = 30_000;

const changed = new WeakMap<Kernel, (urlMoved: boolean) => Promise<void>>();

async function put(kernel: Kernel, patch: CloudPatch) {
  const before = cloudOf(kernel.settings);
  await storeCloud(kernel.settings, patch);
  const now = cloudOf(kernel.settings);
  if (JSON.stringify(now) !== JSON.stringify(before)) await changed.get(kernel)?.(now.url !== before.url);
  return { ok: true, ...view(now) };
}

/** `startMs` is for tests. */
export const cloud = ({ startMs = START_MS }: { readonly startMs?: number } = {}): Plugin =>
  definePlugin({
    name: 'cloud',
    api: 1,
    requires: ['settings', 'custody'],
    adds: { 'PUT /update': ['cloud_unreachable'] },
    limits: { recipeFetchEveryMs: RECIPES_EVERY_MS },
    errors,
    events: [{ type: 'heartbeat', schema: HeartbeatEvent }],
    inputs: [RecipeDocument, FirmwareOffer],
    routes: [
      route({
        method: 'GET',
        path: '/cloud',
        tier: 'none',
        summary: 'where the cloud is; the token only as a set flag',
        response: CloudView,
        handle: ({ kernel }) => view(cloudOf(kernel.settings)),
      }),
      route({
        method: 'PUT',
        path: '/cloud',
        tier: 'admin',
        summary: 'change some of it; another url or heartbeatUrl clears the token unless one is sent along',
        body: { schema: CloudPatch, invalid: 'invalid_config' },
        response: CloudStored,
        errors: ['api_locked', 'custody_hold', 'invalid_config', 'persist_failed'],
        before: ({ kernel }) => checkCustody(kernel.settings),
        handle: ({ kernel, body }) => put(kernel, body as CloudPatch),
      }),
    ],
    apply(kernel) {
      const { hooks, log } = kernel;
      const outbound = new Outbound({ refuses: targetsOf(kernel) });
      const heartbeat = new Heartbeat(kernel, outbound);
      const recipes = new Recipes(kernel, outbound);
      const firmware = new Firmware(kernel, outbound);
      const recurring = [
        {
          name: 'heartbeat',
          everyMs: () => heartbeat.everyMs(),
          work: (signal: AbortSignal) => heartbeat.beat(signal),
        },
        {
          name: 'recipe fetch',
          everyMs: () => recipes.everyMs(),
          work: (signal: AbortSignal) => recipes.fetch(signal),
        },
        {
          name: 'update check',
          everyMs: () => firmware.everyMs(),
          work: (signal: AbortSignal) => firmware.follow(signal),
        },
      ].map((parts) => new Recurring({ ...parts, log }));

      changed.set(kernel, async (urlMoved) => {
        for (const each of recurring) each.stop();
        if (urlMoved) await recipes.forget();
        for (const each of recurring) each.start(0);
      });
      hooks.updateSource.tap('cloud', () => (firmware.isConfigured ? firmware : undefined));
      hooks.start.tapPromise('cloud', async () => {
        await recipes.load();
        for (const each of recurring) each.start(Math.random() * startMs);
      });
      hooks.stop.tap('cloud', () => {
        for (const each of recurring) each.stop();
        outbound.close();
      });
    },
  });

export default cloud();
