/** The last step of a build: writes the signed image file, which POST /update accepts. */
import { generateKeyPairSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LATER_FILE } from '../../base/later.ts';
import { BUNDLE, MAIN } from '../../image/compiled.ts';
import { rawPublicKey } from '../../image/format.ts';
import { developmentKey, pack, readKey } from '../../image/pack.ts';
import { LICENSES } from '../licenses/licenses.ts';
import { npmComponents, sbomOf } from '../licenses/sbom.ts';
import { PAGES } from '../page/document-module.ts';
import { FONTS } from '../page/fonts/write-pack.ts';

/** Names of the files that every image has, and of those that one has whose rooms draw text. */
const CONTENT = ['image.json', LICENSES, 'main.js', MAIN, BUNDLE, LATER_FILE, 'openapi.json', PAGES];
const DRAWING = ['draw.js', ...FONTS];

/** Names of the files of the image in `directory`. */
export const contentOf = (directory: string): string[] => [
  ...CONTENT,
  ...DRAWING.filter((name) => existsSync(join(directory, name))),
];
const DEVELOPMENT_KEY = '.cache/keys/development.pem';

/** The key that signs the images of this build, and the keys that they trust. */
export interface Signing {
  readonly key: ReturnType<typeof readKey>;
  /** Raw public keys in base64, in addition to the `trustedKeys` of a variant. */
  readonly alsoTrusted: readonly string[];
  /** The signature is to be replaced. */
  readonly isPassing?: boolean;
}

/** How a build was asked to sign. */
export interface SigningAsked {
  readonly release: boolean;
  readonly unsigned?: boolean;
  readonly keyFile: string | undefined;
}

/**
 * The signing of a build. A release is signed with the key in `keyFile` and trusts only the `trustedKeys` of its variant. One
 * that is `unsigned` has a signature by a key that is thrown away, until `npm run image -- sign` replaces it where the key is.
 * Throws if a release is asked for neither. Other builds are signed with `keyFile` or with a development key, and trust that key
 * too.
 */
export function signingOf({ release, unsigned = false, keyFile }: SigningAsked): Signing {
  if (release) {
    if (unsigned) return { key: generateKeyPairSync('ed25519').privateKey, alsoTrusted: [], isPassing: true };
    if (keyFile === undefined) throw new Error('--release needs --key FILE, or --unsigned');
    return { key: readKey(keyFile), alsoTrusted: [] };
  }
  const key = keyFile === undefined ? developmentKey(DEVELOPMENT_KEY) : readKey(keyFile);
  return { key, alsoTrusted: [rawPublicKey(key)] };
}

/** A warning if the nodes of this build would refuse updates signed with this key; else ''. */
export function warningOf(
  variant: string,
  trustedKeys: readonly string[],
  { key, alsoTrusted, isPassing }: Signing,
): string {
  if (isPassing) return '';
  const own = rawPublicKey(key);
  if ([...trustedKeys, ...alsoTrusted].includes(own)) return '';
  return `${variant} takes no update signed with this key: trustedKeys in build.config.ts does not name ${own}\n`;
}

/**
 * Writes `<product>-<variant>-<version>.img` to `directory`, from the files there, and beside it what is inside
 * (`.cdx.json`, CycloneDX).
 */
export async function writeImage(
  directory: string,
  product: string,
  about: { readonly variant: string; readonly version: string; readonly floor: number },
  { key }: Signing,
): Promise<void> {
  const contents = await Promise.all(
    contentOf(directory).map(async (name) => ({ name, bytes: await readFile(join(directory, name)) })),
  );
  const name = `${product}-${about.variant}`;
  const path = join(directory, `${name}-${about.version}`);
  await writeFile(`${path}.img`, pack(about, contents, key));
  const components = npmComponents(await readFile(join(directory, LICENSES), 'utf8'));
  await writeFile(`${path}.cdx.json`, sbomOf({ name, version: about.version }, components));
}
