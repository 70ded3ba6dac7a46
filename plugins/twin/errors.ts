/** Error codes of this room (specification section 7). */
import type { ErrorRow } from '../../runtime/kernel/errors.ts';

/** Rows for the error table of the node: code, HTTP status, meaning. */
export const errors: readonly ErrorRow[] = [
  { code: 'body_too_large', status: 413, retry: 'no', meaning: 'twin only: the body is over its cap' },
  { code: 'wrong_endpoint_kind', status: 422, retry: 'no', meaning: 'twin only: the endpoint is of another kind' },
  { code: 'cover_open', status: 409, retry: 'yes', meaning: 'twin only: the cover is open; nothing was written' },
  { code: 'paper_out', status: 409, retry: 'yes', meaning: 'twin only: there is no paper; nothing was written' },
  { code: 'no_scanner', status: 409, retry: 'no', meaning: 'twin only: no virtual scanner has read the code' },
  { code: 'conflict', status: 409, retry: 'yes', meaning: 'twin only: a command of this id is in flight' },
  { code: 'no_scale', status: 409, retry: 'no', meaning: 'twin only: no virtual scale is plugged in' },
];
