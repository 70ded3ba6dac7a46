/** How the error codes of discovery are provoked, for the tests of the contract. */
import type { Shop } from '../../contract/shop.ts';
import { refused, type Situation, situation } from '../../contract/situation.ts';
import { until } from '../../node.ts';
import { contest, startProfileNode } from './node.ts';

const PROFILE = { body: { profile: 'epson-tm-t88v' } };

async function startWith(arrange: (wire: Awaited<ReturnType<typeof startProfileNode>>['wire']) => void): Promise<Shop> {
  const node = await startProfileNode();
  await until(node.isUp);
  arrange(node.wire);
  return node as unknown as Shop;
}

export const SITUATIONS: readonly Situation[] = [
  situation('a profile that somebody else has', [refused('500 profile_switch_failed', 'PUT /config', PROFILE)], () =>
    startWith((wire) => contest(wire, 'EPSON')),
  ),
  situation(
    'a network that nothing can be sent on',
    [refused('500 profile_rollback_failed', 'PUT /config', PROFILE)],
    () =>
      startWith((wire) => {
        wire.broken = true;
      }),
  ),
];
