/** What a node refuses with, as the rooms declare it, and the error that carries it. */
/// <reference path="./virtual-client.d.ts" />
import { errors } from 'virtual:client';
import { CORE_ERRORS } from '../kernel/core-errors.ts';

/** Of the error table: `no`, as it stands; `yes`, later; `sometimes`, after looking. */
export type Retry = 'no' | 'yes' | 'sometimes';

const ROWS = new Map([...CORE_ERRORS, ...errors].map((row) => [row.code, row]));

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
