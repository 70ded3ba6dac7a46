/** The built twin under its launcher, in a process of its own, and images for it. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { pack, readKey } from '../../runtime/image/pack.ts';

const BUILT = 'dist/twin';
const DEVELOPMENT_KEY = '.cache/keys/development.pem';
export const UPDATE_KEY = 'update-key-0123456789';

/** The built twin as an image of another version, its main.js put through `change`. */
export function twinImage(version: string, change = (main: string): string => main): Buffer {
  const { version: built } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const main = readFileSync(`${BUILT}/main.js`, 'utf8');
  const reversioned = main.replace(`version:"${built}"`, `version:"${version}"`);
  if (reversioned === main) throw new Error('the bundle does not say its version where it was looked for');
  return pack(
    { variant: 'twin', version, floor: 1 },
    [
      { name: 'main.js', bytes: Buffer.from(change(reversioned)) },
      { name: 'image.json', bytes: readFileSync(`${BUILT}/image.json`) },
    ],
    readKey(DEVELOPMENT_KEY),
  );
}

export interface Launched {
  /** Base URL once an image has been ready so many times. */
  ready(times: number): Promise<string>;
  readonly log: () => string;
  kill(signal: NodeJS.Signals): Promise<void>;
}

export function launch(state: string): Launched {
  const args = ['--host', '127.0.0.1', '--port', '0', '--raw-port', '0', '--state', state];
  const child = spawn(process.execPath, [`${BUILT}/launcher.js`, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const urls: string[] = [];
  let log = '';
  let heard = () => {};
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!line.startsWith('ready ')) return;
    urls.push(line.slice('ready '.length));
    heard();
  });
  child.stderr.on('data', (chunk) => {
    log += String(chunk);
  });
  const exited = once(child, 'exit');
  return {
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

export async function upload(url: string, image: Uint8Array): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}/update`, {
    method: 'POST',
    headers: {
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
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await response.json()) as T;
}
