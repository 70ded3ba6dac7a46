/** The networks in range, as NetworkManager lists them. */
import type { SeenNetwork, WifiSecurity } from '../network.ts';
import { bandOf, ssidIn } from './network-state.ts';

/** Fields of `nmcli device wifi list` that `seenNetworks` reads. */
export const FIELDS = 'SSID-HEX,FREQ,SIGNAL,SECURITY';

/** From the words of nmcli, such as `WPA1 WPA2`, `WPA2 802.1X`, `WPA3`; `OWE-TM` is open, and has one with OWE beside it. */
function securityOf(words: string): WifiSecurity {
  const kinds = words.split(' ');
  if (kinds.includes('802.1X')) return 'enterprise';
  const isOlder = kinds.includes('WPA1') || kinds.includes('WPA2');
  if (kinds.includes('WPA3')) return isOlder ? 'transition' : 'wpa3';
  if (isOlder) return 'personal';
  if (kinds.includes('OWE')) return 'owe';
  return kinds.includes('WEP') ? 'wep' : 'open';
}

/**
 * The networks of its rows, strongest first, one entry per SSID, band and security: an open one may bear the name of one
 * with a password.
 */
export function seenNetworks(rows: readonly string[][]): SeenNetwork[] {
  const strongest = new Map<string, SeenNetwork>();
  for (const [hex = '', frequency = '', percent, security = ''] of rows) {
    const ssid = ssidIn(hex);
    const band = bandOf(frequency);
    if (ssid === undefined || band === undefined) continue;
    const seen = { ssid, band, signal: Number(percent) || 0, security: securityOf(security) };
    const key = `${band} ${seen.security} ${ssid}`;
    if (seen.signal >= (strongest.get(key)?.signal ?? 0)) strongest.set(key, seen);
  }
  return [...strongest.values()].sort((a, b) => b.signal - a.signal);
}
