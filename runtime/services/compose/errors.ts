/** The errors of this room (specification section 7). */
import type { ErrorRow } from '../../kernel/errors.ts';

export const errors: readonly ErrorRow[] = [
  {
    code: 'compose_failed',
    status: 502,
    retry: 'yes',
    meaning: 'the cloud sent no lines: its status is in detail; 500 if the node is out of memory',
  },
];
