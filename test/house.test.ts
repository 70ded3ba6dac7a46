/** The layout's rules, read off the import lines: a wrong arrow fails here. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { namesOf } from '../runtime/assembly/variant/own-package.ts';
import {
  type Arrow,
  arrowsIn,
  arrowsOf,
  circles,
  floorOf,
  folderOf,
  MAY_IMPORT,
  notInTable,
  PARTS_MAY_IMPORT,
  partOf,
  sources,
} from './arrows.ts';

const arrows = arrowsOf([...['codecs', 'runtime', 'plugins'].flatMap(sources), 'build.config.ts']);
const ofTests = arrowsOf([...sources('test'), 'vitest.config.ts']);
const wrong = (from: RegExp, to: RegExp, allowed: (arrow: Arrow) => boolean = () => false) =>
  arrows
    .filter((arrow) => from.test(arrow.from) && to.test(arrow.to) && !allowed(arrow))
    .map(({ from: a, to: b }) => `${a} -> ${b}`);

describe('imports run one way', () => {
  it('each floor imports what the table names for it, and no room another one, but types from its contract', () => {
    expect(notInTable(arrows)).toEqual([]);
    expect([...new Set(arrows.map(({ from }) => floorOf(from)))].filter((floor) => !(floor in MAY_IMPORT))).toEqual([]);
  });

  it('the tables name nothing for a floor or a part that no file of it takes, but the codecs, which need nothing', () => {
    const taken = new Set(
      arrows.flatMap(({ from, to }) => [floorOf(from), partOf(from)].map((name) => `${name} -> ${floorOf(to)}`)),
    );
    const named = [...Object.entries(MAY_IMPORT), ...Object.entries(PARTS_MAY_IMPORT)].flatMap(([floor, may]) =>
      may.map((to) => `${floor} -> ${to}`),
    );
    expect(named.filter((arrow) => !taken.has(arrow) && !arrow.endsWith(' -> codecs'))).toEqual([]);
  });

  const PAGE = 'runtime/page/kit/layout.tsx';
  const without = Object.keys(MAY_IMPORT).filter((floor) => floor !== 'page' && !MAY_IMPORT[floor]?.includes('page'));
  const probes = without.flatMap((floor) => {
    if (floor === 'plugins')
      return ['plugins/scale/index.ts', 'plugins/scale/cli.ts', 'plugins/printer/layout/panel.ts'];
    if (floor === 'services') return ['runtime/services/jobs/jobs.ts', 'runtime/services/page/index.ts'];
    if (floor === 'codecs') return ['codecs/probe.ts'];
    if (floor === 'build.config.ts') return [floor];
    return [floor.endsWith('.ts') ? `runtime/${floor}` : `runtime/${floor}/probe.ts`];
  });
  it.each(probes)('%s may not import the page', (path) => {
    const line = `import { Row } from './${relative(dirname(path), PAGE)}';`;
    expect(notInTable(arrowsIn(path, line))).toEqual([`${path} -> ${PAGE}`]);
  });

  const KERNEL = 'runtime/kernel/probe.ts';
  it.each([
    [KERNEL, "import { imageOf } from '../assembly/variant/rooms.ts';", 'runtime/assembly/variant/rooms.ts'],
    [KERNEL, "import type { Card } from '../page/panel.ts';", 'runtime/page/panel.ts'],
    [KERNEL, "import '../services/jobs/index.ts';", 'runtime/services/jobs/index.ts'],
    [KERNEL, "const load = () => import('../services/jobs/index.ts');", 'runtime/services/jobs/index.ts'],
    [KERNEL, 'const load = () => import(`../services/jobs/index.ts`);', 'runtime/services/jobs/index.ts'],
    [KERNEL, "let job: import('../services/jobs/contract.ts').Job;", 'runtime/services/jobs/contract.ts'],
    [KERNEL, "export * from '../http/server.ts';", 'runtime/http/server.ts'],
    [KERNEL, "import jobs = require('../services/jobs/index.ts');", 'runtime/services/jobs/index.ts'],
    [KERNEL, "const jobs = require('../services/jobs/index.ts');", 'runtime/services/jobs/index.ts'],
    [KERNEL, "createRequire(import.meta.url)('../services/jobs/index.ts');", 'runtime/services/jobs/index.ts'],
    [KERNEL, "new Worker(new URL('../services/jobs/index.ts', import.meta.url));", 'runtime/services/jobs/index.ts'],
    [KERNEL, "/// <reference path='../services/jobs/contract.ts' />", 'runtime/services/jobs/contract.ts'],
    [KERNEL, "import { definePlugin } from 'tillnode/plugin';", 'runtime/exports/plugin.ts'],
    [KERNEL, "import { http } from '..';", 'runtime'],
    ['plugins/scale/probe.ts', "import { Job } from '../printer/jobs/job.ts';", 'plugins/printer/jobs/job.ts'],
    ['plugins/scale/probe.ts', "import type { Job } from '../printer/jobs/job.ts';", 'plugins/printer/jobs/job.ts'],
    ['plugins/scale/probe.ts', "import { Line } from '../printer/contract.ts';", 'plugins/printer/contract.ts'],
    ['runtime/services/help/probe.ts', "import '../jobs/jobs.ts';", 'runtime/services/jobs/jobs.ts'],
    ['plugins/scale/index.ts', "import './panel.tsx';", 'plugins/scale/panel.tsx'],
    ['plugins/scale/panel.tsx', "import '../../runtime/cli/help.ts';", 'runtime/cli/help.ts'],
    ['runtime/services/jobs/index.ts', "import type { Once } from '../../client/once.ts';", 'runtime/client/once.ts'],
  ])('%s: %s is seen', (path, line, to) => {
    expect(notInTable(arrowsIn(path, `${line}\nconst text = 1;\n`))).toEqual([`${path} -> ${to}`]);
  });

  it('no file needs itself, nor a folder, by whatever way, types and tests included', () => {
    const all = [...arrows, ...ofTests];
    expect(circles(all)).toEqual([]);
    const between = all.filter(({ from, to }) => folderOf(from) !== folderOf(to));
    expect(circles(between, folderOf)).toEqual([]);
  });

  it('the virtual printer shares nothing with the codecs that it is there to judge', () => {
    expect(wrong(/^plugins\/printer\/virtual\//, /^codecs\//)).toEqual([]);
  });

  it('native bindings are imported by the generated variant module, the launcher and the command line alone', () => {
    const own = (arrow: Arrow) =>
      /^runtime\/((boot|cli)\/|bindings\/(native\/|virtual\/bindings\.ts))|\/cli\.ts$/.test(arrow.from);
    expect(wrong(/^/, /^runtime\/bindings\/native\//, own)).toEqual([]);
  });

  it('a child process is signalled by the one function that knows whether there is one', () => {
    const signals = ['runtime', 'plugins']
      .flatMap(sources)
      .filter((path) => /\.kill\(/.test(readFileSync(path, 'utf8')));
    expect(signals).toEqual(['runtime/bindings/native/child.ts']);
  });

  it('a file is replaced by the one function that keeps it whole; others give a name to what a program or an upload made', () => {
    const renaming = ['runtime', 'plugins']
      .flatMap(sources)
      .filter((path) => /\brename(Sync)?\(/.test(code(path)) && /from 'node:fs/.test(code(path)));
    expect(renaming.sort()).toEqual([
      'runtime/base/durable.ts',
      'runtime/boot/slots.ts',
      'runtime/disk/disk-cli.ts',
      'runtime/disk/packages.ts',
      'runtime/fleet/firmware/images.ts',
      'runtime/new/build-with.ts',
      'runtime/pull/long-answer.ts',
    ]);
  });

  it('what runs in a node sees it as its plugins do: the class is for the kernel and for what starts one', () => {
    expect(
      wrong(/^/, /^runtime\/kernel\/(kernel|hotplug)\.ts$/, ({ from }) =>
        /^runtime\/((kernel|node)\/|assembly\/variant\/open-rooms\.ts$)/.test(from),
      ),
    ).toEqual([]);
  });

  it('the client names no room: the build brings it what each of them has in client.ts and errors.ts', () => {
    const shared = ({ to, typeOnly }: Arrow) =>
      /^(runtime\/(client|base)|codecs)\//.test(to) ||
      (typeOnly && to === 'runtime/kernel/registry.ts') ||
      to === 'runtime/kernel/core-errors.ts';
    expect(wrong(/^runtime\/client\//, /^/, shared)).toEqual([]);
  });

  it('what a room brings to the client takes types alone of its contract, and nothing that runs in a node', () => {
    const shared = ({ to, typeOnly }: Arrow) => typeOnly && /^runtime\/(client|exports)\/|\/contract\.ts$/.test(to);
    expect(wrong(/\/client\.ts$/, /^/, (arrow) => arrow.from === 'runtime/client/client.ts' || shared(arrow))).toEqual(
      [],
    );
  });
});

describe('a reader', () => {
  it('finds a docstring before every function and class that a file exports', () => {
    const declared =
      /^export (?:abstract )?(?:(?:async )?function\*?|class|const(?= \w+(?:: [^=]+)? = (?:async )?[(<])) (\w+)/;
    const silent = ['codecs', 'runtime', 'plugins'].flatMap(sources).flatMap((path) => {
      const lines = readFileSync(path, 'utf8').split('\n');
      const seen = new Set<string>();
      return lines.flatMap((line, at) => {
        const name = declared.exec(line)?.[1];
        if (name === undefined || seen.has(name)) return [];
        seen.add(name);
        return lines[at - 1]?.endsWith('*/') ? [] : [`${path}:${at + 1} ${name}`];
      });
    });
    expect(silent).toEqual([]);
  });
});

