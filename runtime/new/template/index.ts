/** The sample room: GET /sample, and an event for every reading. */
import { definePlugin, route } from 'tillnode/plugin';
import { bind, classify } from './bind.ts';
import { lineCodec } from './codec.ts';
import { SampleBlock, SampleRead } from './contract.ts';
import type { LineReader } from './reader.ts';

const ENDPOINT = 'sample';

export default definePlugin({
  name: 'sample',
  api: 2,
  endpoints: [{ id: ENDPOINT, kind: 'sample', transport: 'usb', capabilities: ['read'] }],
  codecs: [lineCodec],
  events: { sample_read: { schema: SampleRead, webhook: true } },
  routes: [
    route({
      method: 'GET',
      path: '/sample',
      tier: 'none',
      summary: 'the last reading, and how the device stands',
      response: SampleBlock,
      handle: ({ node }) => ({
        endpoint: ENDPOINT,
        condition: node.endpoint(ENDPOINT)?.condition,
        value: node.bound('sample', ENDPOINT)?.value ?? null,
      }),
    }),
  ],
  room(node) {
    const { hooks } = node;
    hooks.classify.tap('sample', classify);
    hooks.bind.for('sample').tapPromise('sample', (candidate) =>
      bind(candidate, (value) => {
        node.event({ type: 'sample_read', endpoint: candidate.endpoint.id, value });
      }),
    );
  },
});

/** What `bind` returns is kept by the node: `node.bound('sample', …)` has this type. */
declare module 'tillnode/registry' {
  interface BoundKinds {
    sample: LineReader;
  }
}
