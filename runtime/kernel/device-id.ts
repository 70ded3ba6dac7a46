import { randomBytes } from 'node:crypto';
import type { Settings } from './settings.ts';

/** Ids of nodes whose storage cannot be written; they last as long as the process. */
const unstored = new WeakMap<Settings, string>();

/**
 * The device id: eight random lower-case hexadecimal digits, made once and stored in the section `identity`. Never
 * rejects: if it cannot be stored, the same id is returned until the process ends.
 */
export async function ensureDeviceId(settings: Settings): Promise<string> {
  const stored = () => settings.read('identity')?.deviceId ?? unstored.get(settings);
  const made = randomBytes(4).toString('hex');
  if (stored() === undefined) {
    await settings
      .update((draft) => {
        draft.identity = { deviceId: made, ...draft.identity };
      })
      .catch(() => unstored.set(settings, unstored.get(settings) ?? made));
  }
  return stored() ?? made;
}
