/** Bodies of answers, read with a bound and within a time. */
import type { Deadline } from './deadline.ts';
import { NodeError } from './errors.ts';

/** More than any picture, roll of paper or ring of a node. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;
const MAX_LINE = 256 * 1024;

/** Each chunk must come within `silenceMs` of being waited for. */
async function* chunksOf(
  response: Response,
  deadline?: Deadline,
  silenceMs = 0,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  try {
    while (true) {
      deadline?.start(silenceMs);
      const { done, value } = await reader.read();
      if (done) return;
      deadline?.stop();
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

export async function blobOf(response: Response): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of chunksOf(response)) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new NodeError('bad_answer', response.status, `over ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new Blob(chunks, { type: response.headers.get('Content-Type') ?? '' });
}

/** Undefined where it is not JSON. */
export async function jsonOf(response: Response): Promise<unknown> {
  const text = await (await blobOf(response)).text();
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Lines as they come, ended by LF, CR or both; what follows the last end is no line. */
export async function* linesOf(response: Response, deadline: Deadline, silenceMs: number): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let held = '';
  for await (const chunk of chunksOf(response, deadline, silenceMs)) {
    held += decoder.decode(chunk, { stream: true });
    // A CR that stands last may be half of an end.
    const lines = held.split(/\r\n|\n|\r(?!$)/);
    held = lines.pop() ?? '';
    if (held.length > MAX_LINE)
      throw new NodeError('bad_answer', response.status, `a line over ${MAX_LINE} characters`);
    yield* lines;
  }
}
