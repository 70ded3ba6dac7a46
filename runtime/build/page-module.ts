/**
 * Generates the module `virtual:page` for the room `page`: the operator page as one document with its style and script,
 * its texts in each language, and the Content-Security-Policy that permits only this style and script.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync, constants as zlib } from 'node:zlib';
import type { TSchema } from '@sinclair/typebox';
import { build, type Plugin as EsbuildPlugin, transform } from 'esbuild';
import { LANGUAGES } from '../page/kit/catalogue.ts';
import { clientOf } from './client-module.ts';
import { ownPackage } from './own-package.ts';
import { partOf } from './rooms.ts';

const ROOT = process.cwd();
const SOURCE = join(ROOT, 'runtime/page');
/** Browsers that are kept up to date. */
const TARGET = ['chrome120', 'firefox121', 'safari17'];

/**
 * The source of the module, with the panels of the rooms in these folders. `plugins`: further esbuild plugins for the
 * script; one of them replaces contracts by plain data. Rejects if a file does not compile.
 */
export async function pageSource(rooms: readonly string[], ...plugins: readonly EsbuildPlugin[]): Promise<string> {
  const [skeleton, style, script] = await Promise.all([
    readFile(join(SOURCE, 'page.html'), 'utf8'),
    styleOf(rooms),
    scriptOf(rooms, plugins),
  ]);
  const html = skeleton.replace('/* style */', () => style).replace('/* script */', () => script);
  const words = JSON.stringify(await wordsIn(rooms));
  const page = {
    etag: createHash('sha256').update(html).update(words).digest('hex').slice(0, 16),
    policy: policyOf(style, script),
    languages: Object.keys(LANGUAGES),
    html: packed(html),
    words: packed(words),
  };
  return `export const page = ${JSON.stringify(page)};`;
}

const packed = (text: string): string => gzipSync(text, { level: zlib.Z_BEST_COMPRESSION }).toString('base64');

type Tables = Readonly<Record<string, string>>;

/**
 * Paths of the text catalogues (`words.ts`), in the order of the tables in the document: first that of the page itself.
 */
const cataloguesIn = (rooms: readonly string[]): string[] =>
  [SOURCE, ...panelsIn(rooms).map(dirname)].map((at) => join(at, 'words.ts')).filter((path) => existsSync(path));

/** The tables of all catalogues by language; English if a catalogue does not have the language. */
async function wordsIn(rooms: readonly string[]): Promise<Record<string, Tables[]>> {
  const catalogues = await Promise.all(cataloguesIn(rooms).map(catalogueAt));
  return Object.fromEntries(
    Object.keys(LANGUAGES).map((language) => [
      language,
      catalogues.map((catalogue) => catalogue[language] ?? catalogue['en'] ?? {}),
    ]),
  );
}

/** Evaluates a catalogue, which is plain data: it imports only types. */
async function catalogueAt(path: string): Promise<Readonly<Record<string, Tables>>> {
  const { code } = await transform(await readFile(path, 'utf8'), { loader: 'ts', charset: 'utf8' });
  const { words } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  return words;
}

/** Replaces each catalogue in the script by the index of its table. */
const wordsOf = (rooms: readonly string[]): EsbuildPlugin => ({
  name: 'tillnode-words',
  setup(bundle) {
    const catalogues = cataloguesIn(rooms);
    bundle.onLoad({ filter: /\/words\.ts$/ }, ({ path }) => {
      const index = catalogues.indexOf(path);
      if (index < 0) return undefined;
      const language = JSON.stringify(join(SOURCE, 'kit/language.ts'));
      return { contents: `import { wordsAt } from ${language}; export const words = wordsAt(${index});`, loader: 'js' };
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

/** The style of the page and the `panel.css` beside each panel, minified. */
async function styleOf(rooms: readonly string[]): Promise<string> {
  const own = [join(SOURCE, 'styles.css'), join(SOURCE, 'editor/editor.css')];
  const theirs = panelsIn(rooms)
    .map((panel) => join(dirname(panel), 'panel.css'))
    .filter((path) => existsSync(path));
  const sheets = await Promise.all([...own, ...theirs].map((path) => readFile(path, 'utf8')));
  const { code } = await transform(sheets.join('\n'), {
    loader: 'css',
    minify: true,
    target: TARGET,
  });
  return code.trim();
}

async function scriptOf(rooms: readonly string[], plugins: readonly EsbuildPlugin[]): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(SOURCE, 'app.tsx')],
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
    plugins: [ownPackage(ROOT), onePreact, panelsOf(rooms), wordsOf(rooms), clientOf(rooms), ...plugins, commands],
  });
  return (outputFiles[0]?.text ?? '').trim();
}

/** Resolves Preact from this tree for every import: a panel in another package may have none, or a second copy. */
const onePreact: EsbuildPlugin = {
  name: 'tillnode-preact',
  setup(bundle) {
    bundle.onResolve({ filter: /^preact(\/|$)/ }, ({ path, kind, pluginData }) =>
      pluginData === onePreact ? undefined : bundle.resolve(path, { kind, resolveDir: SOURCE, pluginData: onePreact }),
    );
  },
};

const panelsIn = (rooms: readonly string[]): string[] => rooms.flatMap((room) => partOf(room, 'panel') ?? []);

/** Resolves `virtual:panels`: the panels of the rooms that have one. */
const panelsOf = (rooms: readonly string[]): EsbuildPlugin => ({
  name: 'tillnode-panels',
  setup(bundle) {
    const panels = panelsIn(rooms);
    bundle.onResolve({ filter: /^virtual:panels$/ }, ({ path }) => ({ path, namespace: 'tillnode' }));
    bundle.onLoad({ filter: /^virtual:panels$/, namespace: 'tillnode' }, () => ({
      contents: [
        ...panels.map((path, index) => `import panel${index} from ${JSON.stringify(path)};`),
        `export default [${panels.map((_, index) => `panel${index}`).join(', ')}];`,
      ].join('\n'),
      resolveDir: SOURCE,
      loader: 'js',
    }));
  },
});

const ENCODER = join(ROOT, 'codecs/escpos-encoder.ts');

/** Reduces the command table of node-thermal-printer to what the encoder uses, without Node's Buffer. */
const commands: EsbuildPlugin = {
  name: 'tillnode-commands',
  setup(bundle) {
    bundle.onLoad({ filter: /node-thermal-printer\/lib\/types\/epson-config\.js$/ }, async ({ path }) => {
      const { default: table } = (await import(path)) as { readonly default: Readonly<Record<string, Uint8Array>> };
      const names = new Set((await readFile(ENCODER, 'utf8')).match(/(?<=\bcommands\.)[A-Z0-9_]+/g));
      const used = [...names].map((name) => `${name}: Uint8Array.of(${table[name]?.join()})`);
      return { contents: `export default { ${used.join(', ')} };`, loader: 'js' };
    });
  },
};

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
