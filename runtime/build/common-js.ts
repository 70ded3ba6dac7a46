/** The same module for programs in CommonJS, as a file `name.cjs` in place of `name.js` or beside it. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { transform } from 'esbuild';

/** What an ES module begins with that holds packages in CommonJS: they call require(). */
export const REQUIRE = "const require=process.getBuiltinModule('node:module').createRequire(import.meta.url);";

/** `path`: a bundle that imports nothing but what Node has. */
export async function writeCommonJs(path: string): Promise<void> {
  const module = (await readFile(path, 'utf8')).replace(REQUIRE, '');
  const { code } = await transform(module, {
    format: 'cjs',
    platform: 'node',
    minifySyntax: true,
    minifyWhitespace: true,
  });
  await writeFile(path.replace(/\.js$/, '.cjs'), code);
}

/** For a module with state that there must be one of in a program, whichever way it is imported: CommonJS serves both. */
export async function turnIntoCommonJs(path: string): Promise<void> {
  await writeCommonJs(path);
  await rm(path);
}
