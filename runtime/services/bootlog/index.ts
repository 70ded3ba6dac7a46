/** The room `bootlog`: why the node was started, how long it ran and how it ended (specification 2.12). */
import { definePlugin, routesOf } from '../../kernel/plugin.ts';
import { Bootlog, BootlogCleared, BootStatus, StoredBootlog, StoredCrash } from './contract.ts';
import { BootLog } from './log.ts';

const route = routesOf<BootLog>();

const clearing = (what: 'boots' | 'crash', summary: string) =>
  route({
    method: 'DELETE',
    path: `/bootlog/${what}`,
    tier: 'admin',
    summary,
    response: BootlogCleared,
    errors: ['api_locked', 'not_found', 'persist_failed'],
    handle: async ({ room }) => {
      await room.clear(what);
      return { ok: true };
    },
  });

export default definePlugin({
  name: 'bootlog',
  api: 2,
  status: BootStatus,
  inputs: [StoredBootlog, StoredCrash],
  routes: [
    route({
      method: 'GET',
      path: '/bootlog',
      tier: 'none',
      summary: 'the last runs, newest first, and the last crash',
      response: Bootlog,
      handle: ({ room }) => room.view(),
    }),
    clearing('boots', 'delete the runs'),
    clearing('crash', 'delete the last crash'),
  ],
  room(node) {
    const log = new BootLog(node);
    node.hooks.start.tapPromise('bootlog', () => log.begin());
    node.hooks.stop.tapPromise('bootlog', () => log.end());
    node.hooks.status.tap('bootlog', (draft) => {
      draft['boot'] = log.status();
    });
    node.hooks.attach.tap('bootlog', () => void log.tell());
    node.hooks.crash.tap('bootlog', (thrown) => log.crash(thrown));
    node.hooks.heartbeat.tap('bootlog', (draft) => {
      const { boots, crash } = log.view();
      draft['bootId'] = boots[0]?.bootId;
      if (crash !== null) {
        const { bootId, reason, time, uptimeSeconds } = crash;
        draft['crash'] = { ...(bootId && { bootId }), reason, ...(time && { time }), uptimeSeconds };
      }
    });
    return log;
  },
});
