/**
 * Debian's CUPS with a queue that it made without a driver (`lpadmin -m everywhere`), and its filters, beside whatever cupsd the system
 * has: all that it keeps is in a directory that is removed (cupsd.conf(5), cups-files.conf(5)).
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OPEN, settings } from '../../cups-files.ts';
import { until } from '../../node.ts';
import { needTools, needUnpacked } from '../../tools.ts';

/** What CUPS makes pages with: unpacked, as installing them would start servers. */
const PACKAGES = [
  ...['cups', 'cups-filters', 'cups-filters-core-drivers', 'libcupsfilters1'],
  ...['libexif12', 'libfontembed1', 'libqpdf29'],
];
const unpacked = PACKAGES.map((name) => needUnpacked(name));
const folders = unpacked.flatMap((each) => ('folder' in each ? [each.folder] : []));
/** Why there is no CUPS, or undefined. */
export const noCups =
  needTools(['cupsd', 'lpadmin', 'gs']) ?? unpacked.flatMap((each) => ('missing' in each ? [each.missing] : []))[0];

export interface Driverless {
  /** Queues a file, or several as one job; gives its number. */
  print(file: string | readonly string[], ...options: readonly string[]): Promise<number>;
  cancel(job: number): Promise<void>;
  /** Numbers of the jobs that it has not ended. */
  waiting(): Promise<readonly number[]>;
  /** Numbers of the jobs that it calls completed, in that order. */
  completed(): readonly number[];
  /** The printer-state-reasons that CUPS has for the queue. */
  reasons(): Promise<string>;
  log(): string;
  stop(): Promise<void>;
}

const QUEUE = 'till';
const run = promisify(execFile);

/** `ipp`: HOST:PORT of the node. */
export async function startDriverless(ipp: string): Promise<Driverless> {
  const root = mkdtempSync(join(tmpdir(), 'driverless-'));
  const at = (name: string) => join(root, name);
  // Filters and backends run as another user.
  chmodSync(root, 0o755);
  for (const name of [
    'bin/backend',
    'bin/filter',
    'bin/daemon',
    'lib',
    'data/mime',
    'spool/tmp',
    'cache',
    'run',
    'ppd',
  ])
    mkdirSync(at(name), { recursive: true });
  for (const folder of folders) {
    const copy = (from: string, to: string) => {
      if (existsSync(join(folder, from))) cpSync(join(folder, from), at(to), { recursive: true });
    };
    copy('usr/lib/cups/filter', 'filters');
    copy('usr/lib/cups/daemon', 'bin/daemon');
    copy('usr/share/cups', 'data');
    for (const triple of readdirSync(join(folder, 'usr/lib')).filter((name) => name.includes('linux-gnu')))
      copy(`usr/lib/${triple}`, 'lib');
  }
  // It lets nobody name libraries to a filter, and the argument 0 of a filter is the name of the queue.
  for (const name of readdirSync(at('filters')))
    writeFileSync(
      at(`bin/filter/${name}`),
      `#!/bin/bash\nexport LD_LIBRARY_PATH=${at('lib')}\nexec -a ${QUEUE} ${at(`filters/${name}`)} "$@"\n`,
      { mode: 0o755 },
    );
  cpSync('/usr/share/cups/mime', at('data/mime'), { recursive: true });
  cpSync('/usr/lib/cups/daemon', at('bin/daemon'), { recursive: true });
  // Of the renderers of PDF, Ghostscript is here.
  for (const name of readdirSync(at('data/mime')).filter((each) => /braille|mupdf|poppler/.test(each)))
    rmSync(at(`data/mime/${name}`));
  // As the `mime.convs` of CUPS has it, which Debian's cups-daemon makes when it is installed.
  const raster = ['image/urf', 'image/pwg-raster'].map((to) => `application/vnd.cups-raster ${to} 100 rastertopwg\n`);
  writeFileSync(at('data/mime/mime.convs'), raster.join(''));
  copyFileSync('/usr/lib/cups/backend/ipp', at('bin/backend/ipp'));
  copyFileSync('/usr/sbin/cupsd', at('cupsd'));
  const files = {
    ...{ ServerRoot: root, ServerBin: at('bin'), DataDir: at('data'), StateDir: at('run'), CacheDir: at('cache') },
    ...{ RequestRoot: at('spool'), TempDir: at('spool/tmp'), Printcap: '' },
    ...{ ErrorLog: at('log'), AccessLog: at('access'), PageLog: at('page') },
  };
  writeFileSync(at('cups-files.conf'), settings(files));
  const scheduler = { Listen: at('socket'), LogLevel: 'debug', MaxLogSize: 0, JobRetryInterval: 1, MaxJobs: 0 };
  writeFileSync(at('cupsd.conf'), settings({ ...scheduler, Browsing: 'No', WebInterface: 'No' }) + OPEN);

  const child = spawn(at('cupsd'), ['-f', '-c', at('cupsd.conf'), '-s', at('cups-files.conf')], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  const log = () => (existsSync(at('log')) ? readFileSync(at('log'), 'utf8') : '');
  await until(() => existsSync(at('socket')) || child.exitCode !== null);
  if (child.exitCode !== null) throw new Error(`cupsd ended with ${child.exitCode}: ${log()}`);
  const env = { ...process.env, CUPS_SERVER: at('socket'), LC_ALL: 'C' };
  await run('lpadmin', ['-p', QUEUE, '-E', '-v', `ipp://${ipp}/ipp/print`, '-m', 'everywhere'], { env });
  // It makes its driver in the background; what it gets before, it sends as it is.
  await until(() => log().includes(`load_ppd: Saving ${at('cache')}`));
  return {
    async print(file, ...options) {
      const args = ['-d', QUEUE, ...options.flatMap((option) => ['-o', option]), ...[file].flat()];
      const queued = await run('lp', args, { env });
      return Number(/-(\d+) /.exec(queued.stdout)?.[1]);
    },
    async cancel(job) {
      await run('cancel', [`${QUEUE}-${job}`], { env });
    },
    async waiting() {
      const { stdout } = await run('lpstat', ['-W', 'not-completed', '-o', QUEUE], { env });
      return [...stdout.matchAll(/^till-(\d+) /gm)].map(([, id]) => Number(id));
    },
    completed: () => [...log().matchAll(/\[Job (\d+)\] Job completed\./g)].map(([, id]) => Number(id)),
    async reasons() {
      const { stdout } = await run('lpstat', ['-l', '-p', QUEUE], { env });
      return /Alerts: (.*)/.exec(stdout)?.[1] ?? '';
    },
    log,
    async stop() {
      child.kill();
      await exited;
      rmSync(root, { recursive: true, force: true });
    },
  };
}
