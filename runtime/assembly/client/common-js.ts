/** The same module for programs in CommonJS, as a file `name.cjs` in place of `name.js` or beside it. */
import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { transform } from 'esbuild';

/** What an ES module begins with that holds packages in CommonJS: they call require(). */
export const REQUIRE = "const require=process.getBuiltinModule('node:module').createRequire(import.meta.url);";

/** Files of the same package that are loaded later; no such file holds an import of another kind. */
const LATER = /\bimport\("(\.\/[\w-]+)\.js"\)/g;

/**
 * Writes the CommonJS form of the bundle at `path` beside it; the bundle may import only Node built-ins, and later files of
 * its own package.
 */
export async function writeCommonJs(path: string): Promise<void> {
  const module = (await readFile(path, 'utf8'))
    .replace(REQUIRE, '')
    .replaceAll(LATER, 'Promise.resolve().then(()=>require("$1.cjs"))');
  const { code } = await transform(module, {
    format: 'cjs',
    platform: 'node',
    minifySyntax: true,
    minifyWhitespace: true,
  });
  await writeFile(path.replace(/\.js$/, '.cjs'), code);
}

/**
 * For a module with state that there must be one of in a program, whichever way it is imported: CommonJS has it, and
 * `path` becomes an ES module that loads that. (An import of the CommonJS file by name would have Node read all of it
 * once more, for the names of its exports.)
 */
export async function moveToCommonJs(path: string): Promise<void> {
  await writeCommonJs(path);
  const file = path.replace(/\.js$/, '.cjs');
  // What esbuild leaves for readers of a CommonJS module: the names that it exports.
  const names = /0&&\(module\.exports=\{([^}]*)\}\)/.exec(await readFile(file, 'utf8'))?.[1];
  if (names === undefined) throw new Error(`${path} exports nothing`);
  const load = `createRequire(import.meta.url)('./${basename(file)}')`;
  await writeFile(path, `import { createRequire } from 'node:module';\nexport const { ${names} } = ${load};\n`);
}
