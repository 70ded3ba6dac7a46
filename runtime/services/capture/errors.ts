/** The errors of this room (specification section 7). */
import type { ErrorRow } from '../../kernel/errors.ts';

export const errors: readonly ErrorRow[] = [
  { code: 'capture_off', status: 409, retry: 'no', meaning: 'the diagnostic ring does not record' },
  {
    code: 'capture_alloc_failed',
    status: 500,
    retry: 'sometimes',
    meaning: 'there is no memory for the diagnostic ring; nothing changed',
  },
];
