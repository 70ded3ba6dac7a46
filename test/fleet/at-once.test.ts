/** Operators who change the same things at once: what was answered is what is stored. */
import { describe, expect, it } from 'vitest';
import { databases, EITHER, fleetOn, heartbeat, type RunningFleet } from './fleet.ts';
import { begin, node, upload } from './rollout.ts';

const ROUNDS = Array.from({ length: 8 }, (_, at) => at);
const statuses = async (...asked: ReturnType<RunningFleet['call']>[]) =>
  (await Promise.all(asked)).map(({ status }) => status);

describe.each(EITHER)('on %s', (engine) => {
  const database = databases(engine);

  it('settings that several change at once are changed as each was answered, and the audit says what each changed', async () => {
    const fleet = await fleetOn(await database());
    const put = (body: object) => fleet.call('PUT', '/api/settings', body);
    for (const round of ROUNDS) {
      const days = 100 + round;
      const asked = [
        { rules: { offline: { afterSeconds: days } } },
        { rules: { no_paper: { afterSeconds: days } } },
        { rules: { crash_loop: { withinSeconds: days } } },
        { keep: { hoursDays: days } },
        { keep: { changesDays: days } },
      ];
      expect(await statuses(...asked.map(put))).toEqual([200, 200, 200, 200, 200]);
      expect((await fleet.call('GET', '/api/settings')).body).toMatchObject({
        rules: {
          offline: { afterSeconds: days },
          no_paper: { afterSeconds: days },
          crash_loop: { withinSeconds: days },
        },
        keep: { hoursDays: days, changesDays: days },
      });
    }
    // Each begins from what the one before it left.
    const { entries } = (await fleet.call('GET', '/api/audit')).body;
    const ofKeep = entries
      .map(({ detail }: { detail: { before: object } }) => detail)
      .filter(({ before }: { before: object }) => 'keep' in before);
    for (const [at, { before }] of ofKeep.slice(0, -1).entries()) expect(before).toEqual(ofKeep[at + 1].after);
  });

  it('a node that is placed, or replaced, while its site gets another name or goes, is of a site that is there', async () => {
    const fleet = await fleetOn(await database());
    const sites = async () =>
      (await fleet.call('GET', '/api/sites')).body.sites.map(({ name }: { name: string }) => name);
    const node = async (id: string) => (await fleet.call('GET', `/api/nodes/${id}`)).body;
    for (const round of ROUNDS) {
      const [old, fresh] = [`old${round}`, `new${round}`];
      for (const id of [old, fresh]) await fleet.beat(heartbeat({ node: id }));
      for (const site of [`A${round}`, `C${round}`]) await fleet.call('PUT', `/api/sites/${site}`, {});
      const place = (id: string, site: string) => fleet.call('PUT', `/api/nodes/${id}`, { site });
      await statuses(place(old, `A${round}`), fleet.call('PUT', `/api/sites/A${round}`, { name: `B${round}` }));
      await statuses(place(fresh, `C${round}`), fleet.call('DELETE', `/api/sites/C${round}`));
      for (const id of [old, fresh]) expect(await sites()).toContain((await node(id)).site);
      const { site } = await node(old);
      const [replaced] = await statuses(
        fleet.call('POST', `/api/nodes/${old}/replace`, { by: fresh }),
        fleet.call('PUT', `/api/sites/${site}`, { name: `D${round}` }),
      );
      expect([replaced, (await node(fresh)).site]).toEqual([200, `D${round}`]);
    }
  });

  it('of two nodes that are to replace each other one does', async () => {
    const fleet = await fleetOn(await database());
    for (const round of ROUNDS) {
      const [a, b] = [`a${round}`, `b${round}`];
      for (const id of [a, b]) await fleet.beat(heartbeat({ node: id }));
      const replace = (id: string, by: string) => fleet.call('POST', `/api/nodes/${id}/replace`, { by });
      expect((await statuses(replace(a, b), replace(b, a))).sort()).toEqual([200, 404]);
    }
  });

  it('an account that several make or change at once is there once, and each change is in the audit as it was', async () => {
    const fleet = await fleetOn(await database());
    const put = (name: string, role: string) =>
      fleet.call('PUT', `/api/people/${name}`, { role, password: 'correct horse battery' });
    for (const round of ROUNDS) {
      const name = `ada${round}`;
      expect(await statuses(put(name, 'viewer'), put(name, 'operator'), put(name, 'releaser'))).toEqual([
        200, 200, 200,
      ]);
      const { entries } = (await fleet.call('GET', '/api/audit')).body;
      const details = entries
        .filter(({ subject }: { subject: string }) => subject === name)
        .map(({ detail }: { detail: object }) => detail);
      expect(details).toHaveLength(3);
      for (const [at, { before }] of details.slice(0, -1).entries())
        expect(before.role).toBe(details[at + 1].after.role);
    }
  });

  it('of two rollouts of a variant that are to go on at once one does, and the other is told', async () => {
    const fleet = await fleetOn(await database());
    await node(fleet, 'a').beat();
    await upload(fleet);
    for (const round of ROUNDS) {
      const first = await begin(fleet);
      await fleet.call('POST', `/api/rollouts/${first.id}/stop`);
      const other = await begin(fleet);
      await fleet.call('POST', `/api/rollouts/${other.id}/stop`);
      const resume = ({ id }: { id: number }) => fleet.call('POST', `/api/rollouts/${id}/resume`);
      expect([round, ...(await statuses(resume(first), resume(other))).sort()]).toEqual([round, 200, 409]);
      for (const { id } of [first, other]) await fleet.call('POST', `/api/rollouts/${id}/stop`);
    }
  });
});
