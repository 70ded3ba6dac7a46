/** The request of POST /update: its header fields, and the image in its body. */
import type { IncomingMessage } from 'node:http';
import { isTruncated } from '../../http/body.ts';
import { HEADER_BYTES, SIGNATURE_BYTES } from '../../image/format.ts';
import type { IncomingImage } from '../../image/updates.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Admission } from '../../kernel/plugin.ts';

/** The longest silence of a sender, and the average rate that it must keep. */
const PATIENCE = { silenceMs: 30_000, bytesPerSecond: 4096 };
/** Limits of a sender; tests change them. */
export type UploadPatience = typeof PATIENCE;

/**
 * The image of a request, whose body is read later; at most `limitBytes` long. Throws `image_invalid`, `image_too_large` or
 * `image_digest_mismatch` if the header fields are not valid.
 */
export function uploadOf(
  request: IncomingMessage,
  limitBytes: number,
  admission: Admission,
  patience: Partial<UploadPatience> = {},
): IncomingImage {
  const { headers } = request;
  const declared = headers['content-length'];
  if (declared === undefined) throw new ApiError('image_invalid', 'Content-Length is missing');
  const length = Number(declared);
  if (length > limitBytes) throw new ApiError('image_too_large', `at most ${limitBytes} bytes`);
  if (length < HEADER_BYTES + SIGNATURE_BYTES)
    throw new ApiError('image_invalid', `${length} bytes are too short for an image`);
  const sha256 = String(headers['x-node-image-sha256'] ?? '').toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(sha256)) {
    throw new ApiError('image_digest_mismatch', 'X-NODE-Image-Sha256 must be 64 hexadecimal characters');
  }
  return {
    length,
    sha256,
    anyVariant: headers['x-node-allow-variant-change'] === '1',
    admitted: admission.check,
    chunks: bodyOf(request, length, admission.revoked, { ...PATIENCE, ...patience }),
  };
}

/**
 * The chunks of the body, read at the pace of the consumer. Every byte gives its sender more time, up to the longest
 * silence; if the time is used up, it throws `invalid_body`; if the key of its sender is, the reason of `revoked`. The time that the consumer needs is not counted.
 */
async function* bodyOf(
  request: IncomingMessage,
  length: number,
  revoked: AbortSignal,
  { silenceMs, bytesPerSecond }: UploadPatience,
): AsyncGenerator<Buffer> {
  let leftMs = silenceMs;
  let arrived = 0;
  for (;;) {
    revoked.throwIfAborted();
    const chunk = request.read() as Buffer | null;
    if (chunk !== null) {
      arrived += chunk.length;
      leftMs = Math.min(silenceMs, leftMs + (chunk.length * 1000) / bytesPerSecond);
      yield chunk;
    } else if (request.readableEnded || request.destroyed || isTruncated(request)) {
      return;
    } else {
      const from = performance.now();
      if (!(await readable(request, leftMs, revoked))) {
        throw new ApiError('invalid_body', `the upload stalled: ${arrived} of ${length} bytes arrived`);
      }
      leftMs -= performance.now() - from;
    }
  }
}

/** Resolves with true when there is data, the body has ended or its sender is not admitted any more, with false after `timeoutMs`. */
function readable(request: IncomingMessage, timeoutMs: number, revoked: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (inTime: boolean) => {
      clearTimeout(deadline);
      request.off('readable', done).off('end', done).off('close', done).off('truncated', done);
      revoked.removeEventListener('abort', done);
      resolve(inTime);
    };
    const done = () => settle(true);
    const deadline = setTimeout(() => settle(false), Math.max(0, timeoutMs));
    request.on('readable', done).on('end', done).on('close', done).on('truncated', done);
    revoked.addEventListener('abort', done);
  });
}
