/**
 * Makes the pages of a node: each is one document with its style and script, its texts in each language, and the
 * Content-Security-Policy that permits only this style and script. What a route says of it is in the module
 * `virtual:document/NAME`, the rest in a file beside the bundle, which is read at the first request.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants as zlib } from 'node:zlib';
import type { TSchema } from '@sinclair/typebox';
import { build, type Plugin as EsbuildPlugin, transform } from 'esbuild';
import { LANGUAGES, type Table } from '../../base/language.ts';
import type { BuiltDocument } from '../../http/document.ts';
import { clientOf } from '../client/client-module.ts';
import { ownPackage } from '../rooms/own-package.ts';
import { partOf } from '../rooms/rooms.ts';
import { tourKindsOf, toursOf } from '../rooms/tours-module.ts';
import { helpModule } from './help-module.ts';

const ROOT = process.cwd();
/** Theme and kit, which all documents share. */
const SHARED = join(ROOT, 'runtime/page');

/** One page: `page.html`, `app.tsx` and `words` in its folder, and what rooms bring to it. Paths are of this tree. */
interface Declaration {
  readonly folder: string;
  /** Further folders of words, and styles. */
  readonly words: readonly string[];
  readonly styles: readonly string[];
  /** What rooms bring to it; undefined: nothing. */
  readonly part?: Part;
}

/** The part of a room that a page shows, the style beside that, and the words. */
interface Part {
  readonly name: 'panel' | 'certify';
  readonly style: string;
  /** Folders of words of such a room; those in `words/fault` are said by the node, too. */
  readonly words: readonly string[];
}

const DECLARATIONS = {
  page: {
    folder: 'runtime/page',
    words: [],
    styles: ['runtime/page/editor/editor.css'],
    part: { name: 'panel', style: 'panel.css', words: ['words', 'words/fault'] },
  },
  certify: {
    folder: 'runtime/services/certify/page',
    words: ['runtime/page/words', 'runtime/certify/words'],
    styles: ['runtime/services/certify/page/page.css'],
    part: { name: 'certify', style: 'certify.css', words: ['words/certify'] },
  },
  help: {
    folder: 'runtime/services/help/page',
    words: ['runtime/page/words'],
    styles: ['runtime/services/help/page/page.css'],
  },
  // That of operators of many nodes.
  fleet: {
    folder: 'runtime/fleet/page',
    words: ['runtime/page/words', 'runtime/services/bootlog/words'],
    styles: ['runtime/fleet/page/page.css'],
  },
} as const satisfies Readonly<Record<string, Declaration>>;

/** The documents that an image can have, each with a room of its own that serves it. */
export type DocumentName = keyof typeof DECLARATIONS;
/** Browsers that are kept up to date. */
const TARGET = ['chrome120', 'firefox121', 'safari17'];

/**
 * The file with the parts of all documents of an image, packed by Brotli (RFC 7932). Each is a line of JSON behind a word:
 * `NAME` the document, `NAME/LANGUAGE` its texts.
 */
export const PAGES = 'pages.br';

/** A document: what the module says of it, and its parts. */
export interface MadeDocument {
  readonly about: Omit<BuiltDocument, 'parts'>;
  readonly html: string;
  /** By language. */
  readonly texts: Readonly<Record<string, string>>;
}

/**
 * The content of `PAGES`. Brotli finds the same keys again in every language, and in each document what all of them have;
 * the window of gzip ends before the next one. It takes two seconds, beside those of the other images.
 */
export function packedParts(documents: ReadonlyMap<string, MadeDocument>): Promise<Buffer> {
  // In the same order each time: the same sources make the same image.
  const lines = [...documents]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, { html, texts }]) => [
      `${name} ${JSON.stringify(html)}`,
      ...Object.entries(texts).map(([language, json]) => `${name}/${language} ${json}`),
    ]);
  const text = ['', ...lines, ''].join('\n');
  return promisify(brotliCompress)(text, { params: { [zlib.BROTLI_PARAM_SIZE_HINT]: Buffer.byteLength(text) } });
}

