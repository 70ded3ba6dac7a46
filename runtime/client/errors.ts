/** What a node refuses with, as the rooms declare it, and the error that carries it. */
import { errors as camera } from '../../plugins/camera/errors.ts';
import { errors as printer } from '../../plugins/printer/errors.ts';
import { errors as twin } from '../../plugins/twin/errors.ts';
import { CORE_ERRORS } from '../kernel/core-errors.ts';
import { errors as capture } from '../services/capture/errors.ts';
import { errors as cloud } from '../services/cloud/errors.ts';
import { errors as compose } from '../services/compose/errors.ts';
import { errors as custody } from '../services/custody/errors.ts';
import { errors as discovery } from '../services/discovery/errors.ts';
import { errors as events } from '../services/events/errors.ts';
import { errors as network } from '../services/network/errors.ts';
import { errors as status } from '../services/status/errors.ts';
import { errors as update } from '../services/update/errors.ts';

/** Of the error table: `no`, as it stands; `yes`, later; `sometimes`, after looking. */
export type Retry = 'no' | 'yes' | 'sometimes';

const ROWS = new Map(
  [
    ...[CORE_ERRORS, camera, printer, twin, capture, cloud, compose],
    ...[custody, discovery, events, network, status, update],
  ]
    .flat()
    .map((row) => [row.code, row]),
);

export interface Circumstances {
  /** Where the table does not say it. */
  readonly retry?: Retry;
  readonly mayHavePrinted?: boolean;
}

/**
 * What the node answered instead of what was asked for. `code` is one of its error table, which is open; `unreachable`
 * where no answer came or it broke off; `bad_answer` where something else than a node seems to have answered.
 */
export class NodeError extends Error {
  /** Also of another copy of this client: `tillnode/testing` brings its own, and a test may run in a realm of its own. */
  static {
    const isOne = (value: unknown): boolean => {
      const { name, mayHavePrinted } = Object(value) as { readonly name?: unknown; readonly mayHavePrinted?: unknown };
      return name === 'NodeError' && typeof mayHavePrinted === 'boolean';
    };
    Object.defineProperty(NodeError, Symbol.hasInstance, { value: isOne });
  }

  readonly code: string;
  /** Of HTTP; 0 where there was no answer. */
  readonly status: number;
  readonly detail: string | undefined;
  /** What the error table advises; `no` for a code that this client does not know. */
  readonly retry: Retry;
  /** The code in words, where this client knows it. */
  readonly meaning: string | undefined;
  /** Bytes may have reached the printer: look at the paper before anything is sent again. */
  readonly mayHavePrinted: boolean;
  constructor(code: string, status: number, detail?: string, { retry, mayHavePrinted = false }: Circumstances = {}) {
    super(detail ? `${code}: ${detail}` : code);
    const row = ROWS.get(code);
    this.name = 'NodeError';
    this.code = code;
    this.status = status;
    this.detail = detail;
    this.retry = retry ?? row?.retry ?? 'no';
    this.meaning = row?.meaning;
    this.mayHavePrinted = mayHavePrinted;
  }
}
