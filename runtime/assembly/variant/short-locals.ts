/** The names that an image has within its functions are short; those that a stack trace shows stay. */
import { readFile, writeFile } from 'node:fs/promises';
import { transform } from 'esbuild';
import { REQUIRE } from '../client/common-js.ts';

/** What makes a file an ES module, of which esbuild would shorten all names: it keeps those at the top of a script. */
const MODULE = /\s*export\{\};\s*$/;
/** Stands for the `#` of a private name: esbuild would shorten that, and leaves the name of a property alone. The space ends a word before it. */
const PRIVATE = 'PRIVATE_NAME_';

/**
 * Shortens the names of parameters, variables and functions within the functions of the bundle at `path`. Functions and classes at the
 * top of a source file, methods and private names stay as they are written. Throws where it is no such bundle.
 */
export async function shortenLocals(path: string): Promise<void> {
  const module = await readFile(path, 'utf8');
  if (!module.startsWith(REQUIRE) || !MODULE.test(module) || module.includes(PRIVATE))
    throw new Error(`${path} has another form than a bundle of an image`);
  const script = module
    .slice(REQUIRE.length)
    .replace(MODULE, '')
    .replaceAll(/#(?=[A-Za-z_$])/g, ` ${PRIVATE}`);
  const { code } = await transform(script, { minify: true, target: 'node20' });
  await writeFile(path, `${REQUIRE}\n${code.replaceAll(new RegExp(` ?${PRIVATE}`, 'g'), '#')}export{};\n`);
}
