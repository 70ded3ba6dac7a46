/**
 * `tillnode.txt`, which somebody who prepares many media puts on their boot partition: one `key = value` in a line, `#`
 * begins a remark. It is taken once, at the first start, as calls of the node's own API, as the file of `tillnode pull`, and as
 * what is printed at each start.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { defined } from '../../base/defined.ts';
import { messageOf } from '../../base/thrown.ts';
import { optionsIn } from '../../pull/options.ts';
import type { StartJob } from './at-start.ts';

/** One call of the API. */
export interface ApiCall {
  readonly method: 'PUT' | 'POST';
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Keys of the file, in the order in which they are taken: the network comes last, as the node leaves the one it is on. */
const KEYS: Readonly<Record<string, readonly [method: ApiCall['method'], path: string, field: string]>> = {
  name: ['PUT', '/name', 'name'],
  'cloud.url': ['PUT', '/cloud', 'url'],
  'cloud.token': ['PUT', '/cloud', 'token'],
  'key.update': ['PUT', '/update', 'updateKey'],
  'key.api': ['PUT', '/config', 'apiKey'],
  mode: ['PUT', '/config', 'apiMode'],
  'wifi.ssid': ['POST', '/network', 'ssid'],
  'wifi.password': ['POST', '/network', 'password'],
};

/** What is said of a hosted till, by its names in the file of `tillnode pull`. */
const PULL_KEYS: Readonly<Record<string, string>> = {
  'pull.server': 'server',
  'pull.protocol': 'protocol',
  'pull.id': 'id',
  'pull.mac': 'mac',
  'pull.user': 'user',
  'pull.password': 'password',
  'pull.drawer': 'allowDrawer',
};
const PULL_STATE = '/var/lib/tillnode-pull';
/** As Odoo advises. */
const PULL_SECONDS = 5;

/** What is printed at each start. */
const START_KEY = 'start.print';
/** Some lines of paper, as a greeting has them. */
const START_CHARACTERS = 200;

const NAMES = [...Object.keys(KEYS), ...Object.keys(PULL_KEYS), START_KEY];

const LOCKED = 401;
/** mount-data copies one byte more, so that a file that is longer is refused, and not cut off within a password. */
const MAX_BYTES = 4096;

/**
 * The text of a file, by its first bytes: UTF-8, or UTF-16 as some editors of Windows write it. Throws an Error if it is
 * longer than 4,096 bytes.
 */
export function textOf(bytes: Uint8Array): string {
  if (bytes.length > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`);
  const [first, second] = bytes;
  const coding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(coding).decode(bytes);
}

/** What stands in a file, by its keys. Throws an Error that names the first line that is wrong. */
function valuesIn(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const [, key, value] = /^\s*([a-z.]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (key === undefined || value === undefined || !NAMES.includes(key)) {
      throw new Error(`line ${at + 1} is none of ${NAMES.join(', ')}`);
    }
    values.set(key, value);
  }
  return values;
}

/**
 * What is to stand in the file of `tillnode pull`, for the node at `node`; undefined where no hosted till is named. Throws an Error where
 * it could not be read there, or the file itself is wrong.
 */
export function pullOf(text: string, node: string): string | undefined {
  const values = valuesIn(text);
  const given = Object.entries(PULL_KEYS).flatMap(([key, name]) => {
    const value = values.get(key);
    return value === undefined ? [] : [[name, value] as const];
  });
  if (given.length === 0) return undefined;
  const drawer = values.get('pull.drawer') ?? 'off';
  if (drawer !== 'on' && drawer !== 'off') throw new Error('pull.drawer is on or off');
  const server = { ...Object.fromEntries(given), every: PULL_SECONDS, allowDrawer: drawer === 'on' };
  const key = values.get('key.api');
  const whole = { node, ...defined({ key }), state: PULL_STATE, servers: [{ name: 'till', ...server }] };
  optionsIn('pull', whole);
  return JSON.stringify(whole);
}

/**
 * What is printed at each start; undefined where the file says nothing of it. What moves paper or the direction of text is a
 * space. Throws an Error where nothing is left, or more than 200 characters.
 */
export function startJobOf(text: string): StartJob | undefined {
  const values = valuesIn(text);
  const value = values
    .get(START_KEY)
    ?.replace(/[\p{Cc}\p{Cs}\p{Bidi_Control}]/gu, ' ')
    .trim();
  if (value === undefined) return undefined;
  const { length } = [...value];
  if (length === 0 || length > START_CHARACTERS)
    throw new Error(`${START_KEY} has 1 to ${START_CHARACTERS} characters`);
  return { text: value, ...defined({ key: values.get('key.api') }) };
}

/** The calls that a file asks for; those of one path are one call. Throws an Error that names the first line that is wrong. */
export function callsOf(text: string): ApiCall[] {
  const values = valuesIn(text);
  const calls = new Map<string, ApiCall>();
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

interface Answer {
  /** Undefined where none came. */
  readonly status?: number;
  readonly said: string;
}

/** The node may start again, or NetworkManager may not have the radio yet. */
const mayPass = ({ status }: Answer) => status === undefined || status >= 500;

/**
 * Makes the calls, on a node that has no keys yet. Resolves with what was refused, one line each: what the file asks for a
 * second time would be refused the same way, so it is not tried again. What got no answer, or an error of the node, is
 * tried again while all this has taken less than `patienceMs`. `timeoutMs`: of one answer; `pauseMs`: before it is tried again.
 */
export async function makeCalls(
  calls: readonly ApiCall[],
  url: string,
  { timeoutMs, patienceMs, pauseMs }: Readonly<Record<'timeoutMs' | 'patienceMs' | 'pauseMs', number>>,
): Promise<string[]> {
  const refused: string[] = [];
  const until = performance.now() + patienceMs;
  const key = calls.find(({ path }) => path === '/config')?.body['apiKey'];
  let stored = false;
  const ask = async ({ method, path, body }: ApiCall): Promise<Answer> => {
    try {
      const response = await fetch(new URL(path, url), {
        method,
        headers: {
          'Content-Type': 'application/json',
          ...(stored && typeof key === 'string' && { 'X-NODE-Api-Key': key }),
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
      });
      return { status: response.status, said: `${response.status} ${await response.text()}` };
    } catch (error) {
      return { said: messageOf(error) };
    }
  };
  for (const call of calls) {
    let answer = await ask(call);
    while (mayPass(answer) && performance.now() < until) {
      await delay(pauseMs);
      answer = await ask(call);
    }
    const { status = 0, said } = answer;
    const isDone = status >= 200 && status < 300;
    // Also where a run that was interrupted had stored it.
    if (call.path === '/config') stored = isDone || status === LOCKED;
    if (!isDone) refused.push(`${call.path}: ${said}`);
  }
  return refused;
}
