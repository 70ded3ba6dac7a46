/** The bundle of an image as a script, which V8 can compile ahead, and not an ES module, which it cannot. */
import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { build } from 'esbuild';
import { LATER, LATER_FILE, placeInBundle } from '../../base/later.ts';
import { BUNDLE, MAIN } from '../../image/compiled.ts';
import { REQUIRE } from '../client/common-js.ts';

/** A string that begins as a later text does, in any of the three quotes; the build leaves no `${` in one. */
const STRING = new RegExp(`(["'\`])${LATER}(?!@)(?:(?!\\1)[^\\\\]|\\\\[^])*\\1`, 'g');
const END = /\s*export\{\};\s*$/;
/** How esbuild makes a namespace of a module in CommonJS: a new object, to which each export is copied as a getter. */
const COPIED = /__toESM=\((\w+),(\w+),\w+\)=>\(.*?,\1\)\)(?=,)/;
/** The same without copies: the exports are found by its prototype. A start would make 900 of them. */
const FOUND = '__toESM=($1,$2)=>$2||!$1||!$1.__esModule?__create(Object($1),{default:{value:$1}}):$1';
/** Packages that stay beside an image; all are CommonJS. */
const BESIDE = /\bimport\("([\w-]+)"\)/g;

/**
 * Makes of the ES module `node.js` in this folder the script of the image, and writes what starts it, `main.cjs`. Its `main.js`
 * starts that, for launchers that know no other name, and names the digest of both: a launcher tells by `main.js` whether two
 * images are the same. Throws where the module imports or exports something.
 */
export async function moveToScript(directory: string): Promise<void> {
  const from = join(directory, 'node.js');
  const module = await readFile(from, 'utf8');
  if (!module.startsWith(REQUIRE) || !END.test(module))
    throw new Error(`${from} has another form than a bundle of an image`);
  const content = module
    .slice(REQUIRE.length)
    .replace(END, '')
    .replaceAll(BESIDE, 'Promise.resolve().then(()=>require("$1"))');
  if (!COPIED.test(content)) throw new Error(`${from} makes namespaces in another way`);
  const { kept, later } = withoutLater(content.replace(COPIED, FOUND));
  const script = `(function(require){"use strict";${kept}\n})\n`;
  // It is read byte by byte.
  if (/[^\0-\x7f]/.test(script)) throw new Error(`${from} has characters that are not ASCII`);
  await writeFile(join(directory, BUNDLE), script);
  await writeFile(join(directory, LATER_FILE), later);
  await rm(from);
  await build({
    entryPoints: ['runtime/load.ts'],
    outfile: join(directory, MAIN),
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minifySyntax: true,
    minifyWhitespace: true,
    logLevel: 'silent',
  });
  const digest = createHash('sha256')
    .update(script)
    .update(later)
    .update(await readFile(join(directory, MAIN)))
    .digest('hex');
  await writeFile(join(directory, 'main.js'), `import './${MAIN}';\n// ${BUNDLE} ${digest}\n`);
}

/** The bundle with its later texts left out, each with its place in `later` instead. */
export function withoutLater(content: string): { readonly kept: string; readonly later: Buffer } {
  const texts: Buffer[] = [];
  let bytes = 0;
  const kept = content.replaceAll(STRING, (literal) => {
    const text = Buffer.from((runInNewContext(literal) as string).slice(LATER.length));
    texts.push(text);
    bytes += text.length;
    return JSON.stringify(placeInBundle(bytes - text.length, text.length));
  });
  return { kept, later: Buffer.concat(texts) };
}
