/** The built twin whose state folder nobody can make: it boots, prints, and says that nothing can be kept. */
import { expect, it, onTestFinished } from 'vitest';
import { shippedNode } from '../shipped-node.ts';
import { call, launch } from './launched.ts';

it.each([
  ['this', () => process.execPath],
  ['the shipped', shippedNode],
])('a state folder that cannot be made costs %s Node what would be kept in it, not the receipt', async (_, node) => {
  const launched = launch('/proc/nosuch', { node: node() });
  onTestFinished(() => launched.kill('SIGKILL'));
  const url = await launched.ready(1);
  const lines = [{ type: 'text', value: 'one receipt' }];
  const print = { type: 'print', id: 'nowhere', endpoint: 'receipt', lines };
  expect(await call(url, 'POST', '/print', print)).toMatchObject({ ok: true });
  expect(await call(url, 'GET', '/status')).toMatchObject({ boot: { kept: false } });
  expect(launched.log()).toMatch(/"nothing can be kept in the state folder"/);
});
