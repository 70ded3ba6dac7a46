/** The conformance suite finds what is wrong with a room: each sentence can be untrue. */
import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import printer from '../plugins/printer/index.ts';
import { VirtualPrinter } from '../plugins/printer/virtual/device.ts';
import { type Check, type RoomUnderTest, roomConformance } from '../runtime/conformance/index.ts';
import type { Plugin, RouteDeclaration } from '../runtime/kernel/plugin.ts';

const room: RoomUnderTest = { plugin: printer, endpoint: 'receipt', device: () => new VirtualPrinter() };
const [route] = printer.routes as [RouteDeclaration];
const find = (checks: readonly Check[], words: string) => {
  const found = checks.filter(({ sentence }) => sentence.includes(words));
  expect(found).toHaveLength(1);
  return async () => found[0]?.check();
};
const recipeFiles = [{ path: 'acme.json', text: '{"maker": "Acme", "rows": [\n{"id": "acme"}\n]}' }];
const { codecs: [codec] = [] } = printer;

describe('a room is found out', () => {
  it.each<[string, string, Partial<Plugin>, RegExp]>([
    ['that declares an error twice', 'describes itself', { errors: [{ ...row('not_found') }] }, /taken/],
    ['without its endpoint', 'declares the endpoint', { endpoints: [] }, /no endpoint receipt/],
    ['without a codec', 'declares the endpoint', { codecs: [] }, /no codec/],
    ['with a codec of another kind', 'declares the endpoint', { codecs: [{ ...codec!, kind: 'x' }] }, /codec/],
    ['with a shape of no name', 'has shapes', { events: { x: { schema: Type.Object({}) } } }, /no \$id/],
    ['with a route of no purpose', 'says of every route', { routes: [{ ...route, summary: '' }] }, /no summary/],
    [
      'with an error of no meaning',
      'says of every route',
      { errors: [...(printer.errors ?? []), { ...row('odd'), meaning: '' }] },
      /no meaning/,
    ],
    [
      'with a default of another shape',
      'whose defaults fit',
      { config: [{ key: 'x', schema: Type.Integer(), default: 'a' }] },
      /must be integer/,
    ],
  ])('%s', async (_, sentence, change, words) => {
    const checks = roomConformance({ ...room, plugin: { ...printer, ...change } });
    await expect(find(checks, sentence)()).rejects.toThrow(words);
  });

  it('whose recipe files are not in order', async () => {
    await expect(find(roomConformance({ ...room, recipeFiles }), 'recipe files')()).rejects.toThrow(/must be/);
  });

  it('that binds a device although no channel is left, or lets two of them in', async () => {
    const greedy = { ...printer, name: 'bus' } as Plugin;
    const checks = roomConformance({ ...room, plugin: greedy });
    await expect(find(checks, 'want of a channel')()).rejects.toThrow(/no_channel/);
  });
});

function row(code: string) {
  return { code, status: 409, retry: 'no', meaning: 'm' } as const;
}
