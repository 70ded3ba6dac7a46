/** V8's garbage collector, for who knows a better moment than V8 does. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects what nothing refers to: of the young objects alone, else of all, about two milliseconds for each megabyte in use. */
export type Collect = (options?: { readonly type: 'minor' }) => void;

/** V8 gives access to its collector to contexts that are created while the flag is set. */
export function collector(): Collect {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  return collect;
}
