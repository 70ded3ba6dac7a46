/** A PostgreSQL server of Debian for tests: a cluster of its own in a temporary folder, on a port of its own. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import pg from 'pg';
import { expect } from 'vitest';
import { freePort } from '../ports.ts';
import { needTools } from '../tools.ts';
import type { Disk } from './beside/disk.ts';

export interface PostgresServer {
  /** The process that makes all others. */
  readonly pid: number;
  /** The URL of a new database: empty, or what the one at the URL `like` is, which nobody may have open. */
  database(like?: string): Promise<string>;
  /** Ends it as a power cut does, and resolves when it is gone. */
  kill(): Promise<void>;
  /** Stops all its processes in their tracks: what is asked stays without an answer. Returns what lets them go on. */
  freeze(): () => void;
  /** Whether it runs. */
  isThere(): boolean;
  /** Starts it again where it was, unless it runs. */
  start(): Promise<void>;
  /** Starts it again as a standby, which is read and not written until it is promoted. */
  demote(): Promise<void>;
  /** Starts a replica, that each commit waits for; resolves when it follows. */
  replica(): Promise<Replica>;
  stop(): Promise<void>;
}

export interface Replica {
  readonly port: number;
  /** Makes it the one that is written to. */
  promote(): void;
  stop(): Promise<void>;
}

const VERSIONS = '/usr/lib/postgresql';

/** What starting a server lacks, or undefined. */
export const noPostgres = needTools(['pg_ctlcluster']);

/**
 * Starts a server with fsync on. `disk`: where its data is; that needs root, who is none in it. `settings`: what it has beside its defaults, by
 * name.
 */
export async function startPostgres(
  disk?: Disk,
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  const version =
    readdirSync(VERSIONS)
      .sort((a, b) => Number(a) - Number(b))
      .at(-1) ?? '';
  const bin = join(VERSIONS, version, 'bin');
  // It does not run as root.
  const own = process.getuid?.() === 0 ? idsOf('postgres') : {};
  const folder = mkdtempSync(join(tmpdir(), 'tillnode-postgres-'));
  if (own.uid !== undefined && own.gid !== undefined) chownSync(folder, own.uid, own.gid);
  const first = join(folder, 'data');
  const made = resolve(`.cache/postgres-${version}-${own.uid ?? 'own'}`);
  if (existsSync(made)) execFileSync('cp', ['-a', made, first]);
  else {
    const making = ['-D', first, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'];
    execFileSync(join(bin, 'initdb'), making, { ...own, cwd: folder, stdio: 'ignore' });
    keep(first, made);
  }
  const data = disk === undefined ? first : join(disk.folder, 'data');
  if (disk !== undefined) execFileSync('env', [...disk.run, 'cp', '-a', first, data]);
  const onDisk = disk && [...disk.run, 'setpriv', `--reuid=${own.uid}`, `--regid=${own.gid}`, '--clear-groups'];
  const port = await freePort();
  const url = (name: string) => `postgres://postgres@127.0.0.1:${port}/${name}`;
  let child: ChildProcess | undefined;
  const isThere = () => child !== undefined && child.exitCode === null && child.signalCode === null;
  const start = async () => {
    if (isThere()) return;
    const all = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...settings };
    const given = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const options = ['-D', data, '-p', `${port}`, ...given];
    const [command = '', ...before] = [...(onDisk ?? []), join(bin, 'postgres')];
    child = spawn(command, [...before, ...options], { ...(disk === undefined && own), cwd: folder, stdio: 'ignore' });
    await answers(url('postgres'), child);
  };
  const end = async (signal: NodeJS.Signals) => {
    if (child === undefined || !isThere()) return;
    const exit = once(child, 'exit');
    const children = childrenOf(child.pid ?? expect.fail());
    child.kill(signal);
    await exit;
    // It does not begin again while one of those that it made is there.
    while (children.some((pid) => existsSync(`/proc/${pid}`))) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  await start();
  let databases = 0;
  return {
    get pid() {
      return child?.pid ?? expect.fail();
    },
    isThere,
    start,
    async database(like) {
      const client = new pg.Client(url('postgres'));
      await client.connect();
      databases += 1;
      const template = like === undefined ? '' : ` TEMPLATE ${like.split('/').at(-1)}`;
      await client.query(`CREATE DATABASE fleet_${databases}${template}`);
      await client.end();
      return url(`fleet_${databases}`);
    },
    kill: () => end('SIGKILL'),
    async replica() {
      const at = join(folder, 'replica');
      const from = `host=127.0.0.1 port=${port} user=postgres application_name=replica`;
      execFileSync(join(bin, 'pg_basebackup'), ['-D', at, '-d', from, '-R', '--no-sync', '-c', 'fast'], own);
      const other = await freePort();
      const options = [
        '-D',
        at,
        '-p',
        `${other}`,
        '-c',
        'listen_addresses=127.0.0.1',
        '-c',
        'unix_socket_directories=',
      ];
      const process = spawn(join(bin, 'postgres'), options, { ...own, cwd: folder, stdio: 'ignore' });
      await answers(`postgres://postgres@127.0.0.1:${other}/postgres`, process);
      const client = new pg.Client(url('postgres'));
      await client.connect();
      await client.query("ALTER SYSTEM SET synchronous_standby_names = 'replica'");
      await client.query('SELECT pg_reload_conf()');
      await expect
        .poll(async () => (await client.query("SELECT FROM pg_stat_replication WHERE sync_state = 'sync'")).rowCount, {
          timeout: 60_000,
        })
        .toBe(1);
      await client.end();
      return {
        port: other,
        promote: () => void execFileSync(join(bin, 'pg_ctl'), ['promote', '-D', at], { ...own, stdio: 'ignore' }),
        async stop() {
          const exit = once(process, 'exit');
          process.kill('SIGINT');
          await exit;
        },
      };
    },
    async demote() {
      await end('SIGINT');
      writeFileSync(join(data, 'standby.signal'), '');
      await start();
    },
    freeze() {
      const stopped: number[] = [];
      const halt = (pid: number) => {
        process.kill(pid, 'SIGSTOP');
        stopped.push(pid);
      };
      // First the one that makes others.
      const pid = child?.pid ?? expect.fail();
      halt(pid);
      for (const each of childrenOf(pid)) halt(each);
      return () => stopped.splice(0).forEach((each) => void process.kill(each, 'SIGCONT'));
    },
    async stop() {
      await end('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const childrenOf = (pid: number): number[] =>
  (readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g) ?? []).map(Number);

/** A cluster as `initdb` leaves it, for the servers after this one: to make it anew takes ten times as long as a copy. */
function keep(data: string, made: string): void {
  mkdirSync(dirname(made), { recursive: true });
  const own = `${made}.${process.pid}`;
  execFileSync('cp', ['-a', data, own]);
  try {
    renameSync(own, made);
  } catch {
    // Another one was first.
    rmSync(own, { recursive: true });
  }
}

function idsOf(user: string): { uid?: number; gid?: number } {
  const id = (flag: string) => Number(execFileSync('id', [flag, user]).toString());
  return { uid: id('-u'), gid: id('-g') };
}

/** A port of 127.0.0.1 that nobody listens on, for a program that has to be told one. */
async function answers(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`postgres ended with ${child.exitCode}`);
    const client = new pg.Client(url);
    client.on('error', () => {});
    const ready = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => {});
    if (ready) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
