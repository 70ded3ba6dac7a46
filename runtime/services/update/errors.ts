/** The errors of this room (specification section 7). */
import type { ErrorRow } from '../../kernel/errors.ts';

export const errors: readonly ErrorRow[] = [
  { code: 'ota_busy', status: 409, retry: 'yes', meaning: 'an update or a revert is under way' },
  { code: 'image_invalid', status: 422, retry: 'no', meaning: 'not an image that this node takes' },
  { code: 'image_too_large', status: 413, retry: 'no', meaning: 'the image is larger than any can be' },
  {
    code: 'image_wrong_variant',
    status: 422,
    retry: 'no',
    meaning: 'the image is for other hardware; X-NODE-Allow-Variant-Change: 1 takes it all the same',
  },
  {
    code: 'image_digest_mismatch',
    status: 422,
    retry: 'no',
    meaning: 'the bytes are not those of X-NODE-Image-Sha256, or that is none',
  },
  { code: 'ota_write_failed', status: 500, retry: 'no', meaning: 'the slot did not take the image' },
  {
    code: 'no_launcher',
    status: 409,
    retry: 'no',
    meaning: 'the node was started without its launcher: nothing can be installed',
  },
  { code: 'update_disabled', status: 409, retry: 'no', meaning: 'the local kill switch is off' },
  { code: 'restart_pending', status: 409, retry: 'yes', meaning: 'an installed image waits for its restart' },
];
