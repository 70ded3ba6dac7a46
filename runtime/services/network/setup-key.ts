/** The passphrase of the setup network: random, generated once, and shown only on the printed setup notice. */
import { randomInt } from 'node:crypto';
import type { Settings } from '../../kernel/settings.ts';

/** Without 0 and o, 1, i and l: it is typed from paper. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const GROUPS = 3;
const GROUP = 4;

/** Twelve random characters (59 bits) in groups of four. */
const makeKey = (): string =>
  Array.from({ length: GROUPS }, () =>
    Array.from({ length: GROUP }, () => ALPHABET[randomInt(ALPHABET.length)]).join(''),
  ).join('-');

/** Keys that could not be stored: they last as long as the process. */
const unstored = new WeakMap<Settings, string>();

/** The passphrase; generated at the first call and stored (section `setup`). Never rejects. */
export async function ensureSetupKey(settings: Settings): Promise<string> {
  const stored = () => settings.read('setup')?.key ?? unstored.get(settings);
  const known = stored();
  if (known !== undefined) return known;
  const key = makeKey();
  await settings
    .update((draft) => {
      draft.setup = { key };
    })
    .catch(() => unstored.set(settings, key));
  return stored() ?? key;
}
