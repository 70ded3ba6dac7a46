/** Options of the program: of one server on the command line, or of several in a file. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { urlFault } from '../http/urls.ts';
import type { Credentials } from './authentication.ts';

/** The arguments or the file are wrong; the message says how. */
export class OptionError extends Error {}

/** One server, and where its jobs are printed. */
export interface ServerOptions {
  /** For messages. */
  readonly name: string;
  readonly server: URL;
  readonly protocol: 'sdp' | 'cloudprnt';
  /** What the server knows this printer by. */
  readonly id: string;
  /** What a server of CloudPRNT knows it by beside that; undefined: made of the id. */
  readonly mac: string | undefined;
  readonly endpoint: string;
  readonly everyMs: number;
  readonly staleMs: number;
  readonly notifyMs: number | undefined;
  readonly allowDrawer: boolean;
  /** PEM. */
  readonly ca: string | undefined;
  /** What the server asks for by a 401. */
  readonly credentials: Credentials | undefined;
}

export interface PullOptions {
  readonly node: string;
  readonly apiKey: string | undefined;
  readonly state: string;
  readonly servers: readonly ServerOptions[];
}

export const USAGE = `usage: tillnode pull --server URL --protocol sdp|cloudprnt --node URL --state DIR --every SECONDS
  --server URL       the hosted till: as it would be set in an Epson (sdp) or Star (cloudprnt) printer
  --node URL         the node that prints
  --key KEY          its API key; better: the environment variable TILLNODE_API_KEY
  --state DIR        the folder of the journal
  --every SECONDS    how often the server is asked while it has no jobs: 1 to 3600
  --endpoint ID      the printer; default: receipt
  --id ID            what the server knows this printer by; default: local_printer
  --mac ADDRESS      its printerMAC (cloudprnt), where the server takes those of Star alone: 00:11:62:...
  --allow-drawer     this server may open the drawer
  --stale SECONDS    older jobs are reported, not printed; default: 600
  --notify SECONDS   send status notifications (sdp)
  --ca FILE          certificate authorities (PEM) beside those that Node trusts
  --config FILE      node, state, key and servers[] of these options, as JSON, in place of all others; user and
                     password that a server asks for stand there alone
`;

const ENTRY = {
  ...{ server: 'string', protocol: 'string', every: 'string', endpoint: 'string', id: 'string', stale: 'string' },
  ...{ notify: 'string', ca: 'string', mac: 'string', 'allow-drawer': 'boolean' },
} as const;
const WHOLE = { node: 'string', key: 'string', state: 'string' } as const;
const DEFAULTS = { endpoint: 'receipt', id: 'local_printer', stale: '600' };
const DAY_SECONDS = 86_400;

/** Options by their names on the command line; in a file, `allowDrawer` is what is `--allow-drawer` here. */
type Values = Readonly<Record<string, unknown>>;

/** Reads the options. Throws an OptionError. */
export function readOptions(args: readonly string[], environment: NodeJS.ProcessEnv): PullOptions {
  const known = { ...ENTRY, ...WHOLE, config: 'string' } as const;
  const typed = (Object.entries(known) as [string, 'string' | 'boolean'][]).map(
    ([name, type]) => [name, { type }] as const,
  );
  let values: Values;
  try {
    const parsed = parseArgs({ args: [...args], options: Object.fromEntries(typed), tokens: true });
    values = parsed.values;
    const names = parsed.tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []));
    const twice = names.find((name, index) => names.indexOf(name) < index);
    if (twice !== undefined) throw new Error(`--${twice} is there twice: several servers stand in a file (--config)`);
  } catch (error) {
    throw new OptionError((error as Error).message);
  }
  const { config, ...given } = values;
  if (config !== undefined && Object.keys(given).length > 0)
    throw new OptionError('--config replaces all other options');
  return optionsOf(config === undefined ? inOne(given) : inFile(String(config)), environment);
}

/** The options of what stands in a file, or is to stand there. `place`: what its faults begin with. Throws an OptionError. */
export const optionsIn = (place: string, content: unknown, environment: NodeJS.ProcessEnv = {}): PullOptions =>
  optionsOf(wholeIn(place, content), environment);

function optionsOf({ node, key, state, servers }: Whole, environment: NodeJS.ProcessEnv): PullOptions {
  const apiKey = text('key', key) ?? (environment['TILLNODE_API_KEY'] || undefined);
  if (apiKey !== undefined && !/^[ -~]{1,128}$/.test(apiKey))
    throw new OptionError('key is up to 128 printable ASCII characters');
  const read = servers.map(serverOptions);
  if (new Set(read.map(({ name }) => name)).size < read.length)
    throw new OptionError('two servers have one name: give each a name of its own');
  // Two loops would take each other's jobs.
  const isSame = (a: ServerOptions, b: ServerOptions) =>
    a.server.href === b.server.href && a.protocol === b.protocol && a.id === b.id;
  const again = read.find((each, index) => read.findIndex((other) => isSame(each, other)) < index);
  if (again !== undefined)
    throw new OptionError(`${again.name}: another one has its server, protocol and id: they would share its jobs`);
  return {
    node: url('node', node).href.replace(/(?<!\/)\/+$/, ''),
    apiKey,
    state: needed('state', state),
    servers: read,
  };
}

interface Whole extends Values {
  readonly servers: readonly Values[];
}

function inOne({ node, key, state, ...server }: Values): Whole {
  return { node, key, state, servers: [{ name: 'server', ...server }] };
}

