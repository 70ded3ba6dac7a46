/** A folder on a disk on which not a byte is free. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Away } from '../../runtime/fleet/database/database.ts';
import { Provoked, sparing } from '../../runtime/fleet/http/sparing.ts';
import { until } from '../node.ts';
import { onAFullDisk, whyNoSmallDisk } from '../small-disk.ts';
import { callsOf, databases, ENGINES, fleetOn, folder, heartbeat, MASTER } from './fleet.ts';
import { bundleFleet } from './process.ts';

const program = bundleFleet('runtime/fleet/main.ts', '.cache/fleet-process/full.mjs').then((file) => resolve(file));

/** Starts the program on a copy of the data; what it says, and how it ends. */
async function start(data: string) {
  const disk = folder();
  const args = ['--token', MASTER, '--port', '0', '--data', join(disk, 'data')];
  const [command, ...before] = onAFullDisk(disk, '96m', data);
  const child = spawn(command, [...before, await program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const faults: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => faults.push(line));
  let url = '';
  createInterface({ input: child.stdout }).once('line', (line) => {
    url = line.replace('ready ', '');
  });
  const exit = once(child, 'close');
  await until(() => url !== '' || child.exitCode !== null);
  return { url, faults, exit };
}

describe.skipIf(whyNoSmallDisk())('a folder without a byte of room', () => {
  const database = databases(ENGINES[0]);
  const filled = async () => {
    const where = (await database()) as { folder: string };
    const fleet = await fleetOn(where);
    expect((await fleet.beat(heartbeat())).status).toBe(204);
    await fleet.stop();
    return where.folder;
  };

  it('is read, and what would be written is refused: that is said in the answer, in the numbers, and once in the log', async () => {
    const { url, faults } = await start(await filled());
    await until(() => faults.length > 0);
    expect([url, faults]).toEqual([expect.stringContaining('http://'), [expect.stringContaining('the disk is full')]]);
    const { call, beat } = callsOf(url);
    expect((await call('GET', '/api/nodes')).body).toMatchObject({ total: 1, nodes: [{ heartbeats: 1 }] });
    for (let seq = 2; seq < 10; seq += 1)
      expect((await beat(heartbeat({ seq, uptimeSeconds: 60 + seq }))).body).toMatchObject({
        error: 'busy',
        detail: 'the disk of the fleet is full',
      });
    const { status, body } = await call('PUT', '/api/settings', { keepDays: 6 });
    expect([status, body.detail]).toEqual([503, 'the disk of the fleet is full']);
    expect((await call('GET', '/metrics')).body).toContain('\ntillnode_fleet_process_disk_full 1\n');
    expect(faults).toHaveLength(1);
  });

  it('and without what is kept for that is told in one line', async () => {
    const data = await filled();
    rmSync(join(data, 'tillnode-reserve'));
    const { faults, exit } = await start(data);
    expect(await exit).toEqual([1, null]);
    expect(faults).toEqual([expect.stringMatching(/^the disk is full: \d+ bytes are free/)]);
  });
});

it('a database that stays away, and what strangers bring about, are reported once a minute, and what else is wrong each time', () => {
  const told: string[] = [];
  let now = 0;
  const report = sparing(
    ({ message }) => told.push(message),
    () => now,
  );
  for (const at of [0, 1000, 59_000, 60_000, 61_000]) {
    now = at;
    report(new Away('full'));
    report(new Provoked('a stranger', String(at)));
    if (at < 2000) report(new Error('other'));
  }
  expect(told).toEqual(['full', 'a stranger: 0', 'other', 'other', 'full', 'a stranger: 60000']);
});
