/** One request of each route of the fleet, in an order in which each finds what it needs. */
import { createHash, createHmac } from 'node:crypto';
import type { RouteAccess } from '../../runtime/fleet/http/roles.ts';
import { until } from '../node.ts';
import { heartbeat, MASTER, type RunningFleet } from './fleet.ts';
import { IMAGE } from './rollout.ts';

/** A request: what stands for the parameters of its path, a query, a body. */
export interface Step {
  readonly access: RouteAccess;
  readonly at?: string;
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}
const SHA256 = createHash('sha256').update(IMAGE).digest('hex');
const WORD = { password: 'correct horse battery' };
const MESSAGE = JSON.stringify({
  node: 'a1',
  seq: 1,
  uptimeMs: 61_000,
  event: { type: 'command_result', commandId: 'c' },
});
const SIGNATURE = createHmac('sha256', MASTER).update(MESSAGE).digest('hex');
const RECIPES = '{\n  "maker": "",\n  "rows": []\n}\n';

/** The routes, each with its request and who may make it. */
export const WALK: Readonly<Record<string, Step>> = {
  'POST /heartbeat': { access: 'node', body: heartbeat({ node: 'a1', seq: 9 }) },
  'POST /events': { access: 'node', body: MESSAGE, headers: { 'X-NODE-Signature': `sha256=${SIGNATURE}` } },
  'PUT /api/recipes': { access: 'releaser', body: { text: RECIPES } },
  'GET /api/recipes': { access: 'viewer' },
  'POST /api/recipes/check': { access: 'viewer', body: { text: RECIPES } },
  'GET /api/recipes/versions': { access: 'viewer' },
  'GET /api/recipes/versions/:version': { access: 'viewer', at: '1' },
  'POST /api/recipes/versions/:version/restore': { access: 'releaser', at: '1' },
  'GET /recipes': { access: 'node', query: '?node=a1' },
  'POST /api/releases': { access: 'releaser', body: IMAGE },
  'GET /api/releases': { access: 'viewer' },
  'POST /api/rollouts': {
    access: 'releaser',
    body: { variant: 'wifi', version: '0.2.0', groups: ['id:a1', 'tag:pilot', '100%'] },
  },
  'GET /firmware': { access: 'node', query: '?variant=wifi&version=0.1.0&node=a1' },
  'GET /firmware/:sha256': { access: 'anyone', at: SHA256, headers: { 'X-NODE-Id': 'a1' } },
  'GET /api/rollouts': { access: 'viewer' },
  'GET /api/rollouts/:id': { access: 'viewer', at: '1' },
  'GET /api/rollouts/:id/nodes': { access: 'viewer', at: '1', query: '?asked=never&offset=50' },
  'POST /api/rollouts/:id/skip': { access: 'releaser', at: '1', body: { node: 'b1' } },
  'POST /api/rollouts/:id/stop': { access: 'releaser', at: '1' },
  'POST /api/rollouts/:id/resume': { access: 'releaser', at: '1' },
  'POST /api/rollouts/:id/retry': { access: 'releaser', at: '1', body: { node: 'b1' } },
  'GET /api/alerts': { access: 'viewer', query: '?open=true&offset=50' },
  'POST /api/alerts/:id/acknowledge': { access: 'operator', at: '1' },
  'POST /compose': { access: 'node', query: '?node=a1', body: { id: 'a', prompt: 'a', columns: 42 } },
  'GET /api/nodes': { access: 'viewer', query: '?offset=50' },
  'GET /api/nodes/:id': { access: 'viewer', at: 'a1' },
  'GET /api/nodes/:id/hours': { access: 'viewer', at: 'a1' },
  'GET /api/nodes/:id/days': { access: 'viewer', at: 'a1' },
  'PUT /api/nodes/:id': { access: 'operator', at: 'a1', body: { name: 'Bar', site: 'Graz', tags: ['pilot'] } },
  'POST /api/nodes/:id/token': { access: 'owner', at: 'b1' },
  'POST /api/nodes/:id/replace': { access: 'operator', at: 'b1', body: { by: 'c1' } },
  'DELETE /api/nodes/:id': { access: 'operator', at: 'c1' },
  'GET /api/oddities': { access: 'viewer' },
  'GET /api/summary': { access: 'viewer' },
  'GET /api/history': { access: 'viewer', query: '?hours=720' },
  'GET /metrics': { access: 'metrics' },
  'PUT /api/sites/:site': { access: 'operator', at: 'Linz', body: { hours: 'Mo-Fr 08:00-20:00', name: 'Wels' } },
  'GET /api/sites': { access: 'viewer', query: '?offset=50' },
  'GET /api/sites/:site': { access: 'viewer', at: 'Graz' },
  'GET /api/sites/:site/export': { access: 'operator', at: 'Graz' },
  'DELETE /api/sites/:site': { access: 'operator', at: 'Wels' },
  'GET /api/settings': { access: 'operator' },
  'PUT /api/settings': { access: 'owner', body: { keepDays: 8 } },
  'GET /api/audit': { access: 'operator', query: '?offset=50' },
  'GET /api/people': { access: 'owner' },
  'PUT /api/people/:name': { access: 'owner', at: 'eve', body: { role: 'viewer', ...WORD } },
  'DELETE /api/people/:name': { access: 'owner', at: 'eve' },
  'GET /api/tokens': { access: 'owner' },
  'POST /api/tokens': { access: 'owner', body: { name: 'a', scope: 'read', days: 1 } },
  'DELETE /api/tokens/:id': { access: 'owner', at: '1' },
  'POST /api/totp': { access: 'viewer', body: WORD },
  // A wrong code would be 401, too.
  'PUT /api/totp': { access: 'viewer', body: {} },
  'PUT /api/password': { access: 'viewer', body: WORD },
  'POST /api/session': { access: 'anyone', body: { name: 'nobody', ...WORD } },
  'GET /api/session': { access: 'anyone' },
  'DELETE /api/session': { access: 'viewer' },
};

/** Nodes and an alert that the walk goes by. */
export async function prepare(fleet: RunningFleet): Promise<void> {
  for (const node of ['a1', 'b1', 'c1']) await fleet.beat(heartbeat({ node, custodyHold: node === 'a1' }));
  await until(async () => (await fleet.call('GET', '/api/alerts')).body.total === 1);
}

/** Method and address of a step of the walk. */
export function addressOf(name: string): readonly [method: string, url: string] {
  const [method = '', path = ''] = name.split(' ');
  const { at = '', query = '' } = WALK[name] ?? {};
  return [method, `${path.replace(/:\w+/, at)}${query}`];
}
