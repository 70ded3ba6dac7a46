/** The receiving end of a webhook (specification 6.2): is it this node's, and what does it say. */
import type { WebhookMessage } from './types.ts';

/**
 * The message, or undefined where the signature is not that of these bytes under this secret. `body`: the bytes as they
 * came; `signature`: the header X-NODE-Signature. A message may come twice, or be replayed: keep the signatures.
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
  // Every byte is looked at, so that the time says nothing of where they differ.
  if (own.reduce((difference, byte, index) => difference | (byte ^ (shown[index] ?? 0)), 0) !== 0) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as WebhookMessage;
  } catch {
    return undefined;
  }
}
