/** The diagnostic ring: records transfers while it is on, and streams what it holds. */
import { noStream } from '../../http/streams.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { type Call, definePlugin, route } from '../../kernel/plugin.ts';
import { Capture, CaptureMark, CaptureMarked, CaptureRecord } from './contract.ts';
import { errors } from './errors.ts';
import { Recorder } from './recorder.ts';

const recorders = new WeakMap<Kernel, Recorder>();

export default definePlugin({
  name: 'capture',
  api: 1,
  config: [{ key: 'capture', schema: Capture, default: false }],
  adds: { 'PUT /config': ['capture_alloc_failed'] },
  errors,
  routes: [
    route({
      method: 'GET',
      path: '/capture',
      tier: 'none',
      summary: 'what the diagnostic ring holds, oldest first, one record a line',
      response: CaptureRecord,
      type: 'application/x-ndjson; charset=utf-8',
      handle: ({ kernel, request }) => (request.method === 'HEAD' ? noStream() : recorders.get(kernel)?.stream()),
    }),
    route({
      method: 'POST',
      path: '/capture/mark',
      tier: 'strict',
      summary: 'write a remark into the diagnostic ring',
      body: { schema: CaptureMark, invalid: 'invalid_body' },
      response: CaptureMarked,
      errors: ['capture_off', 'invalid_body'],
      before: ({ kernel }) => void requireOn(kernel),
      handle: ({ kernel, body }: Call<CaptureMark>) => ({ ok: true, seq: requireOn(kernel).mark(body.text) }),
    }),
  ],
  apply(kernel) {
    const recorder = new Recorder(kernel);
    recorders.set(kernel, recorder);
    kernel.hooks.transfer.tap('capture', (record) => recorder.record(record));
    kernel.hooks.configure.for('capture').tap('capture', ({ value }) => {
      if (!value) recorder.off();
      else if (!recorder.on()) throw new ApiError('capture_alloc_failed');
    });
    kernel.hooks.start.tap('capture', () => {
      if (kernel.config.get<boolean>('capture') && !recorder.on())
        kernel.log.warn({}, 'no memory for the traffic ring');
    });
    kernel.hooks.stop.tap('capture', () => recorder.off());
  },
});

/** The switch may have gone off while a body was read. */
function requireOn(kernel: Kernel): Recorder {
  const recorder = recorders.get(kernel);
  if (recorder === undefined || !kernel.recording) throw new ApiError('capture_off');
  return recorder;
}
