/** The errors of this room (specification section 7). */
import type { ErrorRow } from '../../kernel/errors.ts';

export const errors: readonly ErrorRow[] = [
  {
    code: 'cloud_unreachable',
    status: 502,
    retry: 'yes',
    meaning: 'the cloud did not respond, or its response is not valid; detail says more',
  },
];
