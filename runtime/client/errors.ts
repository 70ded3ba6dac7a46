/** The error of the client, and the error table that the rooms declare. */
/// <reference path="./virtual-errors.d.ts" />
import { errors } from 'virtual:client';
import { CORE_ERRORS } from '../kernel/core-errors.ts';

/**
 * Whether to repeat a request: `no`: not unchanged; `yes`: later; `sometimes`: after checking the state of the node.
 */
export type Retry = 'no' | 'yes' | 'sometimes';

const ROWS = new Map([...CORE_ERRORS, ...errors].map((row) => [row.code, row]));

/** What is known about a failed request beside its code. */
export interface Circumstances {
  /** Default: as the error table says. */
  readonly retry?: Retry;
  readonly mayHavePrinted?: boolean;
}

/**
 * A failed request. `code` is a code of the node's error table, which is an open set; `unreachable` if there was no
 * complete response; `bad_answer` if the response is not one of a node.
 */
export class NodeError extends Error {
  /** `instanceof` also accepts errors of another copy of this client: `tillnode/testing` contains one. */
  static {
    const isOne = (value: unknown): boolean => {
      const { name, mayHavePrinted } = Object(value) as { readonly name?: unknown; readonly mayHavePrinted?: unknown };
      return name === 'NodeError' && typeof mayHavePrinted === 'boolean';
    };
    Object.defineProperty(NodeError, Symbol.hasInstance, { value: isOne });
  }

  readonly code: string;
  /** HTTP status; 0 if there was no response. */
  readonly status: number;
  readonly detail: string | undefined;
  /** As the error table says; `no` for a code that this client does not know. */
  readonly retry: Retry;
  /** The meaning of the code, in English; undefined if this client does not know it. */
  readonly meaning: string | undefined;
  /** Bytes may have reached the printer: somebody must look at the paper before the request is repeated. */
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
