import { networkInterfaces } from 'node:os';
import type { LinksBinding, NetworkLink } from '../bindings.ts';

export function createLinks(): LinksBinding {
  return {
    list: () =>
      Object.entries(networkInterfaces()).flatMap(([name, found = []]): NetworkLink[] => {
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
      }),
    watch: () => () => {},
  };
}
