/** HEAD is what GET would be (RFC 9110, 9.3.2): every route of GET, in each state that changes its answer. */
import { describe, it, onTestFinished } from 'vitest';
import { expectSame } from './head.ts';
import { type Shop, type ShopOptions, startShop } from './shop.ts';
import { isHere, routesOf, type VariantName } from './tables.ts';

/** Takes event slots until only this many are free. */
const watched = async (node: Shop, paths: readonly string[]) => {
  for (const path of paths) {
    const held = new AbortController();
    onTestFinished(() => held.abort());
    await fetch(node.url + path, { signal: held.signal });
  }
};

interface State {
  readonly name: string;
  readonly options?: ShopOptions;
  arrange?(node: Shop): unknown;
  /** Only these paths. */
  readonly paths?: readonly string[];
  /** Needs this room. */
  readonly room?: string;
}
const STREAMS = ['/events', '/camera/stream', '/camera/frame'];
const STATES: readonly State[] = [
  { name: 'a node', options: { variant: 'camera' } },
  { name: 'a twin', options: { variant: 'twin' } },
  { name: 'a node that records', arrange: ({ kernel }) => kernel.config.patch({ capture: true }), paths: ['/capture'] },
  { name: 'no slot free', arrange: (node) => watched(node, Array(4).fill('/events')), paths: STREAMS },
  { name: 'one slot free', arrange: (node) => watched(node, Array(3).fill('/events')), paths: STREAMS },
  {
    ...{ name: 'a camera that is watched', room: 'camera' },
    arrange: (node) => watched(node, ['/camera/stream']),
    paths: STREAMS,
  },
  {
    ...{ name: 'a camera that fails', room: 'camera' },
    arrange: ({ bench }) => Object.assign(bench.devices.get('camera') ?? {}, { condition: 'failing' }),
    paths: ['/camera/frame', '/camera'],
  },
  {
    ...{ name: 'no camera', room: 'camera' },
    arrange: (node) => node.unplug('camera'),
    paths: [...STREAMS, '/camera'],
  },
];

describe('HEAD', () => {
  it.each(STATES.filter(({ room }) => room === undefined || isHere(room)))(
    'is what GET is, without the body: $name',
    async ({ options = {}, arrange, paths }) => {
      const node = await startShop(options);
      await arrange?.(node);
      const variant: VariantName = options.variant ?? 'camera';
      const served = routesOf(variant).flatMap(({ method, path }) => (method === 'GET' ? [path] : []));
      for (const path of paths ?? ['/', ...served, '/nowhere', '/print']) await expectSame(node, path);
    },
  );
});
