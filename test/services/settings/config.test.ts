import { Type } from '@sinclair/typebox';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closed } from '../../../runtime/base/schema.ts';
import { VirtualStorage } from '../../../runtime/bindings/virtual/storage.ts';
import { definePlugin } from '../../../runtime/kernel/plugin.ts';
import { settingsNodes } from './node.ts';

/** A room with a nested key, a plain one, and a rule over both. */
const room = definePlugin({
  name: 'room',
  api: 2,
  config: [
    {
      key: 'nested',
      schema: closed({ a: Type.Optional(Type.Integer({ maximum: 9 })), b: Type.Optional(Type.String()) }),
      default: { a: 1, b: 'b' },
    },
    { key: 'plain', schema: Type.Boolean(), default: false },
  ],
});

const newNode = settingsNodes(room);

describe('GET /config', () => {
  it('shows every key of every room with its default', async () => {
    const node = await newNode();
    expect(node.config()).toEqual({
      apiMode: 'open',
      apiKeySet: false,
      hosts: [],
      nested: { a: 1, b: 'b' },
      plain: false,
    });
  });
});

describe('PUT /config', () => {
  it('answers with the configuration as it is then', async () => {
    const node = await newNode();
    const { body } = await node.put({ nested: { a: 5 }, hosts: ['till.example'] });
    expect(body).toEqual({ ok: true, ...node.config() });
    expect(body).toMatchObject({ nested: { a: 5, b: 'b' }, hosts: ['till.example'] });
  });

  it('takes a patch of nothing', async () => {
    expect((await (await newNode()).put({})).code).toBe('ok');
  });

  it.each([
    ['an unknown key', { nonsense: 1 }, 'nonsense'],
    ['an unknown nested key', { nested: { c: 1 } }, 'nested: '],
    ['a key out of bounds', { nested: { a: 10 } }, 'nested/a'],
    ['a nested null', { nested: { a: null } }, 'nested/a'],
    ['a null', { apiMode: null }, 'apiMode'],
    ['an unknown mode', { apiMode: 'locked' }, 'apiMode'],
    ['a prototype', JSON.parse('{"__proto__": {"plain": true}}'), '__proto__'],
    ['an array', [], ''],
    ['no object', null, ''],
    ['a host that is none', { hosts: ['no host'] }, 'hosts/0'],
    ['a host that is a number', { hosts: ['12345'] }, 'hosts/0'],
    ['a host that would be read as an address', { hosts: ['999.1.2.3'] }, 'hosts/0'],
    ['a host twice', { hosts: ['till.example', 'till.example'] }, 'hosts'],
    ['a host twice, but for its case (RFC 4343)', { hosts: ['till.example', 'Till.Example'] }, 'hosts'],
    ['a host with its port', { hosts: ['till.example:8080'] }, 'hosts/0'],
    ['nine hosts', { hosts: Array.from({ length: 9 }, (_, index) => `host${index}`) }, 'hosts'],
  ])('refuses %s, naming the place', async (_name, patch, place) => {
    const node = await newNode();
    const { code, detail } = await node.put(patch);
    expect(code).toBe('invalid_config');
    expect(detail).toContain(place);
  });

  it('stores a patch whole or not at all', async () => {
    const storage = new VirtualStorage();
    const node = await newNode(storage);
    await node.put({ nested: { a: 3 } });
    const before = [node.config(), await storage.read('settings.a'), await storage.read('settings.b')];
    const right = {
      apiMode: 'open',
      hosts: ['till'],
      plain: true,
      nested: { b: 'changed' },
    };
    const wrong = { apiMode: 'admin', hosts: [''], plain: 1, nested: { a: 99 }, apiKey: 'short', nonsense: true };
    const patch = fc
      .record({ kept: fc.subarray(Object.entries(right)), spoilt: fc.constantFrom(...Object.entries(wrong)) })
      .map(({ kept, spoilt }) => Object.fromEntries([...kept, spoilt]));
    await fc.assert(
      fc.asyncProperty(patch, async (each) => {
        expect((await node.put(each)).code).toBe('invalid_config');
        expect([node.config(), await storage.read('settings.a'), await storage.read('settings.b')]).toEqual(before);
      }),
      { seed: 11, numRuns: 500 },
    );
  });

  it('answers persist_failed and keeps the old value where nothing can be stored', async () => {
    const storage = new VirtualStorage();
    const node = await newNode(storage);
    await node.put({ plain: true });
    storage.failure = (operation) => (operation === 'write' ? new Error('the disk is full') : undefined);
    expect((await node.put({ plain: false })).code).toBe('persist_failed');
    expect(node.config()['plain']).toBe(true);
    storage.failure = undefined;
    expect((await node.restart()).config()['plain']).toBe(true);
  });

  it('loses none of fifty patches sent at once, and the last of each key stands', async () => {
    const node = await newNode();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        node.put(index % 2 === 0 ? { nested: { a: index % 10 } } : { nested: { b: `${index}` } }),
      ),
    );
    expect(answers.every(({ code }) => code === 'ok')).toBe(true);
    expect((await node.restart()).config()['nested']).toEqual({ a: 8, b: '49' });
  });
});
