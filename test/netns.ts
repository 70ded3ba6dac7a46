/** Hosts on a network of their own: network namespaces on one bridge, made and removed by the test (ip-netns(8)). */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';

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
  /** Ends what was started in it and removes it. */
  remove(): Promise<void>;
}

const ip = (...args: readonly string[]) => execFileSync('ip', args, { stdio: ['ignore', 'pipe', 'pipe'] }).toString();
let networks = 0;

/** `count` hosts, 10.77.N.1 and up, each with the interface `lan0`. Needs root and iproute2. */
export function createNetwork(count: number): Network {
  networks += 1;
  const id = `${process.pid % 10_000}x${networks}`;
  const subnet = `10.77.${(process.pid + networks) % 256}`;
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
    ip('-n', hub, 'link', 'add', 'hub0', 'type', 'bridge', 'forward_delay', '0');
    ip('-n', hub, 'link', 'set', 'hub0', 'up');
    const hosts = Array.from({ length: count }, (_, index): Host => {
      const name = add(`till${id}h${index}`);
      const address = `${subnet}.${index + 1}`;
      ip('-n', hub, 'link', 'add', `port${index}`, 'type', 'veth', 'peer', 'name', 'lan0', 'netns', name);
      ip('-n', hub, 'link', 'set', `port${index}`, 'master', 'hub0', 'up');
      ip('-n', name, 'address', 'add', `${address}/24`, 'broadcast', '+', 'dev', 'lan0');
      ip('-n', name, 'link', 'set', 'lan0', 'up');
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
      async remove() {
        await Promise.all(
          [...running].map(async (child) => {
            const exit = once(child, 'exit');
            child.kill('SIGKILL');
            await exit;
          }),
        );
        removeAll();
      },
    };
  } catch (error) {
    removeAll();
    throw error;
  }
}
