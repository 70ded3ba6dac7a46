/** How the error codes of the routes of this room are provoked, for the tests of the contract. */
import { TestRadio } from '../../bindings/test-radio.ts';
import { type Shop, type ShopOptions, send, startShop } from '../../contract/shop.ts';
import { all, diskFails, HUGE, ofTwin, refused, type Situation, situation } from '../../contract/situation.ts';
import { until } from '../../node.ts';
import { storageWith } from '../../storage.ts';

const inSetup = async (options: ShopOptions = {}): Promise<Shop> => {
  const radio = new TestRadio();
  const node = await startShop({ ...options, radio });
  await until(() => radio.is('setup'));
  await until(async () => (await send(node, 'GET /nothing-here')).status === 302);
  return node;
};

export const SITUATIONS: readonly Situation[] = [
  situation(
    'the setup portal',
    [
      refused('400 invalid_json', 'POST /provision', { body: '{' }),
      refused('422 invalid_provision', 'POST /provision', { body: {} }),
      refused('500 save_failed', 'POST /provision', {}, diskFails),
    ],
    inSetup,
  ),
  situation(
    'settings that had to be erased, on the setup network',
    all('409 custody_hold', ['POST /provision', 'POST /network']),
    async () => inSetup({ storage: await storageWith({ erased: true }) }),
  ),
  ofTwin('the setup portal of a twin', [refused('413 body_too_large', 'POST /provision', HUGE)], () =>
    inSetup({ variant: 'twin' }),
  ),
  situation('no setup portal', [refused('404 not_found', 'POST /provision')]),
  situation(
    "a node on somebody's own computer",
    all('409 not_appliance', ['GET /network/nearby', 'POST /network', 'PUT /network/ipv4']),
    () => startShop({ appliance: false }),
  ),
];
