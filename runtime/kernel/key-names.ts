/** The names of what has to do with keys of idempotency (keys.ts), for images and the build alike. */

/** The header field of a request, and that of a stored answer. */
export const IDEMPOTENCY_KEY = 'Idempotency-Key';
export const IDEMPOTENCY_REPLAYED = 'Idempotency-Replayed';
/** The header field of a request that may have been sent before: what GET /status told before that (`idempotency.mark`). */
export const IDEMPOTENCY_MARK = 'Idempotency-Mark';
/** What a key is: 1 to 64 printable ASCII characters. */
export const KEY_PATTERN = '^[ -~]{1,64}$';

/** The schema of a line (keys-schema.ts). */
export const STORED = { $id: 'StoredKey' } as const;
