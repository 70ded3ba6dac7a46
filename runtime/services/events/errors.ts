/** The errors of this room (specification section 7). */
import type { ErrorRow } from '../../kernel/errors.ts';

export const errors: readonly ErrorRow[] = [
  { code: 'no_slots', status: 503, retry: 'yes', meaning: 'every stream slot is taken' },
];
