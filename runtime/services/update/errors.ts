/** The errors of this room (specification section 7). */
import type { ErrorRow } from '../../kernel/errors.ts';

export const errors: readonly ErrorRow[] = [
  { code: 'ota_busy', status: 409, retry: 'yes', meaning: 'an update or a revert is in progress' },
  { code: 'image_invalid', status: 422, retry: 'no', meaning: 'not an image that this node accepts' },
  { code: 'image_too_large', status: 413, retry: 'no', meaning: 'the image exceeds the size limit' },
  {
    code: 'image_wrong_variant',
    status: 422,
    retry: 'no',
    meaning: 'the image is for other hardware; X-NODE-Allow-Variant-Change: 1 accepts it',
  },
  {
    code: 'image_digest_mismatch',
    status: 422,
    retry: 'no',
    meaning: 'the digest of the bytes is not X-NODE-Image-Sha256, or that field is not valid',
  },
  { code: 'ota_write_failed', status: 500, retry: 'no', meaning: 'the image could not be written to the slot' },
  {
    code: 'no_launcher',
    status: 409,
    retry: 'no',
    meaning: 'the node was started without its launcher: nothing can be installed',
  },
  { code: 'update_disabled', status: 409, retry: 'no', meaning: 'updates are disabled on this node' },
  { code: 'restart_pending', status: 409, retry: 'yes', meaning: 'an update is in progress or waits for the restart' },
];
