/** One row of the error table (specification section 7). */
export interface ErrorRow {
  readonly code: string;
  readonly status: number;
  /** Whether a client may repeat the request: `no`; `yes`, unchanged; `sometimes`, after checking the state. */
  readonly retry: 'no' | 'yes' | 'sometimes';
  readonly meaning: string;
}

/**
 * A refusal with a code of the error table, an optional detail for people and response headers. Handlers throw it; the
 * HTTP front sends it as the error envelope.
 */
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

/** An option of the command line with which this image cannot start. The message names the option and says why. */
export class OptionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'OptionError';
  }
}
