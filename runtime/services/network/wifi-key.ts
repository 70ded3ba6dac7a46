/** What is wrong with a password before it is sent to a network, in words: by its own rule, and by what a scan saw. */
import type { SeenNetwork, WifiCredentials } from '../../bindings/bindings.ts';

const PASSPHRASE = /^[ -~]{8,63}$/;
const RAW_KEY = /^[0-9a-fA-F]{64}$/;

/** What is wrong with the password alone, without the password (IEEE 802.11, J.4.1); undefined if nothing is. */
export function keyFault(password: string): string | undefined {
  if (password === '' || PASSPHRASE.test(password) || RAW_KEY.test(password)) return undefined;
  // Not the character itself: it is part of a secret.
  const odd = [...password].findIndex((character) => !/[ -~]/.test(character));
  if (odd >= 0) {
    return `character ${odd + 1} of the password cannot be in one: only letters without accents, digits, spaces and the signs of a US keyboard can`;
  }
  return password.length < 8
    ? `a Wi-Fi password has at least 8 characters; this one has ${password.length}`
    : `a Wi-Fi password has at most 63 characters, or is a key of 64 digits from 0 to f; this one has ${password.length}`;
}

/**
 * Why a network in range cannot be joined with these credentials; undefined if one of that name can, or if none is seen,
 * as a hidden one is not.
 */
export function refusalBy(
  networks: readonly SeenNetwork[],
  { ssid, password, band }: WifiCredentials,
): string | undefined {
  const named = networks.filter((each) => each.ssid === ssid && (band === 'auto' || each.band === band));
  const reasons = named.map((each) => refusalOf(each, password));
  return reasons.includes(undefined) ? undefined : reasons[0];
}

function refusalOf({ ssid, security }: SeenNetwork, password: string): string | undefined {
  const name = `the network “${ssid}”`;
  if (security === 'enterprise') {
    return `${name} asks each user for a name (WPA Enterprise, 802.1X), which this node does not have: use another network`;
  }
  if (security === 'wep') return `${name} has WEP, which is broken and not supported: set its router to WPA2`;
  if (security === 'open') return password === '' ? undefined : `${name} is open: leave the password empty`;
  if (password === '') return `${name} needs its password`;
  if (security !== 'wpa3') return undefined;
  if (RAW_KEY.test(password)) return `${name} has WPA3 alone, which takes its password, not a key of 64 digits`;
  return password === password.trim()
    ? undefined
    : `${name} has WPA3 alone, with which a password cannot begin or end with a space: set its router to WPA2 and WPA3, or change the password`;
}