describe('a docstring', () => {
  it('begins with what the thing is or does, not with a bare Of, Those, Whoever or So much', () => {
    const bare = ['codecs', 'runtime', 'plugins', 'test']
      .flatMap(sources)
      .filter((path) => /\/\*\*(?:\s*\n\s*\*)? (?:Of|Those|Whoever|So much) /.test(readFileSync(path, 'utf8')));
    expect(bare).toEqual([]);
  });
});

describe('the kernel', () => {
  it('names no device kind, and nothing that belongs to one room', () => {
    const named = sources('runtime/kernel').filter((path) =>
      /\b(printer|scanner|scale|camera|drawer|esc.?pos|mfg|mdl|raw.?port|band|gesture|update.?source)s?\b/i.test(
        code(path),
      ),
    );
    expect(named).toEqual([]);
  });
});

/** Source without comments and string-free of them: names in prose are fine. */
const code = (path: string) =>
  readFileSync(path, 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\/\/.*$/gm, '');

describe('a room', () => {
  const rooms = ['plugins', 'runtime/services'].flatMap((parent) =>
    readdirSync(parent).map((name) => join(parent, name)),
  );
  it.each(rooms)('%s has a README and its wiring in index.ts', (room) => {
    expect(existsSync(join(room, 'README.md'))).toBe(true);
    expect(existsSync(join(room, 'index.ts'))).toBe(true);
  });
});

