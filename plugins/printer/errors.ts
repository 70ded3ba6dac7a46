/** Error codes of this room (specification section 7). */
import type { ErrorRow } from '../../runtime/kernel/errors.ts';

/** Rows for the error table of the node: code, HTTP status, meaning. */
export const errors: readonly ErrorRow[] = [
  { code: 'unsupported_line_type', status: 422, retry: 'no', meaning: 'a line of a type this build cannot encode' },
  {
    code: 'render_too_large',
    status: 422,
    retry: 'no',
    meaning: 'the job is larger than its buffer, takes over 20 m of paper or too long to draw; nothing was written',
  },
  {
    code: 'render_alloc_failed',
    status: 409,
    retry: 'yes',
    meaning: 'the node is short of memory, or many jobs wait to be drawn',
  },
  { code: 'no_printer', status: 409, retry: 'no', meaning: 'no printer is bound' },
  { code: 'no_drawer', status: 409, retry: 'no', meaning: 'no printer is bound to kick a drawer through' },
  { code: 'unsupported_command_set', status: 409, retry: 'no', meaning: 'the printer speaks another language' },
];
