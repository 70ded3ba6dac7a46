/**
 * Random names and passwords through the connection profiles of the native binding, and read back from NetworkManager
 * over D-Bus: `profiles.mjs {"count": …, "seed": …}` prints a line of JSON for each that differs, then `{"kept": …}`.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ConnectionProfiles } from '../../../../runtime/bindings/native/connection-profiles.ts';
import { bytesOfSsid, ssidOf } from '../../../../runtime/bindings/ssid.ts';
import { faultIn } from '../../../../runtime/services/network/wifi-key.ts';
import { randomFrom } from '../../../random.ts';

const { count, seed } = JSON.parse(process.argv[2] ?? '') as { count: number; seed: number };
const ASK_MS = 30_000;
const BUS = 'org.freedesktop.NetworkManager';
const SECURITY = '802-11-wireless-security';
const BESIDE = 4;

const random = randomFrom(seed);
const upTo = (bound: number): number => Math.floor(random() * bound);
const any = <T>(from: readonly [T, ...T[]]): T => from[upTo(from.length)] ?? from[0];
const many = <T>(least: number, most: number, make: () => T): T[] =>
  Array.from({ length: least + upTo(most - least + 1) }, make);

/** What shells, editors, C strings and lists take for their own. */
const ODD = [...' \'"\\$`%#&;:,=*?!()[]{}<>|~^-+@/'] as [string, ...string[]];
const printable = (): string => String.fromCharCode(0x20 + upTo(0x5f));
const character = (): string => (random() < 0.5 ? any(ODD) : printable());
/** Commands and words of the connection editor (nmcli(1)), as passwords; none is shorter than 8 characters. */
const COMMANDS = [
  'activate',
  'describe',
  'save temporary',
  'quit    ',
  ' remove psk',
  '--help --help',
  '0xdeadbeef',
] as const;

const text = (): string =>
  many(1, 10, () => any([character(), 'ß', 'é', '漢', 'ا', '🥐', '\u0301', '\ufeff'])).join('');
const bytes = (): string => ssidOf(Uint8Array.from(many(1, 32, () => 0x20 + upTo(0xe0))));
const name = (): string => any([text, bytes, () => many(1, 32, character).join('')])();
const password = (): string =>
  any([
    () => many(8, 63, character).join(''),
    () => many(8, 63, printable).join(''),
    () => any(COMMANDS),
    () => ` ${many(6, 40, character).join('')} `,
    () => many(64, 64, () => any([...'0123456789abcdefABCDEF'] as [string, ...string[]])).join(''),
  ])();

interface Pair {
  readonly ssid: string;
  readonly password: string;
}
function pair(): Pair {
  for (;;) {
    const made = { ssid: name(), password: password() };
    if (faultIn(made) === undefined) return made;
  }
}

const call = async (path: string, member: string, ...args: readonly string[]): Promise<string> => {
  const head = ['--system', '--print-reply', `--dest=${BUS}`, path, `${BUS}.Settings${member}`];
  return (await promisify(execFile)('dbus-send', [...head, ...args])).stdout;
};
/** Bytes as dbus-send(1) prints them: as text where all are printable, else in hexadecimal digits. */
function bytesIn(said: string): Buffer | undefined {
  const [, digits, plain] = /string "ssid"\s+variant\s+array of bytes (?:\[([\s\da-f]*)\]|"(.*)")/.exec(said) ?? [];
  if (digits !== undefined) return Buffer.from(digits.replace(/\s/g, ''), 'hex');
  return plain === undefined ? undefined : Buffer.from(plain);
}
const secretIn = (said: string): string | undefined => /string "psk"\s+variant\s+string "(.*)"\n/.exec(said)?.[1];
const uuidIn = (said: string): string => /string "uuid"\s+variant\s+string "(.*)"\n/.exec(said)?.[1] ?? '';

async function beside<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const one = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: BESIDE }, one));
}

const profiles = new ConnectionProfiles(ASK_MS);
const wanted = new Map<string, Pair>();
const security = [`${SECURITY}.key-mgmt`, 'wpa-psk'];
await beside(Array.from({ length: count }, pair), async (each) => {
  const uuid = await profiles.add('wifi', 'random', 'wlan0', ['connection.autoconnect', 'no', ...security], each.ssid);
  await profiles.setPassword(uuid, each.ssid, each.password);
  wanted.set(uuid, each);
});

let kept = 0;
const paths = [...(await call('/org/freedesktop/NetworkManager/Settings', '.ListConnections')).matchAll(/"(\/.*)"/g)];
await beside(
  paths.map(([, path = '']) => path),
  async (path) => {
    const settings = await call(path, '.Connection.GetSettings');
    const each = wanted.get(uuidIn(settings));
    if (each === undefined) return;
    const secret = secretIn(await call(path, '.Connection.GetSecrets', `string:${SECURITY}`));
    const ssid = bytesIn(settings);
    if (ssid?.equals(bytesOfSsid(each.ssid)) && secret === each.password) kept += 1;
    else process.stdout.write(`${JSON.stringify({ each, ssid: ssid?.toString('hex'), secret })}\n`);
  },
);
await profiles.remove(['random']);
process.stdout.write(`${JSON.stringify({ kept })}\n`);
