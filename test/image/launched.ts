/** A built variant under its launcher, in a process of its own, and images for it. */
import { spawn } from 'node:child_process';
import { createHash, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { pack, readKey, unpack } from '../../runtime/image/pack.ts';

const built = (variant: string) => `dist/${variant}`;
/** The key of images that are built here: nodes of this tree trust it. */
export const developmentKey = (): KeyObject => readKey('.cache/keys/development.pem');
export const UPDATE_KEY = 'update-key-0123456789';

export type Change = (main: string) => string;
const unchanged: Change = (main) => main;

/** Version of the image that was built. */
const builtVersion = () => (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version;

/** The bundle of a built variant, saying that it is another version. */
export function mainOf(variant: string, version: string): string {
  const from = builtVersion();
  const main = readFileSync(`${built(variant)}/node.cjs`, 'utf8');
  const reversioned = main.replace(`version:"${from}"`, `version:"${version}"`);
  if (reversioned === main) throw new Error('the bundle does not say its version where it was looked for');
  return reversioned;
}

/** The bundle, which is one function, with more at the end of it. */
export const atItsEnd = (main: string, more: string): string => main.replace(/\}\)\s*$/, (end) => `${more}${end}`);

/** A built variant as an image of another version, its bundle put through `change`. */
export function builtImage(variant: string, version: string, change = unchanged, key = developmentKey()): Buffer {
  const image = readFileSync(`${built(variant)}/tillnode-${variant}-${builtVersion()}.img`);
  const contents = unpack(image).files.map(({ name, offset, size }) => ({
    name,
    bytes: name === 'node.cjs' ? Buffer.from(change(mainOf(variant, version))) : image.subarray(offset, offset + size),
  }));
  return pack({ variant, version, floor: 1 }, contents, key);
}

export const twinImage = (version: string, change?: Change, key?: KeyObject): Buffer =>
  builtImage('twin', version, change, key);

export interface Launched {
  /** Base URL once an image has been ready so many times. */
  ready(times: number): Promise<string>;
  /** Base URL of the image that was ready last, if one was. */
  last(): string | undefined;
  /** Process id of the launcher. */
  readonly pid: number;
  readonly log: () => string;
  kill(signal: NodeJS.Signals): Promise<void>;
}

export interface Launching {
  readonly variant?: string;
  /** Path of the Node that runs it. */
  readonly node?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** One for each line that the launcher logs; the lines of its images are left out. */
  readonly onLog?: (entry: { readonly msg: string }) => void;
  /** Each time that an image is ready. */
  readonly onReady?: () => void;
}

export function launch(
  state: string,
  {
    variant = 'twin',
    node = process.execPath,
    env = process.env,
    onLog = () => {},
    onReady = () => {},
  }: Launching = {},
): Launched {
  const args = ['--host', '127.0.0.1', '--port', '0', '--raw-port', '0', '--state', state];
  const command = [`${built(variant)}/launcher.js`, ...args];
  const child = spawn(node, command, { stdio: ['ignore', 'pipe', 'pipe'], env });
  const urls: string[] = [];
  let log = '';
  let heard = () => {};
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!line.startsWith('ready ')) return;
    urls.push(line.slice('ready '.length));
    heard();
    onReady();
  });
  createInterface({ input: child.stderr }).on('line', (line) => {
    log += `${line}\n`;
    if (line.includes('"boot":true')) onLog(JSON.parse(line));
  });
  const exited = once(child, 'exit');
  return {
    last: () => urls.at(-1),
    pid: child.pid ?? 0,
    log: () => log,
    async ready(times) {
      while (urls.length < times) {
        await new Promise<void>((resolve) => {
          heard = resolve;
        });
      }
      return urls[times - 1] ?? '';
    },
    async kill(signal) {
      child.kill(signal);
      await exited;
    },
  };
}

/** A connection for each request: one that is kept may be closed by the image while the next is on its way. */
const CONNECTION = { Connection: 'close' };

export async function upload(url: string, image: Uint8Array): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}/update`, {
    method: 'POST',
    headers: {
      ...CONNECTION,
      Authorization: `Bearer ${UPDATE_KEY}`,
      'X-NODE-Image-Sha256': createHash('sha256').update(image).digest('hex'),
    },
    body: image,
  });
  return { status: response.status, body: await response.json() };
}

export async function call<T = Record<string, unknown>>(
  url: string,
  method: string,
  path: string,
  body?: object,
): Promise<T> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: CONNECTION,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await response.json()) as T;
}
