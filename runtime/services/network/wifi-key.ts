/** What is wrong with credentials before they are sent to a network: by their own rules, and by what a scan saw. */
import type { SeenNetwork, WifiCredentials } from '../../bindings/network.ts';
import { bytesOfSsid, shownSsid } from '../../bindings/ssid.ts';
import type { Reason } from './reason.ts';

const PASSPHRASE = /^[ -~]{8,63}$/;
const RAW_KEY = /^[0-9a-fA-F]{64}$/;
/** Longest network name (IEEE 802.11, 9.4.2.2). */
const NAME_BYTES = 32;
/** Control characters are not part of names, and surrogates other than those of `ssid.ts` stand for nothing. */
const unnamed = () => /\p{Cc}|[\ud800-\udc7f\udd00-\udfff]/u;

/** What is wrong with name and password alone, without the password (IEEE 802.11, J.4.1); undefined if nothing is. */
export function faultIn({ ssid, password }: Pick<WifiCredentials, 'ssid' | 'password'>): Reason | undefined {
  if (unnamed().test(ssid)) return { key: 'badName' };
  const { length } = bytesOfSsid(ssid);
  if (length > NAME_BYTES) return { key: 'tooLong', values: { n: length } };
  if (password === '' || PASSPHRASE.test(password) || RAW_KEY.test(password)) return undefined;
  // Not the character itself: it is part of a secret.
  const odd = [...password].findIndex((character) => !/[ -~]/.test(character));
  if (odd >= 0) return { key: 'oddCharacter', values: { n: odd + 1 } };
  return { key: password.length < 8 ? 'keyShort' : 'keyLong', values: { n: password.length } };
}

/**
 * The name of the network that somebody means by what they typed: it, or the only one in range that is shown so, as the
 * bytes of a name that is not UTF-8 cannot be typed.
 */
export function meantBy(ssid: string, networks: readonly SeenNetwork[]): string {
  if (networks.some((each) => each.ssid === ssid)) return ssid;
  const alike = new Set(networks.map((each) => each.ssid).filter((each) => shownSsid(each) === ssid));
  const [only = ssid] = alike;
  return alike.size === 1 ? only : ssid;
}

/**
 * Why a network in range cannot be joined with these credentials; undefined if one of that name can, or if none is seen,
 * as a hidden one is not.
 */
export function refusalBy(
  networks: readonly SeenNetwork[],
  { ssid, password, band }: WifiCredentials,
): Reason | undefined {
  const named = networks.filter((each) => each.ssid === ssid && (band === 'auto' || each.band === band));
  const refusals = named.map((each) => refusalOf(each, password));
  const [key] = refusals;
  return key === undefined || refusals.includes(undefined) ? undefined : { key, values: { ssid: shownSsid(ssid) } };
}

function refusalOf({ security }: SeenNetwork, password: string): Reason['key'] | undefined {
  if (security === 'enterprise') return 'enterprise';
  if (security === 'wep') return 'wep';
  if (security === 'open' || security === 'owe') return password === '' ? undefined : 'isOpen';
  if (password === '') return 'needsKey';
  // Also where WPA2 would take it: wpa_supplicant prefers the exchange of WPA3 (SAE), which has no use for the key.
  const isWpa3 = security === 'wpa3' || security === 'transition';
  return isWpa3 && RAW_KEY.test(password) ? 'wpa3Key' : undefined;
}
