/** Bodies at every route that takes them: JSON that is no object is a refusal of the table, never a fault of the node; the examples of the document have the right form. */
import { describe, expect, it } from 'vitest';
import { operationOf, operationsOf } from './document.ts';
import { jsonOf, send, startShop } from './shop.ts';
import { routesOf } from './tables.ts';

const BODIES = ['null', '[]', '1', '"x"', 'true'];

describe.each(['camera', 'twin'] as const)('a body that is no object, on a node of variant %s,', (variant) => {
  it('is refused with a code of the table at every route that takes JSON', async () => {
    const node = await startShop({ variant });
    await node.kernel.config.patch({ capture: true });
    // The setup portal serves this one, and is not up where the node has its network.
    const routes = routesOf(variant).filter(({ body, path }) => body === 'json' && path !== '/provision');
    expect(routes.length).toBeGreaterThan(10);
    const faults: string[] = [];
    for (const route of routes.map(({ method, path }) => `${method} ${path}`)) {
      for (const body of BODIES) {
        const answer = await send(node, route, { body });
        const { ok, error, detail } = jsonOf(answer);
        const documented = operationOf(variant, route)?.responses[answer.status]?.['x-errors']?.[String(error)];
        if (answer.status < 500 && ok === false && documented && detail === 'must be object') continue;
        faults.push(`${route} ${body} -> ${answer.status} ${answer.text}`);
      }
    }
    expect(faults).toEqual([]);
  });
});

it.each(['camera', 'twin'] as const)(
  'the document of variant %s has an example of each body, which the node takes',
  async (variant) => {
    const node = await startShop({ variant });
    await node.kernel.config.patch({ capture: true, epos: { enabled: true } });
    const bodies = operationsOf(variant).flatMap(([route, { requestBody }]) =>
      Object.entries(requestBody?.content ?? {}).flatMap(([media, { example }]) =>
        media === 'application/octet-stream' ? [] : [{ route, example }],
      ),
    );
    expect(bodies.length).toBeGreaterThan(15);
    const refused: string[] = [];
    // What restarts it or takes its network comes last.
    const last = (route: string) => Number(/restart|network|provision/.test(route));
    for (const { route, example } of bodies.sort((a, b) => last(a.route) - last(b.route))) {
      expect(example, route).toBeDefined();
      const body = typeof example === 'string' ? example : JSON.stringify(example);
      const { status, text } = await send(node, route, { body });
      if (/"invalid_/.test(text)) refused.push(`${route} ${body} -> ${status} ${text}`);
    }
    expect(refused).toEqual([]);
  },
);
