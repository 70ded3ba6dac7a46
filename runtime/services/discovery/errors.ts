/** The error rows of this room (specification section 7). */
import type { ErrorRow } from '../../kernel/errors.ts';

export const errors: readonly ErrorRow[] = [
  {
    code: 'profile_switch_failed',
    status: 500,
    retry: 'no',
    meaning: 'the profile could not be announced; the old one is in force again',
  },
  {
    code: 'profile_rollback_failed',
    status: 500,
    retry: 'no',
    meaning: 'the profile could not be announced and neither could the old one; reboot',
  },
];