describe('a floor', () => {
  const floors = [
    ...['base', 'kernel', 'http', 'bindings', 'client', 'image', 'node', 'conformance', 'recipes'],
    ...['cli', 'exports', 'new'],
  ];
  it.each([...floors.map((name) => `runtime/${name}`), 'codecs'])(
    '%s says what it is, and where each thing is',
    (floor) => {
      const text = readFileSync(join(floor, 'README.md'), 'utf8');
      for (const heading of ['**What it is.**', '**What it imports.**', '## Where things are', '## What it promises'])
        expect(text).toContain(heading);
      const rows = [...text.matchAll(/^\| (`.*?) \|/gm)].map(([, cell = '']) => cell);
      const named = rows.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
      const fits = (pattern: string, name: string) =>
        new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`).test(name);
      const there = readdirSync(floor, { withFileTypes: true })
        .filter(({ name }) => name !== 'README.md')
        .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
      expect(there.filter((name) => !named.some((pattern) => fits(pattern, name)))).toEqual([]);
      expect(named.filter((pattern) => !there.some((name) => fits(pattern, name)))).toEqual([]);
    },
  );
});

describe('a file', () => {
  it('has at most 400 lines', () => {
    const lines = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n').length;
    const files = ['codecs', 'plugins', 'runtime'].flatMap(sources);
    expect([...files, 'build.config.ts'].filter((path) => lines(path) > 400)).toEqual([]);
  });
});

describe('a room from outside', () => {
  const room = 'test/third-party/pole-display';
  const imports = sources(room).flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/^(?:import|export)\s[^;]*?from\s+'([^']+)'/gms)].map(
      ([, target = '']) => target,
    ),
  );

  it('imports this tree by its names alone', () => {
    const names = Object.keys(namesOf('.'));
    const others = imports.filter((target) => !target.startsWith('./') && !/^(node:|vitest$)/.test(target));
    expect(others.length).toBeGreaterThan(0);
    expect(others.filter((target) => !names.includes(target))).toEqual([]);
  });

  it('has a README with the headings of our rooms', () => {
    const text = readFileSync(join(room, 'README.md'), 'utf8');
    for (const heading of ['What it drives.', 'Ids.', 'Row keys it reads.', 'Access it needs.'])
      expect(text).toContain(`**${heading}**`);
  });
});

