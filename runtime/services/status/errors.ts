/** The errors of this room (specification section 7). */
import type { ErrorRow } from '../../kernel/errors.ts';

export const errors: readonly ErrorRow[] = [
  { code: 'record_alloc_failed', status: 500, retry: 'yes', meaning: 'the node has no memory for the report' },
];
