/** The stored Wi-Fi credentials: the one truth, since what the radio is told lasts until the machine starts anew. */
import type { WifiCredentials } from '../../bindings/bindings.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Settings } from '../../kernel/settings.ts';

export interface StoredWifi extends WifiCredentials {
  /** The node has joined with them. */
  readonly proven: boolean;
}

export const isSame = (a: WifiCredentials, b: WifiCredentials): boolean =>
  a.ssid === b.ssid && a.password === b.password;

/** Throws `save_failed`; then what was stored before still is. */
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

/** Throws `persist_failed`. */
export const forgetWifi = (settings: Settings): Promise<void> =>
  settings.update((draft) => {
    delete draft.wifi;
  });

/** Notes that these credentials work, where they are still the stored ones. */
export const proveWifi = (settings: Settings, wifi: WifiCredentials): Promise<void> =>
  settings.update((draft) => {
    const { wifi: now } = draft;
    if (now !== undefined && isSame(now, wifi)) draft.wifi = { ...now, proven: true };
  });
