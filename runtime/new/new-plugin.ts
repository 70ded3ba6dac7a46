/** A room that works, to begin with: the template beside this file under another name. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { makeFolder } from '../base/make-folder.ts';
import { Refused } from '../base/refused.ts';

const TEMPLATE = 'runtime/new/template';
const NAME = /^(?=.{2,20}$)[a-z]+(-[a-z]+)*$/;

/**
 * Writes it to `plugins/NAME`, or as a package of its own to `out`. Returns what to do next. A room that the same call
 * has written before stays as it is. Throws `Refused`.
 */
export function newPlugin(root: string, name: string, out: string | undefined): string {
  if (!NAME.test(name)) throw new Refused(`${name}: a name is 2 to 20 lower-case letters, with single hyphens between`);
  const folder = out ?? join('plugins', name);
  const at = out ?? join(root, folder);
  const next = out === undefined ? nextInside(name) : nextOutside(name, out, root);
  const files = new Map(
    readdirSync(join(root, TEMPLATE), { recursive: true, encoding: 'utf8' })
      .filter((path) => statSync(join(root, TEMPLATE, path)).isFile())
      .map((path) => [renamed(path, name), renamed(readFileSync(join(root, TEMPLATE, path), 'utf8'), name)]),
  );
  if (out !== undefined) for (const [path, text] of packageFiles(root, name)) files.set(path, text);
  if ([...files.keys()].every((path) => existsSync(join(at, path)))) return `is there already: ${folder}\n\n${next}`;
  for (const taken of [join('plugins', name), join('runtime/services', name)])
    if (existsSync(join(root, taken))) throw new Refused(`${name}: ${taken} is there already`);
  if (out !== undefined && existsSync(out) && readdirSync(out).length > 0)
    throw new Refused(`${out}: is there already, and not empty`);
  for (const [path, text] of files) {
    makeFolder(dirname(join(at, path)));
    writeFileSync(join(at, path), text, { flag: 'wx' });
  }
  return `wrote ${folder}\n\n${next}`;
}

/**
 * A text or path of the template under another name: as it is where it is a text, a file or a path, in the case of the
 * place where it is a name in a program.
 */
function renamed(text: string, name: string): string {
  const pascal = name.replaceAll(/(?:^|-)([a-z])/g, (_, first: string) => first.toUpperCase());
  return text
    .replaceAll('Sample', pascal)
    .replaceAll(/\bsample(?=[(A-Z])/g, `${name[0]}${pascal.slice(1)}`)
    .replaceAll(/(?<![A-Za-z])sample(?=_)/g, name.replaceAll('-', '_'))
    .replaceAll(/^( +)sample(?=:)/gm, `$1${name.includes('-') ? `'${name}'` : name}`)
    .replaceAll('sample', name);
}

/** As strict as this tree is; `preact` and the browser's names are for the panel. */
const TSCONFIG = `{
  "compilerOptions": {
    "target": "es2023",
    "lib": ["es2023", "dom", "dom.iterable"],
    "module": "nodenext",
    "types": ["node"],
    "jsx": "react-jsx",
    "jsxImportSource": "preact",
    "strict": true,
    "noUncheckedIndexedAccess": true,
    "exactOptionalPropertyTypes": true,
    "noImplicitOverride": true,
    "verbatimModuleSyntax": true,
    "erasableSyntaxOnly": true,
    "isolatedModules": true,
    "allowImportingTsExtensions": true,
    "resolveJsonModule": true,
    "skipLibCheck": true,
    "noEmit": true
  },
  "include": ["."],
  "exclude": ["node_modules", "dist"]
}
`;
/** What its test and its types need beside this package, of the versions that are used here. */
const TOOLS = ['@types/node', 'preact', 'typescript', 'vitest'];

function packageFiles(root: string, name: string): [string, string][] {
  const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  return [
    [
      'package.json',
      json({
        name: `tillnode-${name}`,
        version: '0.1.0',
        type: 'module',
        private: true,
        scripts: { test: 'vitest run', typecheck: 'tsc', build: 'tillnode build --with .' },
        peerDependencies: { tillnode: '*' },
        peerDependenciesMeta: { tillnode: { optional: true } },
        devDependencies: Object.fromEntries(TOOLS.map((tool) => [tool, devDependencies[tool]])),
      }),
    ],
    ['tsconfig.json', TSCONFIG],
    ['.gitignore', 'dist/\nnode_modules/\n.twin/\n'],
  ];
}

/** Whether a package in this folder finds this one, as Node looks for it. */
const finds = (folder: string): boolean =>
  existsSync(join(folder, 'node_modules/tillnode')) || (dirname(folder) !== folder && finds(dirname(folder)));

const nextInside = (name: string) => `try it:                 npx vitest run --project unit plugins/${name}
into an image:          put '${name}' into plugins of the twin's row in build.config.ts
start it:               npm start
look at it:             curl http://127.0.0.1:8080/${name}
`;

const nextOutside = (name: string, folder: string, root: string) => `in ${folder}:
  try it:               npm install${finds(resolve(folder)) ? '' : ` --save-dev ${resolve(root)}`} && npm test
  check its types:      npm run typecheck
  into a twin:          npm run build
  start that:           node dist/twin/launcher.js
  look at it:           curl http://127.0.0.1:8080/${name}
`;