function inFile(file: string): Whole {
  let text: string;
  try {
    // Editors of Windows put a mark at the beginning.
    text = readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  } catch (error) {
    throw new OptionError(`${file}: ${(error as Error).message}`);
  }
  let whole: unknown;
  try {
    whole = JSON.parse(text);
  } catch (error) {
    throw new OptionError(`${file}: ${faultOfJson(text, error as Error)}`);
  }
  return wholeIn(file, whole);
}

/** What is wrong with a text that is no JSON. What it says stays out of it: it has a key. */
function faultOfJson(text: string, { message }: Error): string {
  const position = /at position (\d+)/.exec(message)?.[1];
  const line = position === undefined ? '' : `line ${text.slice(0, Number(position)).split('\n').length}: `;
  const token = /^Unexpected (token '.{1,2}'|end)/su.exec(message)?.[0] ?? '';
  return `${line}is no JSON${token && `: ${token}`}`;
}

function wholeIn(place: string, whole: unknown): Whole {
  const { servers, ...rest } = valuesIn(place, whole, [...Object.keys(WHOLE), 'servers']);
  if (!Array.isArray(servers) || servers.length === 0 || servers.length > 16)
    throw new OptionError(`${place}: servers is to be a list of 1 to 16`);
  const typed = Object.keys(ENTRY).filter((name) => name !== 'allow-drawer');
  const names = [...typed, 'allowDrawer', 'name', 'user', 'password'];
  return {
    ...rest,
    servers: servers.map((each, index) => {
      const { allowDrawer, ...server } = valuesIn(`${place}: servers/${index}`, each, names);
      return { name: `server-${index + 1}`, ...server, 'allow-drawer': allowDrawer };
    }),
  };
}

function valuesIn(place: string, value: unknown, names: readonly string[]): Values {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new OptionError(`${place}: is no object`);
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new OptionError(`${place}: ${JSON.stringify(unknown)} is not known here`);
  return { ...value };
}

function serverOptions(given: Values): ServerOptions {
  const values: Values = { ...DEFAULTS, ...given };
  const { protocol } = values;
  if (protocol !== 'sdp' && protocol !== 'cloudprnt') throw new OptionError('protocol is sdp or cloudprnt');
  const name = needed('name', values['name']);
  if (!/^[\w-]{1,32}$/.test(name)) throw new OptionError('name is 1 to 32 letters, digits, _ and -');
  const allowed = values['allow-drawer'] ?? false;
  if (typeof allowed !== 'boolean') throw new OptionError('allowDrawer is true or false');
  const { notify, ca } = values;
  const mac = text('mac', values['mac']);
  if (mac !== undefined && !/^[\da-f]{2}(?::[\da-f]{2}){5}$/i.test(mac))
    throw new OptionError('mac is six pairs of hexadecimal digits with colons between them');
  if (mac !== undefined && protocol !== 'cloudprnt') throw new OptionError('mac is for cloudprnt alone');
  return {
    ...{ name, protocol, server: url('server', values['server']), allowDrawer: allowed },
    id: short('id', values['id']),
    mac,
    endpoint: short('endpoint', values['endpoint']),
    everyMs: seconds('every', values['every'], 3600),
    staleMs: seconds('stale', values['stale'], DAY_SECONDS),
    notifyMs: notify === undefined ? undefined : seconds('notify', notify, DAY_SECONDS),
    ca: ca === undefined ? undefined : pemIn(needed('ca', ca)),
    credentials: credentialsOf(values),
  };
}

/** What stands there is in no message: it is a secret. */
function credentialsOf({ user, password }: Values): Credentials | undefined {
  if (user === undefined && password === undefined) return undefined;
  if (typeof user !== 'string' || !/^[^\p{Cc}:]{1,128}$/u.test(user))
    throw new OptionError('user is 1 to 128 characters, none of them a colon or a control character');
  // Some have a key as the user, and no password.
  if (typeof password !== 'string' || !/^\P{Cc}{0,128}$/u.test(password))
    throw new OptionError(
      'password is up to 128 characters, none of them a control character, and is needed with user',
    );
  return { user, password };
}

function text(name: string, value: unknown): string | undefined {
  if (value !== undefined && typeof value !== 'string') throw new OptionError(`${name} is to be a text`);
  return value || undefined;
}

function needed(name: string, value: unknown): string {
  const found = text(name, value);
  if (found === undefined) throw new OptionError(`${name} is needed`);
  return found;
}

function short(name: string, value: unknown): string {
  const found = needed(name, value);
  if (!/^[ -~]{1,64}$/.test(found)) throw new OptionError(`${name} is 1 to 64 printable ASCII characters`);
  return found;
}

function url(name: string, value: unknown): URL {
  const found = needed(name, value);
  const fault = urlFault(found);
  if (fault !== undefined) throw new OptionError(`${name} ${fault}`);
  return new URL(found);
}

function seconds(name: string, value: unknown, most: number): number {
  const found = typeof value === 'number' ? value : /^\d+(\.\d+)?$/.test(String(value)) ? Number(value) : Number.NaN;
  if (!(found >= 1 && found <= most)) throw new OptionError(`${name} is 1 to ${most} seconds`);
  return found * 1000;
}

function pemIn(file: string): string {
  try {
    const pem = readFileSync(file, 'utf8');
    const certificates = pem.match(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs) ?? [];
    // One that cannot be read would be passed over at each connection.
    for (const each of certificates) new X509Certificate(each);
    if (certificates.length > 0) return pem;
  } catch (error) {
    throw new OptionError(`ca: ${(error as Error).message}`);
  }
  throw new OptionError(`ca: ${file} has no certificate`);
}
