/** Reads response bodies, with limits of size and time. */
import type { Deadline } from './deadline.ts';
import { NodeError } from './errors.ts';

/** Larger than any response of a node. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;
const MAX_LINE = 256 * 1024;

/** The chunks of a body; with a deadline, each must arrive within `silenceMs`. Rejects with the reason of the signal. */
async function* chunksOf(
  response: Response,
  signal: AbortSignal,
  deadline?: Deadline,
  silenceMs = 0,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { body } = response;
  if (body === null || body === undefined) return;
  const reader = readerOf(body);
  // Node 20 itself forgets the signal of a request that was collected while its response was read.
  const cancel = () => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', cancel);
  try {
    while (true) {
      deadline?.start(silenceMs);
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      deadline?.stop();
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}

interface Reader {
  read(): Promise<IteratorResult<Uint8Array<ArrayBuffer>, unknown>>;
  cancel(): Promise<unknown>;
}

/** node-fetch gives a stream of Node. */
function readerOf(body: ReadableStream<Uint8Array<ArrayBuffer>> | AsyncIterable<Uint8Array<ArrayBuffer>>): Reader {
  if ('getReader' in body) return body.getReader();
  const chunks = body[Symbol.asyncIterator]();
  return { read: () => chunks.next(), cancel: async () => chunks.return?.() };
}

/** True where this fetch gives no body as it arrives (React Native). */
export const isWhole = ({ body }: Response): boolean => body === null || body === undefined;

/** The whole body. Rejects with a `NodeError` `bad_answer` if it has more than 32 MiB, or with the reason of the signal. */
export async function blobOf(response: Response, signal: AbortSignal): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  if (isWhole(response)) return response.blob();
  for await (const chunk of chunksOf(response, signal)) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new NodeError('bad_answer', response.status, `over ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new Blob(chunks, { type: response.headers.get('Content-Type') ?? '' });
}

/** The body as JSON; undefined if it is not JSON. Rejects as `blobOf`. */
export async function jsonOf(response: Response, signal: AbortSignal): Promise<unknown> {
  const text = isWhole(response) ? await response.text() : await (await blobOf(response, signal)).text();
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Yields lines as they arrive, ended by LF, CR or both; an incomplete last line is dropped. Throws a `NodeError`
 * `bad_answer` for a line over 262,144 characters; the deadline aborts the request after `silenceMs` without data.
 */
export async function* linesOf(response: Response, deadline: Deadline, silenceMs: number): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let held = '';
  for await (const chunk of chunksOf(response, deadline.signal, deadline, silenceMs)) {
    held += decoder.decode(chunk, { stream: true });
    // A CR at the end may be the first half of CR LF.
    const lines = held.split(/\r\n|\n|\r(?!$)/);
    held = lines.pop() ?? '';
    if (held.length > MAX_LINE)
      throw new NodeError('bad_answer', response.status, `a line over ${MAX_LINE} characters`);
    yield* lines;
  }
}
