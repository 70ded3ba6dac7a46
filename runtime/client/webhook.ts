/** Verification of webhooks, for the program that receives them (specification 6.2). */
import type { WebhookMessage } from './types.ts';

/**
 * Verifies a webhook (HMAC-SHA256, RFC 2104). Resolves with its message; undefined if the signature is not valid for
 * these bytes and this secret. `body`: the bytes as received; `signature`: the header field X-NODE-Signature. A message
 * may arrive twice or be replayed: store the signatures to recognise that.
 */
export async function verifyWebhook(
  body: Uint8Array | ArrayBuffer,
  signature: string | null | undefined,
  secret: string,
): Promise<WebhookMessage | undefined> {
  const [, hex] = /^sha256=([0-9a-f]{64})$/i.exec(signature ?? '') ?? [];
  if (hex === undefined || secret === '') return undefined;
  const shown = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, ['sign']);
  const own = new Uint8Array(await crypto.subtle.sign('HMAC', key, body as Uint8Array<ArrayBuffer>));
  // Compares all bytes, so that the time does not reveal where they differ.
  if (own.reduce((difference, byte, index) => difference | (byte ^ (shown[index] ?? 0)), 0) !== 0) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as WebhookMessage;
  } catch {
    return undefined;
  }
}
