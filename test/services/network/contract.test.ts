/** The setup portal, held against the contract. */
import { describe, expect, it } from 'vitest';
import { TestRadio } from '../../bindings/test-radio.ts';
import { faultIn } from '../../contract/answer.ts';
import { expectSame } from '../../contract/head.ts';
import { send, startShop } from '../../contract/shop.ts';
import { until } from '../../node.ts';

describe('on the setup network', () => {
  it('the answer to credentials has the fields of the document, and no others', async () => {
    const radio = new TestRadio();
    const node = await startShop({ variant: 'twin', radio });
    await until(() => radio.is('setup'));
    await until(async () => (await send(node, 'GET /nothing-here')).status === 302);
    expect(await faultIn(node, 'POST /provision')).toBe('');
  });

  it.each(['/', '/generate_204', '/status', '/provision'])('HEAD is what GET is: %s', async (path) => {
    const radio = new TestRadio();
    const node = await startShop({ radio });
    await until(() => radio.is('setup'));
    await expectSame(node, path);
  });
});
