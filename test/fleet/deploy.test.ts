/** What stands in runtime/fleet/deploy: its commands about data, run as they are written there, and its unit. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { needTools } from '../tools.ts';
import { fleetOn, folder, heartbeat, type RunningFleet } from './fleet.ts';
import { noPostgres, startPostgres } from './postgres.ts';
import { startFleetProcess } from './process.ts';

const noSystemd = needTools(['systemd-analyze']);
const DEPLOY = 'runtime/fleet/deploy';
const text = readFileSync(join(DEPLOY, 'README.md'), 'utf8');

/** The commands with this beginning below a heading, each without its beginning. */
function commands(heading: string, beginning: string): string[] {
  const [, section = ''] = text.split(`\n## ${heading}`);
  const blocks = section.split('\n## ')[0]?.matchAll(/```sh\n(.*?)```/gs) ?? [];
  const lines = [...blocks].flatMap(([, block = '']) => block.split('\n'));
  return lines.filter((line) => line.startsWith(beginning)).map((line) => line.slice(beginning.length));
}

/** Runs it in a shell, with these words in the place of others. */
function run(command: string, cwd: string, instead: Readonly<Record<string, string>>, env = {}): void {
  const own = Object.entries(instead).reduce((line, [word, other]) => line.replaceAll(word, other), command);
  execFileSync('sh', ['-ec', own], { cwd, env: { ...process.env, ...env }, stdio: 'ignore' });
}

const settings = { keepDays: 3 };
async function fill(fleet: RunningFleet): Promise<void> {
  expect((await fleet.beat(heartbeat())).status).toBe(204);
  expect((await fleet.call('PUT', '/api/settings', settings)).status).toBe(200);
}
async function isThere(fleet: RunningFleet): Promise<void> {
  expect((await fleet.call('GET', '/api/nodes')).body).toMatchObject({ total: 1, nodes: [{ heartbeats: 1 }] });
  expect((await fleet.call('GET', '/api/settings')).body).toMatchObject(settings);
  // It goes on from there.
  expect((await fleet.beat(heartbeat())).status).toBe(204);
  expect((await fleet.beat(heartbeat({ seq: 2, uptimeSeconds: 120 }))).status).toBe(204);
  expect((await fleet.call('GET', '/api/nodes')).body.nodes).toMatchObject([{ heartbeats: 2 }]);
}

it('nginx waits for the answer to an upload for as long as the bucket may take, and for nodes no longer than they do', () => {
  const conf = readFileSync(join(DEPLOY, 'nginx.conf'), 'utf8');
  const waits = [...conf.matchAll(/^ {4}location (.+) \{\n(?:.*\n)*?.*proxy_read_timeout (\d+)s;/gm)].map(
    ([, where, seconds]) => [where, Number(seconds)],
  );
  expect(waits).toEqual([
    ['/', 60],
    ['= /api/releases', 600],
    ['~ ^/(heartbeat|events)$', 6],
  ]);
});

it('the folder of PostgreSQL in the process is backed up and restored by the commands of its section', async () => {
  const state = join(folder(), 'state');
  mkdirSync(state);
  const where = { folder: join(state, 'postgres') };
  const images = { images: join(state, 'postgres.images') };
  const [backup = '', ...more] = commands('One shop', 'sudo tar czf').map((line) => `tar czf${line}`);
  const restore = [
    ...commands('One shop', 'sudo rm').map((line) => `rm${line}`),
    ...commands('One shop', 'sudo tar xzf').map((line) => `tar xzf${line}`),
  ];
  expect([more.length, restore.length]).toEqual([0, 2]);
  const here = { '/var/lib/private/tillnode-fleet': state };
  const cwd = folder();
  const first = await fleetOn(where, images);
  await fill(first);
  await first.stop();
  run(backup, cwd, here);
  const later = await fleetOn(where, images);
  await later.beat(heartbeat({ node: 'another' }));
  await later.stop();
  for (const command of restore) run(command, cwd, here);
  await isThere(await fleetOn(where, images));
});

it.skipIf(noPostgres)(
  'a database of a server is made, backed up while it runs and restored by the commands of its section',
  async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const { port } = new URL(await server.database());
    const cwd = folder();
    const all = commands('A chain', 'sudo -u postgres ');
    expect(all.map((line) => line.split(' ')[0])).toEqual([
      ...['createuser', 'createdb', 'psql'],
      ...['pg_dump', 'createdb', 'pg_restore'],
    ]);
    const command = (line: string) =>
      run(line, cwd, { '/var/backups': cwd }, { PGHOST: '127.0.0.1', PGPORT: port, PGUSER: 'postgres' });
    for (const line of all.slice(0, 3)) command(line);
    const [, url = expect.fail()] = /FLEET_DATABASE=(postgres:\S+)"/.exec(text) ?? [];
    const where = (name: string) => ({ url: url.replace(/\/fleet$/, `:${port}/${name}`) });
    const fleet = await fleetOn(where('fleet'));
    await fill(fleet);
    for (const line of all.slice(3)) command(line);
    await fleet.beat(heartbeat({ node: 'another' }));
    await isThere(await fleetOn(where('fleet_restored')));
  },
);

