/** The stored Wi-Fi credentials. They are stored only here: the machine's network manager gets them at every start. */
import type { WifiCredentials } from '../../bindings/network.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Settings } from '../../kernel/settings.ts';

/** Settings section `wifi`. */
export interface StoredWifi extends WifiCredentials {
  /** The node has joined with them at least once. */
  readonly proven: boolean;
}

/** Whether two credentials have the same SSID and password; the band may differ. */
export const isSame = (a: WifiCredentials, b: WifiCredentials): boolean =>
  a.ssid === b.ssid && a.password === b.password;

/** Stores credentials. Rejects with `save_failed`; then the previous ones stay. */
export async function storeWifi(settings: Settings, wifi: WifiCredentials): Promise<void> {
  try {
    await settings.update((draft) => {
      const before = draft.wifi;
      draft.wifi = { ...wifi, proven: before?.proven === true && isSame(before, wifi) };
    });
  } catch (error) {
    throw error instanceof ApiError && error.code === 'persist_failed'
      ? new ApiError('save_failed', error.detail)
      : error;
  }
}

/** Removes the credentials and the fixed address: what may keep the node from being found. Rejects with `persist_failed`. */
export const forgetNetwork = (settings: Settings): Promise<void> =>
  settings.update((draft) => {
    delete draft.wifi;
    delete draft.ipv4;
  });

/** Stores that these credentials work, if they are still the stored ones. Rejects with `persist_failed`. */
export const proveWifi = (settings: Settings, wifi: WifiCredentials): Promise<void> =>
  settings.update((draft) => {
    const { wifi: now } = draft;
    if (now !== undefined && isSame(now, wifi)) draft.wifi = { ...now, proven: true };
  });
