import { randomBytes } from 'node:crypto';
import type { Settings } from './settings.ts';

/** Ids of nodes whose storage takes none, for as long as the process lasts. */
const unstored = new WeakMap<Settings, string>();

/** The device id: eight lower-case hexadecimal digits, made once and stored (section `identity`). */
export async function ensureDeviceId(settings: Settings): Promise<string> {
  const stored = () => {
    const identity = settings.read('identity') as { readonly deviceId?: string } | undefined;
    return identity?.deviceId ?? unstored.get(settings);
  };
  const made = randomBytes(4).toString('hex');
  if (stored() === undefined) {
    await settings
      .update((draft) => {
        draft['identity'] = { deviceId: made, ...(draft['identity'] as object | undefined) };
      })
      .catch(() => unstored.set(settings, unstored.get(settings) ?? made));
  }
  return stored() ?? made;
}
