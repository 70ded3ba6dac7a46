/** A system bundle, sent to a machine as its owner sends it. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { sha256 } from './bundles.ts';

/** The update key, which the owner of a node sets first. */
export const KEY = 'keep-this-key-to-yourself';

/** Sets that key. Rejects if the node at this address does not take it. */
export async function setUpdateKey(url: string): Promise<void> {
  const response = await fetch(`${url}/update`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${KEY}` },
    body: JSON.stringify({ updateKey: KEY }),
  });
  if (response.status !== 200) throw new Error(`the update key is refused: ${response.status}`);
}

/** The header fields of a bundle with this digest. */
export const headersOf = (digest: string) => ({
  'X-NODE-Image-Sha256': digest,
  'Content-Type': 'application/octet-stream',
  Authorization: `Bearer ${KEY}`,
});

/**
 * Sends a bundle; resolves with the status of the answer, and its error if it has one. Unlike fetch it waits for the answer
 * as long as it is told to; rejects after that. `digest`: what is said to be sent.
 */
export async function upload(
  url: string,
  bytes: Buffer,
  timeoutMs: number,
  digest = sha256(bytes),
): Promise<{ readonly status: number | undefined; readonly error?: string }> {
  const headers = { ...headersOf(digest), 'Content-Length': bytes.length };
  const signal = AbortSignal.timeout(timeoutMs);
  const sender = request(`${url}/update`, { method: 'POST', headers, agent: false, signal });
  sender.end(bytes);
  const [response] = (await once(sender, 'response')) as [IncomingMessage];
  const { error } = (await json(response)) as { error?: string };
  return { status: response.statusCode, ...(error !== undefined && { error }) };
}
