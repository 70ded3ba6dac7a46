/** The errors of the fleet: what goes wrong, with the HTTP status. The body is the envelope that nodes have, too. */

/** Code, status and meaning of each error. */
export const ERRORS = {
  invalid_json: { status: 400, meaning: 'the body is not JSON' },
  invalid_request: { status: 422, meaning: 'a field or parameter is not as described; detail names it' },
  unauthorized: { status: 401, meaning: 'no token, or not the right one' },
  code_needed: { status: 401, meaning: 'the password is right, and the code of the second factor is to come with it' },
  forbidden: { status: 403, meaning: 'the role is not enough, or the request came from the page of somebody else' },
  not_found: { status: 404, meaning: 'there is no such thing' },
  method_not_allowed: { status: 405, meaning: 'the path has no such method' },
  conflict: { status: 409, meaning: 'not in this state; detail says why' },
  body_too_large: { status: 413, meaning: 'the body is longer than the route takes' },
  too_many_attempts: { status: 429, meaning: 'too many wrong passwords; Retry-After says when to come again' },
  internal: { status: 500, meaning: 'a fault of the fleet' },
  compose_failed: { status: 502, meaning: 'the model did not answer, or not with lines' },
  busy: {
    status: 503,
    meaning: 'the database is away, too much is waiting or a disk is full; Retry-After says when to come again',
  },
} as const satisfies Record<string, { status: number; meaning: string }>;
export type ErrorCode = keyof typeof ERRORS;

/** A refusal of a request. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly detail: string | undefined;
  /** Further fields of the envelope. */
  readonly more: object;
  constructor(code: ErrorCode, detail?: string, more: object = {}) {
    super(detail ?? code);
    this.code = code;
    this.detail = detail;
    this.more = more;
  }
}

/** More messages wait than are taken, or the database is away: `Retry-After` says when to come again. */
export class Busy extends Error {
  /** In seconds; spread, so that not all come again at once. */
  readonly retryAfter: number;
  constructor(message?: string, retryAfter = 1 + Math.floor(Math.random() * 5)) {
    super(message);
    this.retryAfter = retryAfter;
  }
}
