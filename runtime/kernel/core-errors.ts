/** Error codes of every image (specification section 7, an open set). */
import type { ErrorRow } from './errors.ts';

export const CORE_ERRORS: readonly ErrorRow[] = [
  { code: 'invalid_json', status: 400, retry: 'no', meaning: 'the body is not JSON' },
  { code: 'invalid_body', status: 400, retry: 'sometimes', meaning: 'the body is too large, or did not arrive whole' },
  { code: 'not_found', status: 404, retry: 'no', meaning: 'no such path' },
  { code: 'method_not_allowed', status: 405, retry: 'no', meaning: 'the path is served, with other verbs' },
  { code: 'api_locked', status: 401, retry: 'no', meaning: 'the API key is needed and was missing or wrong' },
  { code: 'ota_locked', status: 401, retry: 'no', meaning: 'the update key is needed and was missing or wrong' },
  { code: 'unknown_endpoint', status: 422, retry: 'no', meaning: 'no endpoint of that id takes this command' },
  {
    code: 'persist_failed',
    status: 500,
    retry: 'sometimes',
    meaning: 'the setting could not be stored; nothing changed',
  },
  {
    code: 'invalid_config',
    status: 422,
    retry: 'no',
    meaning: 'a setting is unknown, of the wrong shape or against a rule',
  },
  { code: 'cloud_not_configured', status: 409, retry: 'no', meaning: 'no cloud URL and token are set' },
  { code: 'invalid_command', status: 422, retry: 'no', meaning: 'the command does not have its shape' },
  { code: 'origin_refused', status: 403, retry: 'no', meaning: 'a web page of another origin asked' },
  { code: 'host_refused', status: 421, retry: 'no', meaning: 'the Host header does not name this node' },
  { code: 'expectation_failed', status: 417, retry: 'no', meaning: 'Expect names something other than 100-continue' },
  {
    code: 'busy',
    status: 409,
    retry: 'yes',
    meaning: 'others are served first, or too many commands wait; nothing was written',
  },
  { code: 'write_failed', status: 409, retry: 'no', meaning: 'the outcome may be partial; look at the paper' },
  { code: 'restarting', status: 503, retry: 'yes', meaning: 'the node is about to restart; nothing was printed' },
  {
    code: 'key_in_use',
    status: 409,
    retry: 'yes',
    meaning: 'a request with this idempotency key is under way; its result is not known yet',
  },
  {
    code: 'idempotency_mismatch',
    status: 422,
    retry: 'no',
    meaning: 'this idempotency key was used for another request; nothing was printed',
  },
  {
    code: 'internal',
    status: 500,
    retry: 'sometimes',
    meaning: 'a fault of the node, its log says where; nothing was printed',
  },
];
