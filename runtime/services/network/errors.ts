/** The errors of this room (specification section 7). */
import type { ErrorRow } from '../../kernel/errors.ts';

export const errors: readonly ErrorRow[] = [
  { code: 'band_unsupported', status: 400, retry: 'no', meaning: 'the radio of this variant has no such band' },
  { code: 'invalid_provision', status: 422, retry: 'no', meaning: 'the Wi-Fi credentials are not valid' },
  {
    code: 'not_appliance',
    status: 409,
    retry: 'no',
    meaning: 'the network belongs to this machine: the node changes it only if it was started with --appliance',
  },
  {
    code: 'save_failed',
    status: 500,
    retry: 'sometimes',
    meaning: 'the Wi-Fi credentials could not be stored, or no join is possible; nothing changed',
  },
];
