/** The command line options that launcher and image have in common. */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';

/** Options that have a default, which depends on the variant. */
export interface Defaults {
  /** `::`: all addresses, IPv4 and IPv6. */
  readonly host: string;
  readonly port: number;
  /** TCP ports that rooms listen on, by the name of the listener: `raw` is set by `--raw-port`. */
  readonly ports: Readonly<Record<string, number>>;
  /** The listeners that do without: where another program has their default port, they stay off until it is free. */
  readonly mayWait?: readonly string[];
  /** Directory in which the node stores its state. */
  readonly state: string;
}

/** The parsed options. */
export interface Options extends Omit<Defaults, 'mayWait'> {
  /** The node owns the machine: network, buttons and restarts. */
  readonly appliance: boolean;
  /** Ports of listeners that have to be free before an image starts, with their options; 0 is any free port. */
  readonly needed: readonly (readonly [option: string, port: number])[];
}

/** Exists if the kernel has IPv6 (proc_pid_net(5)). */
const IF_INET6 = '/proc/self/net/if_inet6';

/** The host to listen on: `0.0.0.0` instead of `::` if the kernel has no IPv6. */
export const listenable = (host: string, hasIpv6 = process.platform !== 'linux' || existsSync(IF_INET6)): string =>
  host === '::' && !hasIpv6 ? '0.0.0.0' : host;

/** The option for the port of each listener, with the port. */
export const portOptions = ({ ports }: Pick<Defaults, 'ports'>): [option: string, port: number][] =>
  Object.entries(ports).map(([name, port]) => [`${name}-port`, port]);

/** The common options, for usage messages. */
export const usageOf = (defaults: Defaults): string =>
  ['--host H', '--port P', ...portOptions(defaults).map(([option]) => `--${option} P`), '--state DIR', '--appliance']
    .map((option) => `[${option}]`)
    .join(' ');

/** Parses options; throws an Error whose message is for people. `also` names further options: true takes a value. */
export function parseOptions(
  args: readonly string[],
  defaults: Defaults,
  also: Readonly<Record<string, boolean>> = {},
): Options & { readonly more: Readonly<Record<string, string | boolean | undefined>> } {
  const ports = portOptions(defaults).map(([option]) => [option, true] as const);
  const extra = [...ports, ...Object.entries(also)].map(([name, takesValue]) => [
    name,
    { type: takesValue ? ('string' as const) : ('boolean' as const) },
  ]);
  const { values }: { values: Readonly<Record<string, string | boolean | undefined>> } = parseArgs({
    args: [...args],
    options: {
      host: { type: 'string' },
      port: { type: 'string' },
      state: { type: 'string' },
      appliance: { type: 'boolean' },
      ...(Object.fromEntries(extra) as Record<string, { type: 'string' | 'boolean' }>),
    },
  });
  const text = (name: string, fallback: string) => (typeof values[name] === 'string' ? values[name] : fallback);
  const portOf = (name: string, fallback: number) => {
    const digits = text(name, String(fallback));
    const port = Number(digits);
    if (!/^\d{1,5}$/.test(digits) || port > 65535) throw new Error(`--${name} must be 0 to 65535`);
    return port;
  };
  const listeners = Object.entries(defaults.ports).map(
    ([name, usual]) => [name, portOf(`${name}-port`, usual)] as const,
  );
  const { mayWait = [] } = defaults;
  const isNeeded = (name: string) => !mayWait.includes(name) || values[`${name}-port`] !== undefined;
  return {
    host: listenable(text('host', defaults.host)),
    port: portOf('port', defaults.port),
    ports: Object.fromEntries(listeners),
    needed: listeners.filter(([name]) => isNeeded(name)).map(([name, port]) => [`${name}-port`, port]),
    state: text('state', defaults.state),
    appliance: values['appliance'] === true,
    more: values,
  };
}
