/** The errors of the fleet: rows as those of a node, and the two shapes in which its routes throw them. */
import { ApiError, type ErrorRow } from '../../kernel/errors.ts';

const ROWS = [
  { code: 'invalid_json', status: 400, retry: 'sometimes', meaning: 'the body is not JSON, or did not arrive whole' },
  {
    code: 'invalid_request',
    status: 422,
    retry: 'no',
    meaning: 'a field or parameter is not as described; detail names it',
  },
  { code: 'unauthorized', status: 401, retry: 'no', meaning: 'no token, or not the right one' },
  {
    code: 'code_needed',
    status: 401,
    retry: 'no',
    meaning: 'the password is right, and the code of the second factor is to come with it',
  },
  {
    code: 'forbidden',
    status: 403,
    retry: 'no',
    meaning: 'the role is not enough, or the request came from the page of somebody else',
  },
  { code: 'not_found', status: 404, retry: 'no', meaning: 'there is no such thing' },
  { code: 'method_not_allowed', status: 405, retry: 'no', meaning: 'the path has no such method' },
  { code: 'conflict', status: 409, retry: 'sometimes', meaning: 'not in this state; detail says why' },
  { code: 'body_too_large', status: 413, retry: 'no', meaning: 'the body is longer than the route takes' },
  {
    code: 'too_many_attempts',
    status: 429,
    retry: 'yes',
    meaning: 'too many wrong passwords; Retry-After says when to come again',
  },
  { code: 'internal', status: 500, retry: 'sometimes', meaning: 'a fault of the fleet' },
  { code: 'compose_failed', status: 502, retry: 'yes', meaning: 'the model did not answer, or not with lines' },
  {
    code: 'busy',
    status: 503,
    retry: 'yes',
    meaning:
      'the database, the bucket of images or the OpenID provider is away, too much is waiting or a disk is full; Retry-After says when to come again',
  },
] as const satisfies readonly ErrorRow[];
export type ErrorCode = (typeof ROWS)[number]['code'];

/** The table of errors, by code. */
export const ERRORS: ReadonlyMap<string, ErrorRow> = new Map(ROWS.map((row) => [row.code, row]));

/** A refusal of a request. */
export class Refusal extends ApiError {
  /** Further fields of the envelope. */
  readonly more: object;
  constructor(code: Exclude<ErrorCode, 'busy' | 'too_many_attempts' | 'internal'>, detail?: string, more: object = {}) {
    super(code, detail);
    this.more = more;
  }
}

/** In seconds; spread, so that not all come again at once. */
const soon = () => 1 + Math.floor(Math.random() * 5);

/** More waits than is taken, the database is away, or too much was tried: `Retry-After` says when to come again. */
export class Busy extends ApiError {
  /** `retryAfter`: in seconds. */
  constructor(detail?: string, retryAfter = soon(), code: 'busy' | 'too_many_attempts' = 'busy') {
    super(code, detail, { 'Retry-After': String(retryAfter) });
  }
}

/** The header fields of an error, also where what node and fleet share has thrown it. */
export const fieldsOf = ({ code, headers }: ApiError): Readonly<Record<string, string>> => ({
  // Who is not known is told how to say it (RFC 9110, 15.5.2).
  ...(code === 'unauthorized' && { 'WWW-Authenticate': 'Bearer' }),
  ...(code === 'busy' && { 'Retry-After': String(soon()) }),
  ...headers,
});