describe('a clone', () => {
  it('has the same bytes on every computer', () => {
    const paths = ['README.md', '.ci/run', 'runtime/page/styles.css', 'test/spec/escpos-filter.json'];
    const out = execFileSync('git', ['check-attr', 'eol', '--', ...paths], { encoding: 'utf8' });
    expect(out.trim().split('\n')).toEqual(paths.map((path) => `${path}: eol: lf`));
  });

  it('is installed without running a script of a dependency', () => {
    expect(readFileSync('.npmrc', 'utf8')).toMatch(/^ignore-scripts=true$/m);
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    // npm would leave out those of this tree, too.
    expect(Object.keys(scripts).filter((name) => /^(pre|post)/.test(name))).toEqual([]);
  });
});

describe('a workflow', () => {
  const folder = '.github/workflows';
  it.each(readdirSync(folder))(
    '%s takes each action by the digest of its commit, and no right that it does not name',
    (name) => {
      const text = readFileSync(join(folder, name), 'utf8');
      const uses = [...text.matchAll(/uses: (.*)$/gm)].map(([, action = '']) => action);
      expect(uses.length).toBeGreaterThan(0);
      expect(uses.filter((action) => !/^[\w./-]+@[0-9a-f]{40} # v[\d.]+$/.test(action))).toEqual([]);
      expect(text).toMatch(/^permissions:\n {2}contents: read\n(?! )/m);
    },
  );
});

describe('what a workflow runs', () => {
  const folder = '.github/workflows';
  const { scripts, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    scripts: Record<string, string>;
    devDependencies: Record<string, string>;
  };
  const tracked = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n');
  const variants = [...readFileSync('build.config.ts', 'utf8').matchAll(/^ {2}'?([\w-]+)'?: \{$/gm)].map(
    ([, name = '']) => name,
  );
  const projects = [...readFileSync('vitest.config.ts', 'utf8').matchAll(/(?:together|alone)\(\s*'(\w+)'/g)].map(
    ([, name = '']) => name,
  );
  const named = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);
  const commands = (name: string) => readFileSync(name, 'utf8').replaceAll(/^\s*#.*$/gm, '');

  it.each([...readdirSync(folder).map((name) => join(folder, name)), '.ci/run'])('%s: is all there', (path) => {
    const text = commands(path);
    const lacks = (names: readonly string[], has: (name: string) => boolean) => names.filter((name) => !has(name));
    expect(lacks(named(text, /\bnpm run (?:-s )?([\w:]+)/g), (name) => name in scripts)).toEqual([]);
    expect(lacks(named(text, /\bnpx (\w+)/g), (name) => name in devDependencies)).toEqual([]);
    expect(lacks(named(text, /--project (\w+)/g), (name) => projects.includes(name))).toEqual([]);
    const variantsNamed = named(text, /--variant "?([a-z][\w-]*)/g);
    const listed = named(text, /for variant in ([\w -]+);/g).flatMap((list) => list.split(' '));
    expect(lacks([...variantsNamed, ...listed], (name) => variants.includes(name))).toEqual([]);
    // A filter of Vitest is the beginning of a path, or of several in braces.
    const paths = named(text, /(?<![\w/.-])((?:test|runtime|plugins|codecs)\/[\w./{},-]+)/g).flatMap((each) => {
      const [, before = '', list, after = ''] = /^(.*)\{(.*)\}(.*)$/.exec(each) ?? [];
      return list === undefined ? [each] : list.split(',').map((one) => before + one + after);
    });
    expect(lacks(paths, (start) => tracked.some((file) => file.startsWith(start)))).toEqual([]);
    for (const script of named(text, /\bbash (\S+)/g)) expect(tracked).toContain(script);
  });

  it.each(readdirSync(folder))('%s: is read by a shell to its end, and by bash in a container, too', (name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    if (/^ {4}container:/m.test(text)) expect(text).toMatch(/^defaults:\n {2}run:\n {4}shell: bash$/m);
    const lines = text.split('\n');
    const runs = lines.flatMap((line, at) => {
      const [, indent = '', one = ''] = /^(\s*)(?:- )?run: (.*)$/.exec(line) ?? [];
      if (one !== '|') return one === '' ? [] : [one];
      const rest = lines.slice(at + 1);
      const end = rest.findIndex((next) => next.trim() !== '' && /^\s*/.exec(next)![0].length <= indent.length);
      return [rest.slice(0, end < 0 ? undefined : end).join('\n')];
    });
    for (const run of runs) execFileSync('bash', ['-n'], { input: run.replaceAll(/\$\{\{.*?\}\}/g, 'true') });
    expect(runs.length).toBe(lines.filter((line) => /^\s*(?:- )?run: /.test(line)).length);
  });
});

describe('an editor', () => {
  const json = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  it('is set up with what is here: the Node of the checks, tools of package.json, files that exist', () => {
    const container = json('.devcontainer/devcontainer.json');
    expect(readFileSync('.github/workflows/nightly.yml', 'utf8')).toContain(`image: ${container['image']}`);
    const { devDependencies } = json('package.json') as { devDependencies: Record<string, string> };
    const { recommendations } = json('.vscode/extensions.json') as { recommendations: string[] };
    const tools = Object.keys(devDependencies).join(' ');
    expect(
      recommendations.filter((id) => !/biome|vitest/.test(id) || !tools.includes(/biome|vitest/.exec(id)![0])),
    ).toEqual([]);
    expect(existsSync(String(json('.vscode/settings.json')['typescript.tsdk']))).toBe(true);
  });
});

describe('a release', () => {
  it('is signed by a job that runs Node on sources which need no package', () => {
    const text = readFileSync('.github/workflows/release.yml', 'utf8');
    const jobs = text.slice(text.indexOf('\njobs:')).split(/\n {2}(?=\w+:\n)/);
    const holders = jobs.filter((job) => /\bsecrets\.|environment:/.test(job));
    expect(holders.map((job) => job.split(':')[0])).toEqual(['sign']);
    const [sign = ''] = holders;
    expect(sign).not.toMatch(/\bnp[mx]\b|\.ci\/run/);
    const own = [...sign.matchAll(/\bnode (\S+)/g)].map(([, path = '']) => path).filter((path) => path.endsWith('.ts'));
    expect(own.length).toBeGreaterThan(0);
    const needed = new Set(own);
    for (const path of needed) for (const { to } of arrowsOf([path])) needed.add(to);
    const packages = [...needed].flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/from '([^'.][^']*)'/g)].map(([, name = '']) => name),
    );
    expect(packages.filter((name) => !name.startsWith('node:'))).toEqual([]);
  });
});

describe('a document', () => {
  const documents = execFileSync('git', ['ls-files', '*.md'], { encoding: 'utf8' }).trim().split('\n');
  const prose = (path: string) => readFileSync(path, 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '');
  /** As GitHub makes them: lower case, without punctuation, spaces as hyphens. */
  const anchorsOf = (path: string) =>
    [...prose(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
        .replaceAll(' ', '-'),
    );

  it.each(documents)('%s has no link that leads nowhere', (path) => {
    const links = [...prose(path).matchAll(/\]\((?!https?:|mailto:)([^)\s#]*)(?:#([^)\s]+))?\)/g)];
    const dead = links.filter(([, file = '', anchor]) => {
      const to = file === '' ? path : join(dirname(path), file);
      return !existsSync(to) || (anchor !== undefined && to.endsWith('.md') && !anchorsOf(to).includes(anchor));
    });
    expect(dead.map(([link]) => link)).toEqual([]);
  });

  it('of the architecture, or of a decision, names files that are there', () => {
    const decisions = readdirSync('.github/decisions').map((name) => join('decisions', name));
    const named = ['ARCHITECTURE.md', 'AGENTS.md', ...decisions].flatMap((name) => [
      ...readFileSync(join('.github', name), 'utf8').matchAll(/`((?:runtime|plugins|codecs|recipes|test)\/[\w./-]*)`/g),
    ]);
    expect(named.length).toBeGreaterThan(40);
    expect(named.map(([, path = '']) => path).filter((path) => !existsSync(path))).toEqual([]);
  });
});

describe('the top level', () => {
  it('holds what the layout names and nothing else', () => {
    const fixed = [
      'LICENSE',
      'README.md',
      'build.config.ts',
      'codecs',
      'package-lock.json',
      'package.json',
      'plugins',
      'recipes',
      'runtime',
      'test',
      'tsconfig.json',
    ];
    const tools = ['biome.json', 'vitest.config.ts', 'node_modules', 'dist'];
    const found = readdirSync('.').filter((name) => !name.startsWith('.') && !tools.includes(name));
    expect(found.sort()).toEqual(fixed.sort());
  });
});
