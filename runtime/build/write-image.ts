/** The last step of a build: the bundle, what it can do and its contract, as the one signed file that POST /update takes. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rawPublicKey } from '../image/format.ts';
import { developmentKey, pack, readKey } from '../image/pack.ts';
import { LICENSES } from './licenses.ts';

export const CONTENT = ['image.json', LICENSES, 'main.js', 'openapi.json'] as const;
const DEVELOPMENT_KEY = '.cache/keys/development.pem';

/** How the images of this build are signed, and what they trust. */
export interface Signing {
  readonly key: ReturnType<typeof readKey>;
  /** Raw public keys in base64, beside those that a variant's row names. */
  readonly alsoTrusted: readonly string[];
}

/** A release is signed with the key that is given, and trusts nothing but its variant's row. */
export function signingOf({ release, keyFile }: { release: boolean; keyFile: string | undefined }): Signing {
  if (release) {
    if (keyFile === undefined) throw new Error('--release needs --key FILE');
    return { key: readKey(keyFile), alsoTrusted: [] };
  }
  const key = keyFile === undefined ? developmentKey(DEVELOPMENT_KEY) : readKey(keyFile);
  return { key, alsoTrusted: [rawPublicKey(key)] };
}

/** What is to be said of a build whose images its own nodes will not take as an update; nothing where they will. */
export function warningOf(variant: string, trustedKeys: readonly string[], { key, alsoTrusted }: Signing): string {
  const own = rawPublicKey(key);
  if ([...trustedKeys, ...alsoTrusted].includes(own)) return '';
  return `${variant} takes no update signed with this key: trustedKeys in build.config.ts does not name ${own}\n`;
}

/** Writes `dist/<variant>/<name>-<variant>-<version>.img` from what stands in the folder. */
export async function writeImage(
  directory: string,
  product: string,
  about: { readonly variant: string; readonly version: string; readonly floor: number },
  { key }: Signing,
): Promise<void> {
  const contents = await Promise.all(
    CONTENT.map(async (name) => ({ name, bytes: await readFile(join(directory, name)) })),
  );
  await writeFile(join(directory, `${product}-${about.variant}-${about.version}.img`), pack(about, contents, key));
}