/** The source of the module of a document, whose parts are in `PAGES`, beside the bundle. */
export const documentSource = (name: string, { about }: MadeDocument): string =>
  [
    `import { partsFrom } from ${JSON.stringify(join(ROOT, 'runtime/http/document.ts'))};`,
    `const parts = (language) => partsFrom(require.resolve('./${PAGES}'), ${JSON.stringify(name)}, language);`,
    `export const document = { ...${JSON.stringify(about)}, parts };`,
  ].join('\n');

/**
 * Makes a document, with what the rooms in these folders bring to it. `plugins`: further esbuild plugins for the script;
 * one of them replaces contracts by plain data. Rejects if a file does not compile, or imports words that do not come with the document.
 */
export async function makeDocument(
  name: DocumentName,
  rooms: readonly string[],
  ...plugins: readonly EsbuildPlugin[]
): Promise<MadeDocument> {
  const declared = DECLARATIONS[name];
  const [skeleton, style, script] = await Promise.all([
    readFile(join(ROOT, declared.folder, 'page.html'), 'utf8'),
    styleOf(declared, rooms),
    scriptOf(declared, rooms, plugins),
  ]);
  const html = skeleton.replace('/* style */', () => style).replace('/* script */', () => script);
  const texts = await textsIn(declared, rooms);
  return {
    about: {
      etag: createHash('sha256').update(html).update(JSON.stringify(texts)).digest('hex').slice(0, 16),
      policy: policyOf(style, script),
      languages: languagesOf(declared),
    },
    html,
    texts,
  };
}

/** The styles beside the parts of the rooms. */
const stylesOf = ({ part }: Declaration, rooms: readonly string[]): string[] =>
  part === undefined
    ? []
    : rooms
        .flatMap((room) => partOf(room, part.name) ?? [])
        .map((path) => join(dirname(path), part.style))
        .filter((path) => existsSync(path));

/** The languages on the menu of this document: its own folder has words in each. */
const languagesOf = ({ folder }: Declaration): string[] =>
  Object.keys(LANGUAGES).filter((language) => existsSync(join(ROOT, folder, 'words', `${language}.json`)));

/** Folders of words, in the order of the tables in the document: first that of the page itself. */
const wordFoldersIn = ({ folder, words, part }: Declaration, rooms: readonly string[]): string[] => [
  ...[`${folder}/words`, ...words].map((path) => join(ROOT, path)),
  ...rooms
    .filter((room) => part !== undefined && partOf(room, part.name) !== undefined)
    .flatMap((room) => (part?.words ?? []).map((path) => join(room, path)))
    .filter((path) => existsSync(join(path, 'en.json'))),
];

/** The tables of all these folders by language, as JSON. What a language lacks is in English. */
async function textsIn(declared: Declaration, rooms: readonly string[]): Promise<Record<string, string>> {
  const folders = wordFoldersIn(declared, rooms);
  const texts = languagesOf(declared).map(async (language) => {
    const tables = folders.map(async (folder) => ({
      ...(await tableAt(folder, 'en')),
      ...(await tableAt(folder, language)),
    }));
    return [language, JSON.stringify(await Promise.all(tables))] as const;
  });
  return Object.fromEntries(await Promise.all(texts));
}

async function tableAt(folder: string, language: string): Promise<Table> {
  const path = join(folder, `${language}.json`);
  return existsSync(path) ? JSON.parse(await readFile(path, 'utf8')) : {};
}

/** Replaces the English words in the script by the table of the document's language; resolves `virtual:languages`. */
const wordsOf = (declared: Declaration, rooms: readonly string[]): EsbuildPlugin => ({
  name: 'tillnode-words',
  setup(bundle) {
    const folders = wordFoldersIn(declared, rooms);
    const named = Object.entries(LANGUAGES).filter(([language]) => languagesOf(declared).includes(language));
    bundle.onResolve({ filter: /^virtual:languages$/ }, ({ path }) => ({ path, namespace: 'tillnode' }));
    bundle.onLoad({ filter: /^virtual:languages$/, namespace: 'tillnode' }, () => ({
      contents: JSON.stringify(Object.fromEntries(named)),
      loader: 'json',
    }));
    bundle.onLoad({ filter: /[\\/]en\.json$/ }, ({ path }) => {
      const index = folders.indexOf(dirname(path));
      if (index < 0) throw new Error(`${path}: the words of this folder do not come with the document`);
      const speech = JSON.stringify(join(ROOT, 'runtime/base/speech.ts'));
      return { contents: `import { wordsAt } from ${speech}; export default wordsAt(${index});`, loader: 'js' };
    });
  },
});

