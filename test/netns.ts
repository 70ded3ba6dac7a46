/** Hosts on networks of their own: network namespaces on bridges, made and removed by the test (ip-netns(8)). */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { threadId } from 'node:worker_threads';

export interface Host {
  readonly name: string;
  /** The namespace's interface on the bridge. */
  readonly interface: string;
  readonly address: string;
  /** Runs a program to its end and gives its standard output; throws on a failure. */
  run(command: string, ...args: readonly string[]): string;
  /** Starts a program that runs until the network is removed. */
  spawn(command: string, args: readonly string[], env?: NodeJS.ProcessEnv): ChildProcess;
}

export interface Network {
  readonly hosts: readonly Host[];
  /** Another interface of a host, on the bridge with this index; gives its address. */
  plug(host: Host, name: string, bridge: number): string;
  /** Ends what was started in it and removes it. */
  remove(): Promise<void>;
}

const ip = (...args: readonly string[]) => execFileSync('ip', args, { stdio: ['ignore', 'pipe', 'pipe'] }).toString();
let networks = 0;

/** Ends every process of this namespace, and resolves when none is left (ip-netns(8): pids). */
async function endAllIn(name: string): Promise<void> {
  for (;;) {
    const pids = execFileSync('ip', ['netns', 'pids', name]).toString().split('\n').filter(Boolean);
    if (pids.length === 0) return;
    for (const pid of pids) {
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch {
        // It ended by itself.
      }
    }
    await delay(5);
  }
}

/**
 * `count` hosts, 10.77.N.1 and up, each with the interface `lan0` on the first of the bridges, which are not joined to
 * each other; the second bridge is 10.78.N, and so on. Needs root and iproute2.
 */
export function createNetwork(count: number, bridges = 1): Network {
  networks += 1;
  // Test files of one run are threads of one process, and several make networks at once.
  const id = `${process.pid}x${threadId}x${networks}`;
  const subnetOf = (bridge: number) => `10.${77 + bridge}.${(process.pid + networks) % 256}`;
  const names: string[] = [];
  const running = new Set<ChildProcess>();
  const add = (name: string) => {
    ip('netns', 'add', name);
    names.push(name);
    ip('-n', name, 'link', 'set', 'lo', 'up');
    return name;
  };
  const removeAll = () => {
    for (const name of names.splice(0)) ip('netns', 'del', name);
  };
  try {
    const hub = add(`till${id}hub`);
    for (let bridge = 0; bridge < bridges; bridge += 1) {
      ip('-n', hub, 'link', 'add', `hub${bridge}`, 'type', 'bridge', 'forward_delay', '0');
      ip('-n', hub, 'link', 'set', `hub${bridge}`, 'up');
    }
    const taken = Array.from({ length: bridges }, () => 0);
    let ports = 0;
    const plug = (host: string, name: string, bridge: number): string => {
      const last = (taken[bridge] ?? 0) + 1;
      taken[bridge] = last;
      const address = `${subnetOf(bridge)}.${last}`;
      const port = `port${ports}`;
      ports += 1;
      ip('-n', hub, 'link', 'add', port, 'type', 'veth', 'peer', 'name', name, 'netns', host);
      ip('-n', hub, 'link', 'set', port, 'master', `hub${bridge}`, 'up');
      ip('-n', host, 'address', 'add', `${address}/24`, 'broadcast', '+', 'dev', name);
      ip('-n', host, 'link', 'set', name, 'up');
      return address;
    };
    const hosts = Array.from({ length: count }, (_, index): Host => {
      const name = add(`till${id}h${index}`);
      const address = plug(name, 'lan0', 0);
      return {
        name,
        address,
        interface: 'lan0',
        run: (command, ...args) =>
          execFileSync('ip', ['netns', 'exec', name, command, ...args], {
            stdio: ['ignore', 'pipe', 'pipe'],
          }).toString(),
        spawn(command, args, env = process.env) {
          const child = spawn('ip', ['netns', 'exec', name, command, ...args], {
            stdio: ['ignore', 'pipe', 'pipe'],
            env,
          });
          running.add(child);
          child.once('exit', () => running.delete(child));
          return child;
        },
      };
    });
    return {
      hosts,
      plug: (host, name, bridge) => plug(host.name, name, bridge),
      async remove() {
        await Promise.all(
          [...running].map(async (child) => {
            const exit = once(child, 'exit');
            child.kill('SIGKILL');
            await exit;
          }),
        );
        // What they started writes on until it is gone, too, and its folder could not be removed.
        await Promise.all(names.map(endAllIn));
        removeAll();
      },
    };
  } catch (error) {
    removeAll();
    throw error;
  }
}
