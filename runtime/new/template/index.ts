/** The sample room: GET /sample, and an event for every reading. */
import { definePlugin, type Node, route } from 'tillnode/plugin';
import { bind, classify } from './bind.ts';
import { lineCodec } from './codec.ts';
import { SampleBlock, SampleRead } from './contract.ts';
import type { LineReader } from './reader.ts';

const ENDPOINT = 'sample';
/** The device that each running node has bound. */
const bound = new WeakMap<Node, LineReader>();

export default definePlugin({
  name: 'sample',
  api: 2,
  endpoints: [{ id: ENDPOINT, kind: 'sample', transport: 'usb', capabilities: ['read'] }],
  codecs: [lineCodec],
  events: [{ type: 'sample_read', schema: SampleRead }],
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
        value: bound.get(node)?.value ?? null,
      }),
    }),
  ],
  room(node) {
    const { hooks } = node;
    hooks.classify.tap('sample', classify);
    hooks.bind.for('sample').tapPromise('sample', async (candidate) => {
      const answer = await bind(candidate, (value) => {
        node.event({ type: 'sample_read', endpoint: ENDPOINT, value });
      });
      if ('release' in answer) bound.set(node, answer);
      return answer;
    });
    hooks.detach.tap('sample', (endpoint) => {
      if (endpoint === ENDPOINT) bound.delete(node);
    });
  },
});
