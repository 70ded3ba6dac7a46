/** What this room refuses with. */
import type { ErrorRow } from 'tillnode/plugin';

export const errors: readonly ErrorRow[] = [
  { code: 'no_display', status: 409, retry: 'no', meaning: 'no display is plugged in and driven' },
  { code: 'display_failed', status: 409, retry: 'yes', meaning: 'the display did not take all of it; show it again' },
];
