/** What this room refuses with (specification section 7). */
import type { ErrorRow } from '../../kernel/errors.ts';

export const errors: readonly ErrorRow[] = [
  {
    code: 'compose_failed',
    status: 502,
    retry: 'yes',
    meaning: 'the cloud did not compose: its status in detail; 500 where the node is out of memory',
  },
];