/**
 * Reduces a schema to what the page shows of it: limits and choices. Descriptions are kept only in unions with a
 * discriminator, whose variants the editor offers; settings are named by texts of the panels. `composed`: schemas that
 * the rooms of the image declare together, used instead of those with the same `$id`.
 */
export function shownOf(schema: unknown, composed: readonly TSchema[] = [], offered = false): unknown {
  if (Array.isArray(schema)) return schema.map((each) => shownOf(each, composed, offered));
  if (typeof schema !== 'object' || schema === null) return schema;
  const meant = composed.find((each) => each !== schema && '$id' in schema && each.$id === schema.$id);
  if (meant !== undefined) return shownOf(meant, [], offered);
  const inside = offered || 'discriminator' in schema;
  const kept = Object.entries(schema).filter(
    ([key, value]) => typeof value !== 'string' || !(key === '$id' || (key === 'description' && !inside)),
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, shownOf(value, composed, inside)]));
}

/** The theme of every document (`runtime/page/styles`), in the order of its rules. */
const THEME = ['base', 'frame', 'content', 'form', 'narrow'].map((name) => join(SHARED, 'styles', `${name}.css`));

/** The theme, the styles of the page and those beside the parts of the rooms, minified. */
async function styleOf(declared: Declaration, rooms: readonly string[]): Promise<string> {
  const own = [...THEME, ...declared.styles.map((path) => join(ROOT, path))];
  const theirs = stylesOf(declared, rooms);
  const sheets = await Promise.all([...own, ...theirs].map((path) => readFile(path, 'utf8')));
  const { code } = await transform(sheets.join('\n'), {
    loader: 'css',
    minify: true,
    target: TARGET,
  });
  return code.trim();
}

async function scriptOf(
  declared: Declaration,
  rooms: readonly string[],
  plugins: readonly EsbuildPlugin[],
): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, declared.folder, 'app.tsx')],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: TARGET,
    minify: true,
    charset: 'utf8',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'silent',
    plugins: [
      ownPackage(ROOT),
      onePreact,
      panelsOf(rooms),
      toursOf(rooms),
      tourKindsOf(rooms),
      helpModule,
      wordsOf(declared, rooms),
      clientOf(rooms),
      ...plugins,
    ],
  });
  return (outputFiles[0]?.text ?? '').trim();
}

/** Resolves Preact from this tree for every import: a panel in another package may have none, or a second copy. */
const onePreact: EsbuildPlugin = {
  name: 'tillnode-preact',
  setup(bundle) {
    bundle.onResolve({ filter: /^preact(\/|$)/ }, ({ path, kind, pluginData }) =>
      pluginData === onePreact ? undefined : bundle.resolve(path, { kind, resolveDir: SHARED, pluginData: onePreact }),
    );
  },
};

/** Resolves `virtual:panels`: the panels of the rooms that have one. */
const panelsOf = (rooms: readonly string[]): EsbuildPlugin => ({
  name: 'tillnode-panels',
  setup(bundle) {
    const panels = rooms.flatMap((room) => partOf(room, 'panel') ?? []);
    bundle.onResolve({ filter: /^virtual:panels$/ }, ({ path }) => ({ path, namespace: 'tillnode' }));
    bundle.onLoad({ filter: /^virtual:panels$/, namespace: 'tillnode' }, () => ({
      contents: [
        ...panels.map((path, index) => `import panel${index} from ${JSON.stringify(path)};`),
        `export default [${panels.map((_, index) => `panel${index}`).join(', ')}];`,
      ].join('\n'),
      resolveDir: SHARED,
      loader: 'js',
    }));
  },
});

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/**
 * The policy (Content Security Policy Level 3, Trusted Types): only this style and script, and requests to the node.
 */
const policyOf = (style: string, script: string): string =>
  [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "connect-src 'self'",
    "img-src 'self' data: blob:",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
