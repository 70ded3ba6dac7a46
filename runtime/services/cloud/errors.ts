/** What this room refuses with (specification section 7). */
import type { ErrorRow } from '../../kernel/errors.ts';

export const errors: readonly ErrorRow[] = [
  {
    code: 'cloud_unreachable',
    status: 502,
    retry: 'yes',
    meaning: 'the cloud did not answer, or not with what was asked for; detail says more',
  },
];
