/** How the error codes of this room's route are provoked, for the tests of the contract. */
import { type Shop, startShop } from '../../contract/shop.ts';
import { ofTwin, refused, type Situation, situation } from '../../contract/situation.ts';

const ROUTE = 'POST /cgi-bin/epos/service.cgi';
const turn = (enabled: boolean) => (node: Shop) => node.kernel.config.patch({ epos: { enabled } });
const restarting = ({ kernel }: Shop) => void kernel.hold();
const LONG = { body: ' '.repeat(1024 * 1024 + 1) };

export const SITUATIONS: readonly Situation[] = [
  situation('ePOS that is off', [refused('404 not_found', ROUTE, {}, turn(false))]),
  situation('ePOS on a node that restarts', [refused('503 restarting', ROUTE, {}, restarting)]),
  ofTwin('ePOS of a document that is too long', [refused('413 body_too_large', ROUTE, LONG)], () =>
    startShop({ variant: 'twin' }),
  ),
];
