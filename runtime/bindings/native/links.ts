/** The network interfaces of the machine, from os.networkInterfaces(); ip(8) reports when they change. */
import { type ChildProcess, spawn } from 'node:child_process';
import { networkInterfaces } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import type { LinksBinding, NetworkLink } from '../network.ts';
import { signalChild } from './child.ts';
import { sharedWatch } from './shared-watch.ts';

/** For tests. */
export interface LinksOptions {
  /** Instead of ip(8). */
  readonly command?: string;
  /** Until the program is started: what a start of the node needs goes before it. */
  readonly beginMs?: number;
  /** Delay before the program is started again after it ended. */
  readonly restartMs?: number;
  /** How often the interfaces are listed if the program is missing. */
  readonly relistMs?: number;
  readonly list?: () => readonly NetworkLink[];
}

/** The network interfaces of this machine. Without ip(8) a change is reported up to 15 seconds late. */
export const createLinks = ({
  command = 'ip',
  beginMs = 500,
  restartMs = 2000,
  relistMs = 15_000,
  list = listLinks,
}: LinksOptions = {}): LinksBinding => ({
  list,
  watch: sharedWatch((changed) => {
    let before = list();
    const relist = () => {
      const now = list();
      if (!isDeepStrictEqual(now, before)) changed();
      before = now;
    };
    let over = false;
    let end: () => void = () => {};
    const again = (delayMs: number) => {
      if (over) return;
      const timer = setTimeout(() => {
        // Nothing reported the changes in between.
        relist();
        run();
      }, delayMs);
      end = () => clearTimeout(timer);
    };
    const run = () => {
      // A line for every interface and address that comes, goes or changes (ip-monitor(8)).
      const args = ['-o', 'monitor', 'link', 'address'];
      const child: ChildProcess = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
      // There is no stdout if the process has no file descriptor left.
      child.stdout?.on('data', () => over || changed());
      child.once('error', () => again(relistMs));
      child.once('exit', () => again(restartMs));
      end = () => signalChild(child, 'SIGTERM');
    };
    again(beginMs);
    return () => {
      over = true;
      end();
    };
  }),
});

function listLinks(): NetworkLink[] {
  return Object.entries(networkInterfaces()).flatMap(([name, found = []]): NetworkLink[] => {
    const addresses = found.filter(({ internal }) => !internal);
    if (addresses[0] === undefined) return [];
    return [
      {
        name,
        mac: addresses[0].mac,
        addresses: addresses.map(({ family, address, cidr, ...more }) => ({
          family: family === 'IPv6' ? 6 : 4,
          address,
          prefix: Number(cidr?.split('/')[1] ?? 0),
          ...('scopeid' in more && more.scopeid !== 0 && { scope: more.scopeid }),
        })),
      },
    ];
  });
}
