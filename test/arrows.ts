/** Which file needs which, as the TypeScript parser reads them; and the one table of what each floor may import. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import {
  type CallExpression,
  createSourceFile,
  forEachChild,
  isCallExpression,
  isExportDeclaration,
  isExternalModuleReference,
  isImportDeclaration,
  isImportEqualsDeclaration,
  isImportTypeNode,
  isLiteralTypeNode,
  isNewExpression,
  isStringLiteralLike,
  type Node,
  ScriptTarget,
  SyntaxKind,
} from 'typescript';
import { namesOf } from '../runtime/assembly/rooms/own-package.ts';

/** One file names another, by a path. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

/** All TypeScript files below a folder, declarations too; not those that are made of words and that git does not keep. */
export const sources = (directory: string): string[] =>
  readdirSync(directory).flatMap((name) => {
    const path = join(directory, name);
    // What a bench has installed beside it is none of ours.
    if (statSync(path).isDirectory()) return name === 'node_modules' ? [] : sources(path);
    return /\.tsx?$/.test(path) && !path.endsWith('.d.json.ts') ? [path] : [];
  });

/** The names that packages outside import, with their files: whoever writes one here means that file. */
const NAMES = namesOf('.');
/** Calls that load a module, besides `import()`: of Node, and of whatever calls them by their own name. */
const LOADS = /^(?:require|createRequire\(.*\)(?:\.resolve)?|.*\brequire\.resolve|import\.meta\.resolve)$/s;

/** What a file names, and the calls that load a module whose name is not in its text, as `file: call`. */
interface Reading {
  readonly arrows: Arrow[];
  readonly unread: string[];
}

/**
 * Every file of the tree that this text of a file names, by a path or by a name of the package: imports and exports, for a
 * side effect or for types, `import('…')` types, `import()`, `require()`, and `new URL('….ts', import.meta.url)`. Paths
 * are from the root of the tree. A module whose types it adds to (`declare module`) is none: that is how a room fills a registry.
 */
