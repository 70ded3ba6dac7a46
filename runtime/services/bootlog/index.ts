/** Why the node was started, how long it ran and how it ended (specification 2.12). */
import type { Kernel } from '../../kernel/kernel.ts';
import { definePlugin, type RouteDeclaration, route } from '../../kernel/plugin.ts';
import { Bootlog, BootlogCleared, BootStatus, StoredBootlog, StoredCrash } from './contract.ts';
import { BootLog } from './log.ts';

const logs = new WeakMap<Kernel, BootLog>();

const clearing = (what: 'boots' | 'crash', summary: string): RouteDeclaration =>
  route({
    method: 'DELETE',
    path: `/bootlog/${what}`,
    tier: 'admin',
    summary,
    response: BootlogCleared,
    errors: ['api_locked', 'not_found', 'persist_failed'],
    handle: async ({ kernel }) => {
      await logs.get(kernel)?.clear(what);
      return { ok: true };
    },
  });

export default definePlugin({
  name: 'bootlog',
  api: 1,
  status: BootStatus,
  inputs: [StoredBootlog, StoredCrash],
  routes: [
    route({
      method: 'GET',
      path: '/bootlog',
      tier: 'none',
      summary: 'the last starts, newest first, and the last crash',
      response: Bootlog,
      handle: ({ kernel }) => logs.get(kernel)?.view(),
    }),
    clearing('boots', 'forget the starts'),
    clearing('crash', 'forget the last crash'),
  ],
  apply(kernel) {
    const log = new BootLog(kernel);
    logs.set(kernel, log);
    kernel.hooks.start.tapPromise('bootlog', () => log.begin());
    kernel.hooks.stop.tapPromise('bootlog', () => log.end());
    kernel.hooks.status.tap('bootlog', (draft) => {
      draft['boot'] = log.status();
    });
    kernel.hooks.attach.tap('bootlog', () => void log.tell());
    kernel.hooks.crash.tap('bootlog', (thrown) => log.crash(thrown));
    kernel.hooks.heartbeat.tap('bootlog', (draft) => {
      const { boots, crash } = log.view();
      draft['bootId'] = boots[0]?.bootId;
      if (crash !== null) {
        const { bootId, reason, time, uptimeSeconds } = crash;
        draft['crash'] = { ...(bootId && { bootId }), reason, ...(time && { time }), uptimeSeconds };
      }
    });
  },
});
