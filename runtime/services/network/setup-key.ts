/** The passphrase of the setup network: random, generated once, and shown only on the printed setup notice. */
import { randomInt } from 'node:crypto';
import type { Settings } from '../../kernel/settings.ts';

/** Letters and digits without 0 and o, 1, i and l: it is typed from paper. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const GROUPS = 3;
const GROUP = 4;

/** A new passphrase: twelve random characters (59 bits) in groups of four. */
export const makeKey = (): string =>
  Array.from({ length: GROUPS }, () =>
    Array.from({ length: GROUP }, () => ALPHABET[randomInt(ALPHABET.length)]).join(''),
  ).join('-');

/** The stored passphrase (section `setup`); a node that has none stores `made`, and uses it also if it cannot. Never rejects. */
export async function ensureSetupKey(settings: Settings, made: string): Promise<string> {
  if (settings.read('setup') === undefined) {
    await settings
      .update((draft) => {
        draft.setup = { key: made };
      })
      .catch(() => {});
  }
  return settings.read('setup')?.key ?? made;
}