function read(from: string, text: string): Reading {
  const arrows: Arrow[] = [];
  const unread: string[] = [];
  const add = (specifier: Node | undefined, typeOnly: boolean) => {
    if (specifier === undefined || !isStringLiteralLike(specifier)) return;
    const name = specifier.text;
    const to = NAMES[name] ?? (/^\.{1,2}(\/|$)/.test(name) ? join(dirname(from), name) : undefined);
    if (to !== undefined) arrows.push({ from, to: normalize(to), typeOnly: typeOnly || from.endsWith('.d.ts') });
  };
  const file = createSourceFile(from, text, ScriptTarget.Latest, true);
  const required = [...text.matchAll(/\bconst (\w+) = createRequire\(/g)].flatMap(([, name = '']) => [
    name,
    `${name}.resolve`,
  ]);
  const isBeside = (node: Node | undefined): boolean => {
    if (node === undefined || !isNewExpression(node) || node.expression.getText(file) !== 'URL') return false;
    const [path, base] = node.arguments ?? [];
    return path !== undefined && isStringLiteralLike(path) && base?.getText(file) === 'import.meta.url';
  };
  const loads = (call: CallExpression) => {
    const [specifier] = call.arguments;
    const isRead = specifier !== undefined && isStringLiteralLike(specifier) && !/^(?:\/|file:)/.test(specifier.text);
    if (isRead) add(specifier, false);
    else unread.push(`${from}: ${call.getText(file)}`);
  };
  const visit = (node: Node): void => {
    if (isImportDeclaration(node))
      add(node.moduleSpecifier, node.importClause?.phaseModifier === SyntaxKind.TypeKeyword);
    else if (isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    else if (isImportEqualsDeclaration(node) && isExternalModuleReference(node.moduleReference))
      add(node.moduleReference.expression, node.isTypeOnly);
    else if (isCallExpression(node)) {
      const called = node.expression.getText(file);
      if (node.expression.kind === SyntaxKind.ImportKeyword || LOADS.test(called) || required.includes(called))
        loads(node);
    } else if (isNewExpression(node)) {
      const [path] = node.arguments ?? [];
      if (isBeside(node) && path !== undefined && /\.tsx?.$/.test(path.getText(file))) add(path, false);
      const called = node.expression.getText(file);
      if (/^(?:\w+\.)?(?:Shared)?Worker$/.test(called) && !isBeside(path))
        unread.push(`${from}: new ${called}(${path?.getText(file)})`);
    } else if (isImportTypeNode(node) && isLiteralTypeNode(node.argument)) add(node.argument.literal, true);
    forEachChild(node, visit);
  };
  visit(file);
  for (const { fileName } of file.referencedFiles)
    arrows.push({ from, to: normalize(join(dirname(from), fileName)), typeOnly: true });
  return { arrows, unread };
}

/** The arrows of a file with this text. */
export const arrowsIn = (from: string, text: string): Arrow[] => read(from, text).arrows;

/** The calls of a file with this text that load what is not read off it: the table cannot speak of them. */
export const unreadIn = (from: string, text: string): string[] => read(from, text).unread;

/** Every such call of the house, with what it loads. */
export const UNREAD: Readonly<Record<string, string>> = {
  'plugins/printer/drawing/renderer.ts: new Worker(this.#node.beside(PROGRAM))': 'draw.js, made of drawing/worker.ts',
  'runtime/assembly/rooms/evaluate.ts: import(pathToFileURL(outfile).href)': 'a bundle that it has just written',
  'runtime/assembly/variant/late-modules.ts: load(name)': 'names that a package in CommonJS exports',
  "runtime/assembly/rooms/rooms.ts: createRequire(join(root, 'package.json')).resolve(`${name}/package.json`)":
    'the folder of an installed room, of which nothing is run',
  'runtime/base/later.ts: require.resolve(`./${LATER_FILE}`)': 'text beside the bundle',
  'runtime/cli/main.ts: import(launcher.href)': 'launcher.js of the same build',
  'runtime/cli/main.ts: import(program.href)': 'pull.js or author.js of the same build',
};

/** Every arrow of these files. */
export const arrowsOf = (paths: readonly string[]): Arrow[] =>
  paths.flatMap((path) => arrowsIn(path, readFileSync(path, 'utf8')));

/** The floor that a file belongs to: `kernel` of `runtime/kernel/…`, `plugins`, `services`, `codecs`; a file of the root itself. */
export const floorOf = (path: string): string =>
  /^runtime\/([^/]+)/.exec(path)?.[1] ?? /^(?:codecs|plugins|recipes|test)(?=\/)/.exec(path)?.[0] ?? path;

/** The folder that a file belongs to: each room is one, and each folder of `runtime`. */
export const folderOf = (path: string): string =>
  /^(?:plugins|runtime\/services|runtime)\/[^/]+(?=\/)/.exec(path)?.[0] ?? floorOf(path);

/** Which part of a room a file is that speaks to a node from outside of it; undefined of a file that runs in the node. */
export const partOf = (path: string): string | undefined =>
  /^(?:plugins|runtime\/services)\/[^/]+\/(panel|page|client|cli|certify)(?:-[\w-]+)?(?:\/|\.tsx?$)/.exec(path)?.[1];

const GROUND = ['base', 'codecs', 'bindings', 'recipes'];
const FRONT = [...GROUND, 'kernel', 'http'];

/**
 * What each floor may import; of what has `(types)` behind it, types alone. Nothing imports `assembly`, `fleet`, `disk`, `new` and
 * `exports` but what stands in their own rows.
 */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  codecs: [],
  base: [],
  bindings: ['base', 'codecs'],
  recipes: GROUND,
  image: [],
  kernel: ['base', 'codecs (types)', 'bindings', 'recipes'],
  http: ['base', 'bindings', 'kernel'],
  boot: ['base', 'bindings', 'image'],
  client: ['base', 'codecs', 'kernel'],
  cli: ['base', 'boot', 'client'],
  page: ['base', 'client'],
  certify: ['base', 'codecs', 'recipes (types)', 'kernel (types)', 'client', 'cli'],
  services: [...FRONT, 'image'],
  plugins: FRONT,
  node: [...FRONT, 'client'],
  'load.ts': ['image'],
  'main.ts': ['base', 'bindings', 'boot', 'kernel', 'node'],
  conformance: [...GROUND, 'kernel', 'certify (types)', 'node', 'services'],
  exports: [
    ...['base', 'codecs', 'bindings', 'recipes (types)', 'kernel', 'http', 'client (types)', 'cli (types)', 'page'],
    ...['image (types)', 'conformance'],
  ],
  assembly: [
    ...[...FRONT, 'boot (types)', 'certify (types)', 'cli (types)', 'image', 'page (types)', 'plugins'],
    'package.json',
  ],
  new: ['base', 'codecs', 'bindings', 'recipes', 'assembly', 'exports'],
  disk: ['base', 'bindings', 'image', 'assembly', 'pull', 'package.json'],
  pull: ['base', 'codecs', 'http', 'client', 'cli', 'node'],
  fleet: [
    ...['base', 'codecs (types)', 'bindings (types)', 'recipes', 'kernel', 'http', 'cli', 'page', 'image', 'assembly'],
    ...['services', 'plugins', 'package.json'],
  ],
  'build.config.ts': ['base', 'assembly', 'package.json'],
};

/** What a room may import besides, and in which of its parts: `panel.tsx`, `panel-*.tsx` or below `panel/`, and so on. */
export const PARTS_MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  client: ['client'],
  panel: ['client', 'page'],
  page: ['client', 'page', 'certify'],
  cli: ['client', 'cli', 'certify'],
  certify: ['certify (types)'],
};

