/** fetch for the node's client by node:http: the built-in one takes as much memory as all the rest of this program. */
import {
  Agent,
  request as httpRequest,
  type IncomingMessage,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http';
import { request as httpsRequest, Agent as SecureAgent } from 'node:https';

/** Shorter than the keep-alive of a node, so that no request goes into a connection that it closes. */
const KEEP_MS = 1000;
const AGENTS = {
  http: new Agent({ keepAlive: true, timeout: KEEP_MS }),
  https: new SecureAgent({ keepAlive: true, timeout: KEEP_MS }),
};

/** What the client uses of a response. */
interface LeanResponse extends Pick<Response, 'ok' | 'status'> {
  readonly headers: Pick<Headers, 'get'>;
  readonly body: IncomingMessage;
}

/** As fetch, for what the client asks of it: bodies of text, responses that are read as they arrive. */
export const leanFetch = (async (input: string, { method = 'GET', headers, body, signal }: RequestInit = {}) => {
  const secure = input.startsWith('https:');
  // The client gives Headers, or what stands for them.
  const fields = Object.fromEntries((headers ?? []) as Iterable<readonly [string, string]>);
  return new Promise<LeanResponse>((resolve, reject) => {
    const options = { method, headers: fields, agent: secure ? AGENTS.https : AGENTS.http, ...(signal && { signal }) };
    const asked = (secure ? httpsRequest : httpRequest)(input, options, (response) => {
      const { statusCode: status = 0, headers: got } = response;
      const get = (name: string) => got[name.toLowerCase()]?.toString() ?? null;
      resolve({ ok: status >= 200 && status <= 299, status, headers: { get }, body: response });
    });
    asked.once('error', reject);
    asked.end(typeof body === 'string' ? body : undefined);
  });
}) as unknown as typeof fetch;

/** As Headers, for what the client asks of them: each name has one value. Throws a TypeError as they do. */
class LeanHeaders extends Map<string, string> {
  override set(name: string, value: string): this {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return super.set(name.toLowerCase(), value);
  }

  override delete(name: string): boolean {
    return super.delete(name.toLowerCase());
  }
}

/** For a process of its own: the first use of the built-in Headers loads all of the built-in fetch. */
export const useLeanHeaders = (): void => void Object.defineProperty(globalThis, 'Headers', { value: LeanHeaders });
