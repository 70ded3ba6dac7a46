/** One row of the error table (specification section 7). */
export interface ErrorRow {
  readonly code: string;
  readonly status: number;
  /** What a client may do: never, at once, or only after looking. */
  readonly retry: 'no' | 'yes' | 'sometimes';
  readonly meaning: string;
}

/** A refusal with a code of the error table. Thrown by handlers; the HTTP front turns it into the envelope. */
export class ApiError extends Error {
  readonly code: string;
  readonly detail: string | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  constructor(code: string, detail?: string, headers?: Readonly<Record<string, string>>) {
    super(detail ? `${code}: ${detail}` : code);
    this.name = 'ApiError';
    this.code = code;
    this.detail = detail;
    this.headers = headers;
  }
}
