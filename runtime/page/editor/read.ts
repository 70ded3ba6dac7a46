/** What stands in an editor: the value, or everything that is wrong with it and where. */

import { parse, type Range } from '../../base/json-places.ts';
import { jsonFault, shapeFault } from '../kit/shape-faults.ts';
import { type Fault, faultsOf } from './check.ts';
import type { Schema } from './schema.ts';

export interface Mark extends Range {
  /** In words of the page. */
  readonly message: string;
  /** The fault of the shape; undefined where the text is no JSON, or the node said it. */
  readonly fault?: Fault;
}

export interface JsonReading {
  /** The value, in the shape that was asked for where there are no marks. */
  readonly value: unknown;
  readonly marks: readonly Mark[];
  /** Where the value at this path stands; the beginning where there is none. */
  place(path: string): Range;
}

const START: Range = { from: 0, to: 0 };

/** `root` is the path of the whole value. */
export function read(text: string, schema: Schema, root: string): JsonReading {
  const parsed = parse(text, root);
  if (!parsed.ok)
    return {
      value: undefined,
      marks: [{ ...parsed.at, message: jsonFault(parsed.fault) }],
      place: () => START,
    };
  const marks = faultsOf(schema, parsed.value, root).map((fault) => ({
    ...parsed.place(fault.path, fault.key),
    message: `${fault.path}: ${shapeFault(fault.shape)}`,
    fault,
  }));
  return { value: parsed.value, marks, place: (path) => parsed.place(path) };
}
