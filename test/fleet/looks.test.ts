/** Which nodes the watch looks at, where there are more than it can look at each time. */
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { DEFAULTS } from '../../runtime/fleet/settings/settings.ts';
import { turnStates } from '../../runtime/fleet/watch/states.ts';
import { databases, ENGINES } from './fleet.ts';

const HOUR_MS = 3_600_000;

describe.each(ENGINES)('on %s', (engine) => {
  const database = databases(engine);

  it('who said something new, was deleted or is due is looked at at once, and all others in turn', async () => {
    const on = await openDatabase(await database());
    const hourAgo = "now() - interval '1 hour'";
    await on.query(`INSERT INTO node (id, look, last_seen) VALUES ('due', false, ${hourAgo}), ('early', false, ${hourAgo}),
      ('fine', false, now()), ('same', true, now()), ('said', true, ${hourAgo})`);
    await on.query(`INSERT INTO due VALUES ('due', now()), ('early', now() + interval '1 hour'), ('fine', now()),
      ('gone', '-infinity')`);
    // All have had their turn.
    await on.query("UPDATE duty SET swept = 'z'");
    const look = () => on.transaction((queries) => turnStates(queries, DEFAULTS, new Date(Date.now() - HOUR_MS)));
    const offline = async () =>
      (await on.query<{ id: string }>("SELECT id FROM node WHERE states = '{offline}' ORDER BY id")).map(
        ({ id }) => id,
      );
    const due = async () =>
      Object.fromEntries(
        (
          await on.query<{ node: string; seconds: number | null }>(
            `SELECT node, CASE WHEN at < 'infinity' THEN round(extract(epoch FROM at - now()) / 60)::int END AS seconds FROM due`,
          )
        ).map(({ node, seconds }) => [node, seconds]),
      );
    expect(JSON.parse((await look()).told).sort()).toEqual(['due', 'gone', 'said', 'same']);
    expect(await offline()).toEqual(['due', 'said']);
    expect(await due()).toEqual({ due: null, early: 60, fine: 3, said: null, same: 3 });
    expect(JSON.parse((await look()).all).sort()).toEqual(['due', 'early', 'fine', 'said', 'same']);
    expect(await offline()).toEqual(['due', 'early', 'said']);
    // What nothing was heard of since is no longer due.
    await on.query("UPDATE duty SET swept = 'z'");
    expect((await look()).all).toBe('[]');
    await on.close();
  });
});
