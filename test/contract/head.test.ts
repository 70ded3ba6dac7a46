/** HEAD is what GET would be (RFC 9110, 9.3.2): every route of GET, in each state that changes its answer. */
import { request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../node.ts';
import { TestRadio } from '../services/network/radio.ts';
import { type Shop, type ShopOptions, startShop } from './shop.ts';
import { routesOf, type VariantName } from './tables.ts';

interface Head {
  readonly status: number;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly bytes: number;
}

/** The header of the answer, and for HEAD what came behind it. A body that GET brings is not waited for. */
function ask(node: Shop, method: 'GET' | 'HEAD', path: string): Promise<Head> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(node.url);
    const asked = request({ hostname, port, path, method, agent: false }, (answer) => {
      const { statusCode: status = 0, headers } = answer;
      // How a body is framed is said with the body.
      const { date: _date, 'transfer-encoding': _coding, ...fields } = headers;
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      const done = () => resolve({ status, fields, bytes });
      answer.on('end', done).on('error', () => {});
      if (method === 'HEAD') return;
      done();
      asked.destroy();
    });
    asked.on('error', reject).end();
  });
}

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
}
const STREAMS = ['/events', '/camera/stream', '/camera/frame'];
const STATES: readonly State[] = [
  { name: 'a node', options: { variant: 'camera' } },
  { name: 'a twin', options: { variant: 'twin' } },
  { name: 'a node that records', arrange: ({ kernel }) => kernel.config.patch({ capture: true }), paths: ['/capture'] },
  { name: 'no slot free', arrange: (node) => watched(node, Array(4).fill('/events')), paths: STREAMS },
  { name: 'one slot free', arrange: (node) => watched(node, Array(3).fill('/events')), paths: STREAMS },
  { name: 'a camera that is watched', arrange: (node) => watched(node, ['/camera/stream']), paths: STREAMS },
  {
    name: 'a camera that fails',
    arrange: ({ camera }) => Object.assign(camera, { condition: 'failing' }),
    paths: ['/camera/frame', '/camera'],
  },
  {
    name: 'no camera',
    arrange: async ({ bench, camera, settled }) => {
      bench.usb.unplug(camera);
      await settled();
    },
    paths: [...STREAMS, '/camera'],
  },
];

/** Numbers that grow by themselves, and new pictures, change the length of these. */
const GROWS = /^\/(status|bootlog|peripherals|devices\/unknown|scale|scans|peers|jobs|network|camera\/frame)$/;
const ENDLESS = /^\/(events|capture|camera\/stream)$/;

/** HEAD may leave out how long a body is that is made while it is sent; if it says so, it is so. */
async function expectSame(node: Shop, path: string): Promise<void> {
  const [head, get] = [await ask(node, 'HEAD', path), await ask(node, 'GET', path)];
  expect([path, head.bytes]).toEqual([path, 0]);
  const { 'content-length': says, ...fields } = head.fields;
  const { 'content-length': has, ...expected } = get.fields;
  expect({ path, status: head.status, fields }).toEqual({ path, status: get.status, fields: expected });
  if (head.status === 200 && ENDLESS.test(path)) expect([path, says]).toEqual([path, undefined]);
  else if (head.status === 200 && GROWS.test(path)) expect([path, Number(says) > 0]).toEqual([path, true]);
  else expect([path, says]).toEqual([path, has]);
}

describe('HEAD', () => {
  it.each(STATES)('is what GET is, without the body: $name', async ({ options = {}, arrange, paths }) => {
    const node = await startShop(options);
    await arrange?.(node);
    const variant: VariantName = options.variant ?? 'camera';
    const served = routesOf(variant).flatMap(({ method, path }) => (method === 'GET' ? [path] : []));
    for (const path of paths ?? ['/', ...served, '/nowhere', '/print']) await expectSame(node, path);
  });

  it.each(['/', '/generate_204', '/status', '/provision'])('is what GET is on the setup network: %s', async (path) => {
    const radio = new TestRadio();
    const node = await startShop({ radio });
    await until(() => radio.is('setup'));
    await expectSame(node, path);
  });
});
