/** The fleet killed under load, in small. */
import { join } from 'node:path';
import { describe, it, onTestFinished } from 'vitest';
import { folder } from './fleet.ts';
import { survivesKills } from './kills.ts';
import { noPostgres, startPostgres } from './postgres.ts';

const LOAD = { nodes: 200, speed: 60, seconds: 6, kills: 1 };

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
