/** The command line that the launcher and the image it starts have in common. */
import { parseArgs } from 'node:util';

export interface Defaults {
  readonly host: string;
  readonly port: number;
  readonly rawPort: number;
  /** Folder of everything the node keeps. */
  readonly state: string;
}

export interface Options extends Defaults {
  /** The node owns the machine: network, buttons and restarts. */
  readonly appliance: boolean;
}

export const OPTIONS_USAGE = '[--host H] [--port P] [--raw-port P] [--state DIR] [--appliance]';

/** Throws an Error with words for a person. `also` names further options: true takes a value, false does not. */
export function parseOptions(
  args: readonly string[],
  defaults: Defaults,
  also: Readonly<Record<string, boolean>> = {},
): Options & { readonly more: Readonly<Record<string, string | boolean | undefined>> } {
  const extra = Object.entries(also).map(([name, takesValue]) => [
    name,
    { type: takesValue ? ('string' as const) : ('boolean' as const) },
  ]);
  const { values }: { values: Readonly<Record<string, string | boolean | undefined>> } = parseArgs({
    args: [...args],
    options: {
      host: { type: 'string' },
      port: { type: 'string' },
      'raw-port': { type: 'string' },
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
  return {
    host: text('host', defaults.host),
    port: portOf('port', defaults.port),
    rawPort: portOf('raw-port', defaults.rawPort),
    state: text('state', defaults.state),
    appliance: values['appliance'] === true,
    more: values,
  };
}
