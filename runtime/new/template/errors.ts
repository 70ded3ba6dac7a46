/** What this room refuses with, in addition to what every route does. */
import type { ErrorRow } from 'tillnode/plugin';

export const errors: readonly ErrorRow[] = [
  {
    code: 'sample_missing',
    status: 409,
    retry: 'no',
    meaning: 'no sample is plugged in and driven',
  },
  {
    code: 'sample_failed',
    status: 409,
    retry: 'sometimes',
    meaning: 'the sample did not take all of it',
  },
];
