/** Error codes of this room. */
import type { ErrorRow } from '../../runtime/kernel/errors.ts';

/** Rows for the error table of the node. */
export const errors: readonly ErrorRow[] = [
  {
    code: 'no_adapter',
    status: 409,
    retry: 'no',
    meaning: 'no serial adapter that nothing is assigned to is on this port, or it could not be opened',
  },
];
