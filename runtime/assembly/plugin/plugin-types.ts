/**
 * Generates the type declarations of what plugins import, so that they stand alone: those of each source file that the names
 * lead to, and of the packages whose types stand in them.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, normalize, relative, resolve } from 'node:path';
import type TS from 'typescript';
import { partOf } from '../rooms/rooms.ts';

/** Packages whose declarations come along: by its name, the entry that declares it. */
const packages = createRequire(import.meta.url);
const CARRIED: Readonly<Record<string, () => string>> = {
  '@sinclair/typebox': () => join(dirname(packages.resolve('@sinclair/typebox')), '../esm/index.d.mts'),
  preact: () => join(dirname(packages.resolve('preact/package.json')), 'src/index.d.ts'),
  tapable: () => join(dirname(packages.resolve('tapable')), '../tapable.d.ts'),
};
const CONFIG = 'runtime/page/tsconfig.json';
/** In a declaration: `from '…'`, `import '…'`, `import("…")` and `declare module '…'`. */
const SPECIFIER = /(\bfrom |\bimport |\bimport\(|\bmodule )(['"])([^'"]+)\2/g;
const SOURCE = /\.tsx?$/;

/** Where the declaration of a source file stands, below the folder of all of them. */
export const declarationAt = (source: string): string => source.replace(SOURCE, '.d.ts');

/**
 * Writes them to `directory`, each at `declarationAt` of its source. `entries`: the sources of the names. The first of them has the
 * open interfaces filled by the rooms in these folders. Rejects where a declaration names what it cannot bring along.
 */
export async function writePluginTypes(
  directory: string,
  entries: readonly string[],
  rooms: readonly string[],
): Promise<void> {
  // Loaded only when needed: it takes long.
  const { default: ts } = await import('typescript');
  const contracts = rooms.flatMap((room) => [partOf(room, 'contract') ?? [], partOf(room, 'client') ?? []].flat());
  const filling = contracts.map((path) => relative(process.cwd(), path));
  const declared = declarationsOf(ts, [...entries, ...filling]);
  const written = new Set<string>();
  const write = (source: string, also = '') => {
    if (written.has(source)) return;
    written.add(source);
    const text = declared(source).replaceAll(SPECIFIER, (whole, before, quote, name: string) => {
      const found = name.startsWith('.') ? ofTree(source, name) : CARRIED[name] && ofPackage(name);
      if (found === undefined) return whole;
      const path = relative(dirname(source), found);
      return `${before}${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`;
    });
    put(join(directory, declarationAt(source)), text + also);
  };
  const ofTree = (source: string, name: string) => {
    const path = normalize(join(dirname(source), name));
    if (!SOURCE.test(path)) throw new Error(`${source}: the declaration needs ${name}, which has none`);
    write(path);
    return path.replace(SOURCE, '.js');
  };
  const ofPackage = (name: string) => {
    const entry = CARRIED[name]?.() ?? '';
    carry(entry, dirname(entry), join(directory, name));
    return join(name, relative(dirname(entry), entry).replace(/\.d\.(m?)ts$/, '.$1js'));
  };
  const carry = (path: string, root: string, target: string) => {
    if (written.has(path)) return;
    written.add(path);
    const text = readFileSync(path, 'utf8').replaceAll(SPECIFIER, (whole, before, quote, name: string) => {
      if (!name.startsWith('.')) return whole;
      // Those of CommonJS leave the ending out.
      const file = /\.m?js$/.test(name) ? name : `${name}.js`;
      carry(join(dirname(path), file.replace(/\.(m?)js$/, '.d.$1ts')), root, target);
      return `${before}${quote}${file}${quote}`;
    });
    put(join(target, relative(root, path)), text);
  };

  const [first = '', ...others] = entries;
  const filled = filling.map((path) => {
    const from = relative(dirname(first), path).replace(SOURCE, '.js');
    return `import '${from}';\n`;
  });
  write(first, filled.join(''));
  for (const source of [...others, ...filling]) write(source);
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Gives the declarations of one source file after the other, as the compiler writes them. */
function declarationsOf(ts: typeof TS, entries: readonly string[]): (source: string) => string {
  const { config } = ts.readConfigFile(CONFIG, ts.sys.readFile) as { config: object };
  const alone = { ...config, include: [], exclude: [], files: entries.map((path) => resolve(path)) };
  const { options } = ts.parseJsonConfigFileContent(alone, ts.sys, dirname(resolve(CONFIG)));
  const program = ts.createProgram(
    [...alone.files, resolve('runtime/client/virtual-client.d.ts')],
    // What is wrong with a source is told by `npm run typecheck`.
    { ...options, noEmit: false, declaration: true, emitDeclarationOnly: true, noCheck: true },
  );
  return (source) => {
    const file = program.getSourceFile(resolve(source));
    if (file === undefined) throw new Error(`${source} is no source file of the program`);
    let text: string | undefined;
    const { diagnostics } = program.emit(
      file,
      (_, written) => {
        text = written;
      },
      undefined,
      true,
    );
    const [fault] = diagnostics;
    if (text === undefined || fault !== undefined)
      throw new Error(
        `${source}: ${fault ? ts.flattenDiagnosticMessageText(fault.messageText, '\n') : 'no declaration'}`,
      );
    return text;
  };
}
