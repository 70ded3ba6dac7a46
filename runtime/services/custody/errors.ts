/** The errors of this room (specification section 7). */
import type { ErrorRow } from '../../kernel/errors.ts';

export const errors: readonly ErrorRow[] = [
  {
    code: 'custody_hold',
    status: 409,
    retry: 'no',
    meaning: 'the stored settings were lost: hold the button for about 5 seconds first',
  },
];
