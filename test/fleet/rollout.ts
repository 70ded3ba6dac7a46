/** Nodes that ask for images, and the operator who rolls them out. */
import type { Database } from '../../runtime/fleet/database/database.ts';
import { makeImage } from '../made-images.ts';
import { heartbeat, type RunningFleet } from './fleet.ts';

export const IMAGE = makeImage({ variant: 'wifi', version: '0.2.0', bytes: 700_000 });
export const ids = (many: number) => Array.from({ length: many }, (_, at) => `node-${String(at).padStart(3, '0')}`);

/** A node that takes what it is offered, as far as the fleet sees. */
export const node = (fleet: RunningFleet, id: string) => {
  let [boot, seq, version] = [1, 0, '0.1.0'];
  const bootId = () => `b${String(boot).padStart(7, '0')}`;
  const beat = (over: object = {}) => {
    seq += 1;
    return fleet.beat(heartbeat({ node: id, seq, bootId: bootId(), firmwareVersion: version, ...over }));
  };
  return {
    id,
    beat,
    offer: () => fleet.call('GET', `/firmware?variant=wifi&version=${version}&node=${id}`),
    take: (offer: { url: string }) => fleet.call('GET', `/${offer.url}`, undefined, { 'X-NODE-Id': id }),
    async update(offer: { url: string; version: string }, over: object = {}) {
      await fleet.call('GET', `/${offer.url}`, undefined, { 'X-NODE-Id': id });
      [boot, seq, version] = [boot + 1, 0, offer.version];
      await beat({ uptimeSeconds: 1, ...over });
    },
    async crash(reason = 'crash') {
      const crash = { bootId: bootId(), reason, uptimeSeconds: 5 };
      [boot, seq] = [boot + 1, 0];
      await beat({ uptimeSeconds: 1, crash });
    },
  };
};
export const upload = (fleet: RunningFleet, image = IMAGE) => fleet.call('POST', '/api/releases', image);
export const begin = async (fleet: RunningFleet, more: object = {}) =>
  (await fleet.call('POST', '/api/rollouts', { variant: 'wifi', version: '0.2.0', ...more })).body;
export const rollout = async (fleet: RunningFleet, id = 1) => (await fleet.call('GET', `/api/rollouts/${id}`)).body;

/** The fleet that is started next on this database is as one that has listened for hours. */
export async function hasListened(on: Database): Promise<void> {
  await on.query("ALTER TABLE listener ALTER COLUMN started_at SET DEFAULT now() - interval '12 hours'");
  await on.query("UPDATE duty SET since = now() - interval '12 hours' WHERE name = 'watch'");
}
