/** Where the fleet itself sends to: anywhere but to itself and to what can be no receiver, as nodes do. */
import { networkInterfaces } from 'node:os';
import type { NetworkLink } from '../../bindings/network.ts';
import { type Refuses, refusing } from '../../http/targets.ts';

/** The check for a fleet. `port`: the one that it listens on, once it does. */
export const targetsOf = (port: () => number | undefined): Refuses =>
  refusing({ links: linksNow, serves: (asked) => asked === port() });

const linksNow = (): NetworkLink[] =>
  Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) => {
    const outer = addresses.filter(({ internal }) => !internal);
    return outer.map(({ mac, family, address, cidr }) => ({
      name,
      mac,
      addresses: [{ family: family === 'IPv4' ? 4 : 6, address, prefix: Number(cidr?.split('/')[1] ?? 128) }],
    }));
  });
