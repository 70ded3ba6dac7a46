import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { CompositionError, compose, withEndpoints } from '../../runtime/kernel/composition.ts';
import { CORE_ERRORS } from '../../runtime/kernel/core-errors.ts';
import { definePlugin, type PluginDeclaration, route } from '../../runtime/kernel/plugin.ts';
import { startTestNode } from '../../runtime/node/testing.ts';

const plugin = (name: string, rest: Partial<PluginDeclaration> = {}) => definePlugin({ name, api: 2, ...rest });
const endpoint = { id: 'till', kind: 'display', transport: 'usb', capabilities: [] } as const;
const codec = { name: 'marquee', kind: 'display', options: {} };
const error = { code: 'no_display', status: 409, retry: 'no', meaning: 'none is bound' } as const;
const get = (path: string, errors: string[] = []) =>
  route({ method: 'GET', path, tier: 'none', summary: '', errors, handle: () => ({}) });

describe('composing plugins', () => {
  it('gathers what each declares', () => {
    const event = { schema: Type.Object({}) };
    const config = { key: 'brightness', schema: Type.Integer(), default: 3 };
    const composed = compose(
      [
        plugin('display', {
          endpoints: [endpoint],
          codecs: [codec],
          errors: [error],
          events: { shown: event },
          config: [config],
          routes: [get('/display', ['no_display'])],
        }),
      ],
      CORE_ERRORS,
    );
    expect(composed.endpoints.get('till')).toBe(endpoint);
    expect(composed.codecs.get('marquee')).toBe(codec);
    expect(composed.errors.get('no_display')).toBe(error);
    expect(composed.errors.has('not_found')).toBe(true);
    expect(composed.routes.map(({ path }) => path)).toEqual(['/display']);
    expect([...composed.config.keys(), ...composed.events.keys()]).toEqual(['brightness', 'shown']);
  });

  it.each([
    [
      'a code added to a route of another that nobody declares',
      [plugin('a', { adds: { 'PUT /config': ['no_such'] } })],
      'plugin a adds no_such to PUT /config, which no plugin declares',
    ],
    ['a plugin named twice', [plugin('a'), plugin('a')], 'plugin a is named twice'],
    [
      'a taken endpoint',
      [plugin('a', { endpoints: [endpoint] }), plugin('b', { endpoints: [endpoint] })],
      'plugin b declares endpoint till, which is taken',
    ],
    [
      'a taken codec',
      [plugin('a', { codecs: [codec] }), plugin('b', { codecs: [codec] })],
      'plugin b declares codec marquee, which is taken',
    ],
    [
      'a taken error',
      [plugin('a', { errors: [error] }), plugin('b', { errors: [error] })],
      'plugin b declares error no_display, which is taken',
    ],
    [
      'a taken route',
      [plugin('a', { routes: [get('/x')] }), plugin('b', { routes: [get('/x')] })],
      'plugin b declares route GET /x, which is taken',
    ],
    [
      'a missing requirement',
      [plugin('a', { requires: ['display'] })],
      'plugin a requires display, which is not in this image',
    ],
    [
      'an undeclared error',
      [plugin('a', { routes: [get('/x', ['oops'])] })],
      'route GET /x answers oops, which no plugin declares',
    ],
    [
      'a second endpoint of a kind whose plugin serves one',
      [plugin('a', { endpoints: [endpoint] }), plugin('b', { endpoints: [{ ...endpoint, id: 'door' }] })],
      'plugin b declares endpoint door of kind display, and plugin a serves its endpoint till alone (several)',
    ],
    [
      'channels of a kind that has them',
      [
        plugin('a', { endpoints: [endpoint], several: ['display'], channels: { classes: [10], types: ['bulk'] } }),
        plugin('b', { endpoints: [{ ...endpoint, id: 'door' }], channels: { classes: [3], types: ['interrupt'] } }),
      ],
      'plugin b declares channels of kind display, which is taken',
    ],
    [
      'an endpoint without an id',
      [plugin('a', { endpoints: [{ ...endpoint, id: '' }] })],
      'plugin a declares endpoint "", and an id has 1 to 64 characters',
    ],
    [
      'an endpoint with a longer id than a command may name',
      [plugin('a', { endpoints: [{ ...endpoint, id: 'x'.repeat(65) }] })],
      `plugin a declares endpoint "${'x'.repeat(65)}", and an id has 1 to 64 characters`,
    ],
    [
      'a transport that nothing serves',
      [plugin('a', { endpoints: [{ ...endpoint, transport: 'bluetooth' as 'usb' }] })],
      'plugin a declares endpoint "till", and transport bluetooth is none of usb, node',
    ],
    [
      'a config key that could not be patched property by property',
      [plugin('a', { config: [{ key: 'pager', schema: Type.Object({ id: Type.Integer() }), default: { id: 1 } }] })],
      'plugin a declares config key pager with the required property id, which a patch may leave out: make it optional and give its value in default',
    ],
    [
      'a module that exports no plugin',
      [plugin('a'), undefined as never],
      'plugin 2 of 2 is not what definePlugin returned',
    ],
    [
      'a later interface version',
      [{ ...plugin('a'), api: 3 as unknown as 2 }],
      'plugin a has api: 3, this image has 2. Use a release of a that was made for api: 2.',
    ],
    [
      'another interface version',
      [{ ...plugin('a'), api: 1 as unknown as 2 }],
      'plugin a has api: 1, this image has 2. Rename apply(kernel) to room(node) and return the state that handlers need; handlers get { node, room, body }; ask node.endpoint(id) instead of kernel.hotplug.state(id), and node.bound(kind, id) for what bind returned.',
    ],
  ])('refuses %s, and says whose it is', (_, plugins, message) => {
    expect(() => compose(plugins, CORE_ERRORS)).toThrow(new CompositionError(message));
  });
});

describe('a node', () => {
  const start = (declared: Partial<PluginDeclaration>) =>
    startTestNode({ plugins: [plugin('a', { endpoints: [endpoint], ...declared })], recipes: [] });

  it('does not start where no plugin binds the kind of an endpoint, whatever codec it has', async () => {
    await expect(start({ codecs: [codec] })).rejects.toThrow(
      new CompositionError(
        'plugin a declares endpoint till of kind display, and no plugin of this image binds one (hooks.bind)',
      ),
    );
  });

  it('starts where a plugin binds that kind without a codec', async () => {
    const node = await start({
      room: ({ hooks }) => hooks.bind.for('display').tapPromise('a', async () => undefined),
    });
    expect(node.kernel.endpoint('till')?.condition).toBe('never_seen');
    await node.stop();
  });
});

describe('the endpoints of a variant', () => {
  const display = plugin('a', { endpoints: [endpoint], codecs: [codec], several: ['display'] });

  it('stand in place of the one that the plugin of their kind declares', () => {
    const [composed] = withEndpoints([display], { display: ['till', 'door'] });
    expect(composed?.endpoints).toEqual([endpoint, { ...endpoint, id: 'door' }]);
    expect(withEndpoints([display], {})[0]?.endpoints).toEqual([endpoint]);
  });

  it('are refused where no plugin drives their kind, or it serves one alone: both are named', () => {
    expect(() => withEndpoints([display], { oven: ['back'] })).toThrow(
      'the variant has endpoint back of kind oven, which no plugin of this image drives',
    );
    expect(() => withEndpoints([{ ...display, several: [] }], { display: ['till', 'door'] })).toThrow(
      'the variant has endpoint till, door of kind display, and plugin a serves the one that it declares',
    );
  });
});
