/** The room `capture`, the diagnostic ring: records transfers while it is on, and streams the records. */
import { noStream } from '../../http/streams.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Node } from '../../kernel/node.ts';
import { definePlugin, routesOf } from '../../kernel/plugin.ts';
import { Capture, CaptureMark, CaptureMarked, CaptureRecord } from './contract.ts';
import { errors } from './errors.ts';
import { Recorder } from './recorder.ts';

const route = routesOf<Recorder>();

export default definePlugin({
  name: 'capture',
  api: 2,
  config: [{ key: 'capture', schema: Capture, default: false }],
  adds: { 'PUT /config': ['capture_alloc_failed'] },
  errors,
  routes: [
    route({
      method: 'GET',
      path: '/capture',
      tier: 'none',
      summary: 'the records of the diagnostic ring, oldest first, one per line',
      response: CaptureRecord,
      type: 'application/x-ndjson; charset=utf-8',
      // Without a stream: a client that asks hundreds of times and reads nothing makes none.
      handle: ({ room, request }) => (request.method === 'HEAD' ? noStream() : room.isNew ? '' : room.stream()),
    }),
    route({
      method: 'POST',
      path: '/capture/mark',
      tier: 'strict',
      summary: 'add a mark to the diagnostic ring',
      body: { schema: CaptureMark, invalid: 'invalid_body' },
      response: CaptureMarked,
      errors: ['capture_off', 'invalid_body'],
      before: ({ node }) => requireOn(node),
      handle: ({ node, room, body }) => {
        // It may have been switched off while the body was read.
        requireOn(node);
        return { ok: true, seq: room.mark(body.text) };
      },
    }),
  ],
  room(node) {
    const recorder = new Recorder(node);
    node.hooks.transfer.tap('capture', (record) => recorder.record(record));
    node.hooks.configure.for('capture').tap('capture', ({ value }) => {
      if (!value) recorder.off();
      else if (!recorder.on()) throw new ApiError('capture_alloc_failed');
    });
    node.hooks.start.tap('capture', () => {
      if (node.config.get('capture') && !recorder.on()) node.log.warn({}, 'no memory for the diagnostic ring');
    });
    node.hooks.stop.tap('capture', () => recorder.off());
    return recorder;
  },
});

function requireOn({ recording }: Node): void {
  if (!recording) throw new ApiError('capture_off');
}
