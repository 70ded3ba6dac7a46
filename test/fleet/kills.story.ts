/** The fleet killed under load: ten thousand nodes at ten times speed for a minute. */
import { join } from 'node:path';
import { describe, it, onTestFinished } from 'vitest';
import { folder } from './fleet.ts';
import { survivesKills } from './kills.ts';
import { noPostgres, startPostgres } from './postgres.ts';

const LOAD = { nodes: 10_000, speed: 10, seconds: 60, kills: 2 };

describe('what was answered is stored, and nothing is counted twice', () => {
  it('where the process is killed, which is its database', async () => {
    await survivesKills({ folder: join(folder(), 'data') }, undefined, LOAD);
  });

  it.skipIf(noPostgres)('where the process and its server are killed', async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    await survivesKills({ url: await server.database() }, server, LOAD);
  });
});
