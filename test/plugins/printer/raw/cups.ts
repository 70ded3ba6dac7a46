/**
 * Debian's CUPS with a queue of its own, beside whatever cupsd the system has: everything it keeps is in a directory that
 * is removed, and it listens on a socket in there (cupsd.conf(5), cups-files.conf(5)).
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OPEN, settings } from '../../../cups-files.ts';
import { until } from '../../../node.ts';
import { needTools, needUnpacked } from '../../../tools.ts';

/** The package `cups` itself is not installed: all that is wanted of it is this backend, and it brings Ghostscript. */
const BACKEND = 'usr/lib/cups/backend-available/socket';
const unpacked = needUnpacked('cups');
/** Why there is no CUPS, or undefined. */
export const noCups = needTools(['cupsd', 'lpadmin']) ?? ('missing' in unpacked ? unpacked.missing : undefined);

export interface Cups {
  /** Queues a job of these bytes; gives its number. */
  print(text: string): Promise<number>;
  /** Numbers of the jobs that it calls completed, in that order. */
  completed(): readonly number[];
  /** How often its backend could not connect, and kept the job. */
  refusals(): number;
  stop(): Promise<void>;
}

const QUEUE = 'receipt';
const run = promisify(execFile);

/** Starts CUPS with one raw queue, to `raw` (HOST:PORT). */
export async function startCups(raw: string): Promise<Cups> {
  const root = mkdtempSync(join(tmpdir(), 'cups-'));
  const at = (name: string) => join(root, name);
  // Backends run as another user.
  chmodSync(root, 0o755);
  for (const name of ['bin/backend', 'bin/filter', 'spool/tmp', 'cache', 'run'])
    mkdirSync(at(name), { recursive: true });
  copyFileSync(join('folder' in unpacked ? unpacked.folder : '', BACKEND), at('bin/backend/socket'));
  symlinkSync('/usr/lib/cups/daemon', at('bin/daemon'));
  // At its own path the system's AppArmor keeps it from these directories.
  copyFileSync('/usr/sbin/cupsd', at('cupsd'));
  const files = {
    ...{ ServerRoot: root, ServerBin: at('bin'), StateDir: at('run'), CacheDir: at('cache'), Printcap: '' },
    ...{ RequestRoot: at('spool'), TempDir: at('spool/tmp') },
    ...{ ErrorLog: at('log'), AccessLog: at('access'), PageLog: at('page') },
  };
  writeFileSync(at('cups-files.conf'), settings(files));
  const scheduler = { Listen: at('socket'), LogLevel: 'info', MaxLogSize: 0, JobRetryInterval: 1 };
  writeFileSync(at('cupsd.conf'), settings({ ...scheduler, Browsing: 'No', WebInterface: 'No' }) + OPEN);

  const child = spawn(at('cupsd'), ['-f', '-c', at('cupsd.conf'), '-s', at('cups-files.conf')], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  const log = () => (existsSync(at('log')) ? readFileSync(at('log'), 'utf8') : '');
  await until(() => existsSync(at('socket')) || child.exitCode !== null);
  if (child.exitCode !== null) throw new Error(`cupsd ended with ${child.exitCode}: ${log()}`);
  const env = { ...process.env, CUPS_SERVER: at('socket'), LC_ALL: 'C' };
  // No printer of this kind answers SNMP, and each job would wait for that.
  const queue = [
    '-p',
    QUEUE,
    '-v',
    `socket://${raw}/?snmp=false`,
    '-o',
    'printer-error-policy=retry-current-job',
    '-E',
  ];
  await run('lpadmin', queue, { env });
  return {
    async print(text) {
      const sent = run('lp', ['-d', QUEUE, '-o', 'raw'], { env });
      sent.child.stdin?.end(text);
      return Number(/-(\d+) /.exec((await sent).stdout)?.[1]);
    },
    completed: () => [...log().matchAll(/\[Job (\d+)\] Job completed\./g)].map(([, id]) => Number(id)),
    refusals: () => log().match(/^W .*\[Job \d+\] The printer /gm)?.length ?? 0,
    async stop() {
      child.kill();
      await exited;
      rmSync(root, { recursive: true, force: true });
    },
  };
}
