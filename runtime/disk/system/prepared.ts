/**
 * `tillnode.txt`, which somebody who prepares many media puts on their boot partition: one `key = value` in a line, `#`
 * begins a remark. It is taken once, at the first start, as calls of the node's own API.
 */

/** One call of the API. */
export interface Call {
  readonly method: 'PUT' | 'POST';
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Keys of the file, in the order in which they are taken: the network comes last, as the node leaves the one it is on. */
const KEYS: Readonly<Record<string, readonly [method: Call['method'], path: string, field: string]>> = {
  name: ['PUT', '/name', 'name'],
  'cloud.url': ['PUT', '/cloud', 'url'],
  'cloud.token': ['PUT', '/cloud', 'token'],
  'key.update': ['PUT', '/update', 'updateKey'],
  'key.api': ['PUT', '/config', 'apiKey'],
  mode: ['PUT', '/config', 'apiMode'],
  'wifi.ssid': ['POST', '/network', 'ssid'],
  'wifi.password': ['POST', '/network', 'password'],
};

const LOCKED = 401;

/** The text of a file, by its first bytes: UTF-8, or UTF-16 as some editors of Windows write it. */
export function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const coding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(coding).decode(bytes);
}

/** The calls that a file asks for; those of one path are one call. Throws an Error that names the first line that is wrong. */
export function callsOf(text: string): Call[] {
  const values = new Map<string, string>();
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const [, key, value] = /^\s*([a-z.]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (key === undefined || value === undefined || !Object.hasOwn(KEYS, key)) {
      throw new Error(`line ${at + 1} is none of ${Object.keys(KEYS).join(', ')}`);
    }
    values.set(key, value);
  }
  const calls = new Map<string, Call>();
  for (const [key, [method, path, field]] of Object.entries(KEYS)) {
    const value = values.get(key);
    if (value === undefined) continue;
    calls.set(path, { method, path, body: { ...calls.get(path)?.body, [field]: value } });
  }
  const wifi = calls.get('/network');
  // An open network has no password.
  if (wifi !== undefined) calls.set('/network', { ...wifi, body: { password: '', ...wifi.body } });
  return [...calls.values()];
}

/**
 * Makes the calls, on a node that has no keys yet. Resolves with what was refused, one line each: what the file asks for a
 * second time would be refused the same way, so it is not tried again.
 */
export async function makeCalls(calls: readonly Call[], url: string, timeoutMs: number): Promise<string[]> {
  const refused: string[] = [];
  const key = calls.find(({ path }) => path === '/config')?.body['apiKey'];
  let stored = false;
  for (const { method, path, body } of calls) {
    const response = await fetch(new URL(path, url), {
      method,
      headers: {
        'Content-Type': 'application/json',
        ...(stored && typeof key === 'string' && { 'X-NODE-Api-Key': key }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
    // Also where a run that was interrupted had stored it.
    if (path === '/config') stored = response.ok || response.status === LOCKED;
    if (!response.ok) refused.push(`${path}: ${response.status} ${await response.text()}`);
  }
  return refused;
}