it.skipIf(noSystemd)('the unit is in order, and what it starts is what the bundle has', () => {
  const unit = join(DEPLOY, 'tillnode-fleet.service');
  execFileSync('systemd-analyze', ['verify', unit]);
  execFileSync('systemd-analyze', ['security', '--offline=true', '--threshold=46', unit], { stdio: 'ignore' });
  expect(readFileSync(unit, 'utf8')).toContain('/opt/tillnode-fleet/fleet.mjs');
});

const compose = readFileSync(join(DEPLOY, 'compose.yaml'), 'utf8').replaceAll(/^ *#.*$/gm, '');

it('each variable that the containers need is asked for with a message, and is in the README', () => {
  const variables = [...compose.matchAll(/\$\{(\w+)([^}]*)\}/g)];
  expect(new Set(variables.map(([, name]) => name))).toEqual(
    new Set(['FLEET_NAME', 'FLEET_TOKEN', 'POSTGRES_PASSWORD']),
  );
  for (const [, name, rest] of variables) {
    expect(rest, name).toMatch(/^:\?[\w ]+$/);
    expect(text).toContain(`\`${name}\``);
  }
});

it('what is copied into the image is without history, data and what npm and the build make', () => {
  expect(readFileSync(join(DEPLOY, 'Containerfile'), 'utf8')).toContain('COPY . .');
  const ignored = readFileSync('.dockerignore', 'utf8').split('\n');
  expect(ignored).toEqual(expect.arrayContaining(['.git', '**/node_modules', 'dist', '.cache', '.fleet*']));
});

it.skipIf(noPostgres)('a password of the database may have any characters where it is not in the URL', async () => {
  const [, url = expect.fail()] = /FLEET_DATABASE: (postgres:\S+)/.exec(compose) ?? [];
  expect([url.includes('$'), compose]).toEqual([false, expect.stringContaining('PGPASSWORD: ${POSTGRES_PASSWORD:')]);
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const { port } = new URL(await server.database());
  const password = 'a@b/c%20:?#$d';
  const on = await openDatabase({ url: `postgres://postgres@127.0.0.1:${port}/postgres` });
  await on.query("CREATE ROLE fleet LOGIN PASSWORD 'a@b/c%20:?#$d'");
  await on.query('CREATE DATABASE fleet OWNER fleet');
  const [{ file = '' } = {}] = await on.query<{ file: string }>("SELECT current_setting('hba_file') AS file");
  writeFileSync(file, 'host all all 127.0.0.1/32 scram-sha-256\n');
  await on.query('SELECT pg_reload_conf()');
  await on.close();
  const where = { url: url.replace('@postgres/', `@127.0.0.1:${port}/`) };
  vi.stubEnv('PGPASSWORD', 'another');
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(openDatabase(where)).rejects.toThrow('password');
  vi.stubEnv('PGPASSWORD', password);
  await (await openDatabase(where)).close();
});

it('a master token that is the name of a variable is refused', async () => {
  for (const name of ['{FLEET_TOKEN:?}', 'FLEET_TOKEN']) {
    const started = startFleetProcess({ folder: join(folder(), 'data') }, `$${name}`);
    onTestFinished(() =>
      started.then(
        (fleet) => fleet.stop(),
        () => {},
      ),
    );
    await expect(started).rejects.toThrow('the master token begins with "$"');
  }
});
