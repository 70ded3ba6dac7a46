/**
 * What can be told of a node, by what there is to do about it: conditions and reasons (GET /status), outcomes (GET /jobs), codes
 * of the error table, states of a scale, and the two codes of the client. Every code stands in one topic.
 */

/** Topics, the likeliest at a till first, each with its codes; `do_TOPIC` of its words says what to do. */
export const TOPICS = {
  plug: [
    'never_seen',
    'gone',
    'no_printer',
    'no_drawer',
    'no_scanner',
    'no_scale',
    'no_camera',
    'no_adapter',
    'absent',
  ],
  paper: ['paper_out'],
  cover: ['cover_open'],
  offline: ['offline'],
  cable: ['silent', 'garbled', 'probe_failed', 'bad_descriptor', 'capture_failed'],
  doubt: ['uncertain', 'partial', 'write_failed'],
  failed: ['failed'],
  sent: ['accepted', 'confirmed', 'unconfirmed', 'bound'],
  busy: ['busy', 'running', 'restarting', 'no_slots', 'key_in_use', 'conflict', 'stream_busy'],
  held: ['claim_failed'],
  language: ['unsupported_language'],
  unknown: ['no_codec'],
  second: ['second_printer', 'second_scanner', 'second_scale', 'second_camera'],
  full: ['no_channel', 'refused'],
  variant: ['not_in_variant'],
  bus: ['no_bus', 'no_access'],
  scale: ['reading', 'asleep', 'under_zero', 'over_limit', 'needs_calibration', 'needs_rezero', 'fault'],
  reach: ['unreachable', 'bad_answer'],
  network: [
    ...['custody_hold', 'invalid_provision', 'band_unsupported', 'save_failed', 'not_appliance'],
    ...['profile_switch_failed', 'profile_rollback_failed'],
  ],
  key: ['api_locked', 'ota_locked'],
  browser: ['origin_refused', 'host_refused'],
  program: [
    ...['invalid_json', 'invalid_body', 'body_too_large', 'invalid_command', 'unknown_endpoint', 'wrong_endpoint_kind'],
    ...['unsupported_line_type', 'unsupported_command_set', 'render_too_large', 'idempotency_mismatch'],
    ...['not_found', 'method_not_allowed', 'expectation_failed'],
  ],
  settings: ['invalid_config', 'capture_off'],
  memory: ['internal', 'persist_failed', 'render_alloc_failed', 'capture_alloc_failed', 'record_alloc_failed'],
  update: [
    ...['no_image', 'image_invalid', 'image_too_large', 'image_wrong_variant', 'image_digest_mismatch', 'no_launcher'],
    ...['update_disabled', 'ota_busy', 'ota_write_failed', 'restart_pending'],
  ],
  cloud: ['cloud_not_configured', 'cloud_unreachable', 'compose_failed'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

const CODES = new Set<string>(Object.values(TOPICS).flat());

/** Whether something is said of this code. */
export const isKnown = (code: string): boolean => CODES.has(code);
