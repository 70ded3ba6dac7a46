/** A situation that a node is brought into, and requests that are refused in it. */
import { GOOD } from './requests.ts';
import { type Answer, type Ask, type Shop, send, startShop } from './shop.ts';
import type { Pair, VariantName } from './tables.ts';

export interface Case {
  readonly code: string;
  readonly status: number;
  readonly route: string;
  ask(node: Shop): Promise<Answer>;
}
export interface Situation {
  readonly name: string;
  readonly variant: VariantName;
  start(): Promise<Shop>;
  readonly cases: readonly Case[];
}

export type Arrange = (node: Shop) => unknown;

/** `409 no_printer`, and the request that is refused with it: that which the route takes, or another. */
export const refused = (answer: string, route: string, ask?: Ask, arrange?: Arrange): Case => {
  const [status, code = ''] = answer.split(' ');
  return {
    ...{ code, status: Number(status), route },
    ask: async (node) => {
      await arrange?.(node);
      return send(node, route, { ...GOOD[route], ...ask });
    },
  };
};
export const all = (answer: string, paths: readonly string[], ask?: Ask, arrange?: Arrange): Case[] =>
  paths.map((route, index) => refused(answer, route, ask, index === 0 ? arrange : undefined));
export const generic = (pairs: readonly Pair[], ask: Ask): Case[] =>
  pairs.map(({ status, code, route }) => refused(`${status} ${code}`, route, ask));

export const situation = (name: string, cases: readonly Case[], start: () => Promise<Shop> = startShop): Situation => ({
  ...{ name, variant: 'camera', start, cases },
});
export const ofTwin = (
  name: string,
  cases: readonly Case[],
  start = () => startShop({ variant: 'twin' }),
): Situation => ({
  ...{ name, variant: 'twin', start, cases },
});

/** A body over the cap of every route. */
export const HUGE: Ask = { body: `"${'x'.repeat(300_000)}"` };

/** Nothing can be written any more. */
export const diskFails = ({ storage }: Shop) => {
  storage.failure = (operation) => (operation === 'write' ? new Error('the disk is full') : undefined);
};
