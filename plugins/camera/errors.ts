/** Error codes of this room (specification section 7). */
import type { ErrorRow } from '../../runtime/kernel/errors.ts';

/** Rows for the error table of the node: code, HTTP status, meaning. */
export const errors: readonly ErrorRow[] = [
  { code: 'no_camera', status: 409, retry: 'no', meaning: 'no camera is plugged in' },
  { code: 'capture_failed', status: 409, retry: 'yes', meaning: 'the camera gave no picture; nothing was stored' },
  { code: 'stream_busy', status: 409, retry: 'yes', meaning: 'somebody else watches the stream' },
];
