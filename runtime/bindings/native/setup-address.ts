/** The node's address on its setup network. */
import { readFile } from 'node:fs/promises';
import { isIPv4 } from 'node:net';

/** The file of the package with dnsmasq's settings for the setup network. */
export const NAMES_FILE = '/etc/NetworkManager/dnsmasq-shared.d/tillnode.conf';
/**
 * The node's address on the setup network if that file states none. Not a private one (RFC 1918): some phones show no page
 * where a name leads to such (`.github/decisions/001-setup-address.md`).
 */
const SETUP_ADDRESS = '192.0.2.1';
/** The address that all names of the setup network lead to (dnsmasq(8), --address). */
export async function setupAddress(namesFile: string): Promise<string> {
  const text = await readFile(namesFile, 'utf8').catch(() => '');
  const [, address = ''] = /^address=\/#\/(\S+)$/m.exec(text) ?? [];
  return isIPv4(address) ? address : SETUP_ADDRESS;
}