/** Both tables as rows of Markdown, as the plan on the wall shows them: the floors, and then the parts of a room. */
export const tableOfArrows = (): string => {
  const row = (name: string, may: readonly string[]) =>
    `| ${name} | ${may.map((to) => to.replace(/^\S+/, '`$&`')).join(', ') || 'nothing'} |`;
  return [
    '| floor | may import |',
    '|---|---|',
    ...Object.entries(MAY_IMPORT).map(([floor, may]) =>
      row(
        `\`${floor}\``,
        may.filter((to) => to !== floor),
      ),
    ),
    ...Object.entries(PARTS_MAY_IMPORT).map(([part, may]) => row(`\`${part}\` of a room, besides`, may)),
  ].join('\n');
};

/**
 * Arrows that the tables lack, as `from -> to`; tests may import everything. A room's `contract.ts` gives its types to other
 * rooms, and what runs in a node needs no part of its room that speaks to one.
 */
export const notInTable = (arrows: readonly Arrow[]): string[] =>
  arrows
    .filter(({ from, to, typeOnly }) => {
      const [a, b] = [floorOf(from), floorOf(to)];
      const isRoom = (floor: string) => floor === 'plugins' || floor === 'services';
      const part = partOf(from);
      if (a === 'test') return false;
      if (folderOf(from) === folderOf(to)) return part === undefined && partOf(to) !== undefined;
      if (isRoom(a) && isRoom(b)) return !(typeOnly && to.endsWith('/contract.ts'));
      const may = [...(MAY_IMPORT[a] ?? []), ...(PARTS_MAY_IMPORT[part ?? ''] ?? [])];
      return a !== b && !may.includes(b) && !(typeOnly && may.includes(`${b} (types)`));
    })
    .map(({ from, to }) => `${from} -> ${to}`);

/** Each circle once, from its first in the alphabet on; `nameOf` says what a path counts as: the file, or its folder. */
export function circles(arrows: readonly Arrow[], nameOf = (path: string) => path): string[] {
  const to = new Map<string, Set<string>>();
  for (const arrow of arrows) {
    const [from, target] = [nameOf(arrow.from), nameOf(arrow.to)];
    if (from === target && arrow.from !== arrow.to) continue;
    to.set(from, (to.get(from) ?? new Set()).add(target));
  }
  const found = new Set<string>();
  const done = new Set<string>();
  const follow = (name: string, way: readonly string[]): void => {
    const at = way.indexOf(name);
    if (at >= 0) {
      const circle = way.slice(at);
      const first = circle.indexOf(circle.toSorted()[0] ?? '');
      found.add([...circle.slice(first), ...circle.slice(0, first)].join(' -> '));
    }
    if (at >= 0 || done.has(name)) return;
    for (const next of to.get(name) ?? []) follow(next, [...way, name]);
    done.add(name);
  };
  for (const name of to.keys()) follow(name, []);
  return [...found];
}

/** Folders that all need each other, by whatever way: each such knot once, with all that are in it, in the order of the alphabet. */
export function knots(arrows: readonly Arrow[]): string[][] {
  const to = new Map<string, Set<string>>();
  for (const arrow of arrows) {
    const from = dirname(arrow.from);
    to.set(from, (to.get(from) ?? new Set()).add(dirname(arrow.to)));
  }
  const reachedFrom = (folder: string): Set<string> => {
    const reached = new Set(to.get(folder));
    for (const each of reached) for (const next of to.get(each) ?? []) reached.add(next);
    return reached;
  };
  const reach = new Map([...to.keys()].map((folder) => [folder, reachedFrom(folder)]));
  const tied = [...to.keys()]
    .sort()
    .map((folder) =>
      [...(reach.get(folder) ?? [])].filter((other) => other === folder || reach.get(other)?.has(folder)).sort(),
    );
  return tied.filter((knot, at) => knot.length > 1 && tied.findIndex(([first]) => first === knot[0]) === at);
}
