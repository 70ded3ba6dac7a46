/** Every code of the error table at every route that can answer it, provoked over HTTP and held against the document. */
import { describe, expect, it } from 'vitest';
import { faultOf, operationOf } from './document.ts';
import { jsonOf, type Shop } from './shop.ts';
import type { Case } from './situation.ts';
import { SITUATIONS } from './situations.ts';
import { additionalPairs, nameOf, tablePairs, type VariantName } from './tables.ts';

/** What is wrong with the answer to one case; '' for nothing. */
async function faultIn(node: Shop, { code, status, route, ...rest }: Case, variant: VariantName): Promise<string> {
  const answer = await rest.ask(node);
  const said = `${answer.status} ${answer.text.slice(0, 300)}`;
  if (answer.status !== status || !answer.type.startsWith('application/json')) return said;
  const body = jsonOf(answer);
  if (body['ok'] !== false || body['error'] !== code) return said;
  if (status === 405 && !String(answer.headers['allow']).includes(route.split(' ')[0] ?? '')) return 'no Allow';
  if (route === 'unrouted') return '';
  const documented = operationOf(variant, route)?.responses[status];
  if (documented?.['x-errors']?.[code] === undefined) return 'the document does not have it';
  return faultOf(variant, documented.content['application/json']?.schema, body);
}

describe('an error answer', () => {
  it('is driven for every code of the table and beside it at every route, on a node and on a twin', () => {
    const driven = new Set(SITUATIONS.flatMap(({ cases }) => cases.map(nameOf)));
    const pairs = (variant: VariantName) => [...tablePairs(variant), ...additionalPairs(variant)];
    // A fault of the node itself is what nobody knows how to provoke.
    const onNode = pairs('camera')
      .filter(({ code }) => code !== 'internal')
      .map(nameOf);
    // On a twin a body over its cap is body_too_large.
    const onTwin = pairs('twin')
      .filter(({ code }) => code !== 'internal' && code !== 'invalid_body')
      .map(nameOf);
    const missing = [...new Set([...onNode, ...onTwin])].filter((name) => !driven.has(name));
    expect(missing).toEqual([]);
  });

  it.each(SITUATIONS.map((each) => [each.name, each] as const))(
    'in this situation is as documented: %s',
    async (_, each) => {
      const node = await each.start();
      const faults: string[] = [];
      for (const one of each.cases) {
        const fault = await faultIn(node, one, each.variant);
        if (fault !== '') faults.push(`${nameOf(one)} -> ${fault}`);
      }
      expect(faults).toEqual([]);
    },
  );
});
