/** The connection profiles that this node makes in NetworkManager. They are in memory only: nothing is written by it. */
import { pbkdf2Sync, randomUUID } from 'node:crypto';
import { RadioError } from '../network.ts';
import { bytesOfSsid, isText } from '../ssid.ts';
import type { Ask } from './network-state.ts';
import { nmcli, rowsOf } from './nmcli.ts';

/** Makes, activates and deletes profiles. Every call throws RadioError. */
export class ConnectionProfiles {
  readonly #askMs: number;

  /** `askMs`: limit of one nmcli command, in milliseconds; a machine that is still starting is slow. */
  constructor(askMs: number) {
    this.#askMs = askMs;
  }

  /** Creates a profile named `connection` for `device`; resolves with its UUID. `ssid`: of a Wi-Fi network. */
  async add(
    type: string,
    connection: string,
    device: string,
    settings: readonly string[],
    ssid?: string,
  ): Promise<string> {
    const uuid = randomUUID();
    const names = ['type', type, 'con-name', connection, 'ifname', device, 'connection.uuid', uuid];
    const args = ['connection', 'add', 'save', 'no', ...names, ...settings];
    const timeoutMs = this.#askMs;
    if (ssid === undefined) await nmcli(args, { timeoutMs });
    else if (isText(ssid)) await nmcli([...args, SSID, ssid], { timeoutMs });
    else await nmcli([...args, SSID], { timeoutMs, last: bytesOfSsid(ssid) });
    return uuid;
  }

  /**
   * Sets the password with the connection editor, which reads its standard input. (With `--ask`, nmcli would be asked
   * for a wrong password again and again, and never fail.)
   */
  async setPassword(uuid: string, ssid: string, password: string): Promise<void> {
    // On a line of its own: behind `set` the editor would remove spaces at the ends, which are part of a password.
    const input = `set 802-11-wireless-security.psk\n${editable(ssid, password)}\nsave temporary\nquit\n`;
    const said = await nmcli(['connection', 'edit', 'uuid', uuid], { timeoutMs: this.#askMs, input });
    if (!said.includes('successfully updated')) throw new RadioError('failed', 'the password was not accepted');
  }

  /** Activates it; `seconds` is how long NetworkManager may take. */
  async up(uuid: string, seconds: number): Promise<void> {
    const wait = ['--wait', String(seconds)];
    const timeoutMs = seconds * 1000 + this.#askMs;
    await nmcli([...wait, 'connection', 'up', 'uuid', uuid], { timeoutMs });
  }

  /** Ends and deletes every profile that has one of these names. */
  async remove(connections: readonly string[]): Promise<void> {
    const made = await this.#made(connections);
    const named = (of: typeof made) => of.flatMap(({ uuid }) => ['uuid', uuid]);
    const active = made.filter((each) => each.active);
    // `delete` does not wait until the device is disconnected, `down` does; it fails if the connection has just ended.
    if (active.length > 0) await this.#ask('connection', 'down', ...named(active)).catch(() => {});
    if (made.length > 0) await this.#ask('connection', 'delete', ...named(made));
  }

  readonly #ask: Ask = (...args) => nmcli(args, { timeoutMs: this.#askMs });

  async #made(connections: readonly string[]): Promise<{ readonly uuid: string; readonly active: boolean }[]> {
    const rows = rowsOf(await this.#ask('-t', '-f', 'UUID,ACTIVE,NAME', 'connection', 'show'));
    return rows.flatMap(([uuid, active, name]) =>
      uuid && name && connections.includes(name) ? [{ uuid, active: active === 'yes' }] : [],
    );
  }
}

const SSID = '802-11-wireless.ssid';

/**
 * The editor reads a line and completes words at a tab. A passphrase with other characters than IEEE 802.11, J.4.1, permits is
 * passed as the key that is derived from it (PBKDF2; J.4), which no WPA3 network takes.
 */
const editable = (ssid: string, passphrase: string): string =>
  /^[ -~]*$/.test(passphrase)
    ? passphrase
    : pbkdf2Sync(passphrase, bytesOfSsid(ssid), 4096, 32, 'sha1').toString('hex');
