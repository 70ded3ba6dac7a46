/** The layout's rules, read off the import lines: a wrong arrow fails here. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { namesOf } from '../runtime/assembly/rooms/own-package.ts';
import {
  type Arrow,
  arrowsIn,
  arrowsOf,
  circles,
  floorOf,
  folderOf,
  knots,
  MAY_IMPORT,
  notInTable,
  PARTS_MAY_IMPORT,
  partOf,
  sources,
  tableOfArrows,
  UNREAD,
  unreadIn,
} from './arrows.ts';

const arrows = arrowsOf([...['codecs', 'runtime', 'plugins'].flatMap(sources), 'build.config.ts']);
const ofTests = arrowsOf([...sources('test'), 'vitest.config.ts']);
const wrong = (from: RegExp, to: RegExp, allowed: (arrow: Arrow) => boolean = () => false) =>
  arrows
    .filter((arrow) => from.test(arrow.from) && to.test(arrow.to) && !allowed(arrow))
    .map(({ from: a, to: b }) => `${a} -> ${b}`);

describe('imports run one way:', () => {
  it('each floor imports what the table names for it, and no room another one, but types from its contract', () => {
    expect(notInTable(arrows)).toEqual([]);
    expect([...new Set(arrows.map(({ from }) => floorOf(from)))].filter((floor) => !(floor in MAY_IMPORT))).toEqual([]);
  });

  it('the architecture shows the tables as they are', () => {
    expect(readFileSync('.github/ARCHITECTURE.md', 'utf8')).toContain(`\n\n${tableOfArrows()}\n\n`);
  });

  it('the tables name what a floor or a part takes, types where it takes types alone, and besides it only codecs, which need nothing', () => {
    const taken = new Set(
      arrows.flatMap(({ from, to, typeOnly }) =>
        [floorOf(from), partOf(from)].map((name) => `${name} -> ${floorOf(to)}${typeOnly ? ' (types)' : ''}`),
      ),
    );
    const named = [...Object.entries(MAY_IMPORT), ...Object.entries(PARTS_MAY_IMPORT)].flatMap(([floor, may]) =>
      may.map((to) => `${floor} -> ${to}`),
    );
    expect(named.filter((arrow) => !taken.has(arrow) && !arrow.endsWith(' -> codecs'))).toEqual([]);
  });

  /** Files of every floor that may not import this one. */
  const without = (to: string): string[] => {
    const floors = Object.keys(MAY_IMPORT).filter((floor) => floor !== to && !MAY_IMPORT[floor]?.includes(to));
    return floors.flatMap((floor) => {
      if (floor === 'plugins')
        return ['plugins/scale/index.ts', 'plugins/scale/cli.ts', 'plugins/printer/layout/panel.ts'];
      if (floor === 'services') return ['runtime/services/jobs/jobs.ts', 'runtime/services/page/index.ts'];
      if (floor === 'codecs') return ['codecs/probe.ts'];
      if (floor === 'build.config.ts') return [floor];
      return [floor.endsWith('.ts') ? `runtime/${floor}` : `runtime/${floor}/probe.ts`];
    });
  };
  const probes = (
    [
      ['page', 'runtime/page/kit/layout.tsx', (to: string) => `import { Row } from '${to}';`],
      ['assembly', 'runtime/assembly/rooms/rooms.ts', (to: string) => `import type { Rooms } from '${to}';`],
      ['services', 'runtime/services/jobs/jobs.ts', (to: string) => `const load = () => import('${to}');`],
    ] as const
  ).flatMap(([to, path, line]) =>
    without(to).map((from) => [from, line(`./${relative(dirname(from), path)}`), path] as const),
  );
  it.each(probes)('%s may not have the line %s', (path, line, to) => {
    expect(notInTable(arrowsIn(path, line))).toEqual([`${path} -> ${to}`]);
  });

  const KERNEL = 'runtime/kernel/probe.ts';
  it.each([
    [KERNEL, "import { imageOf } from '../assembly/rooms/rooms.ts';", 'runtime/assembly/rooms/rooms.ts'],
    [KERNEL, "import type { Card } from '../page/kit/panel.ts';", 'runtime/page/kit/panel.ts'],
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
    [KERNEL, "import { parseDeviceId } from '../../codecs/ieee1284.ts';", 'codecs/ieee1284.ts'],
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

  it('types are taken where the table has them alone, and a module that is loaded for them is none', () => {
    const line = "import type { DeviceId } from '../../codecs/ieee1284.ts';\n";
    expect(notInTable(arrowsIn(KERNEL, line))).toEqual([]);
    expect(notInTable(arrowsIn(KERNEL, line.replace('type { ', '{ type ')))).toEqual([
      `${KERNEL} -> codecs/ieee1284.ts`,
    ]);
  });

  it('whatever loads a module names it where the parser sees it, or is listed with what it loads', () => {
    const paths = [...['codecs', 'runtime', 'plugins'].flatMap(sources), 'build.config.ts', 'vitest.config.ts'];
    const unread = paths.flatMap((path) => unreadIn(path, readFileSync(path, 'utf8')));
    expect([...new Set(unread)].sort()).toEqual(Object.keys(UNREAD).sort());
  });

  it.each([
    `import(\`../services/\${name}/index.ts\`)`,
    "import(join(import.meta.dirname, '../services/jobs/index.ts'))",
    'import(path)',
    "import('/runtime/services/jobs/index.ts')",
    'require(path)',
    'createRequire(import.meta.url).resolve(path)',
    'new Worker(path)',
    "new Worker(join(import.meta.dirname, '../services/jobs/index.ts'))",
  ])('%s is told of, as nobody can say where it leads', (call) => {
    expect(unreadIn(KERNEL, `${call};\n`)).toEqual([`${KERNEL}: ${call}`]);
  });

  it('a declaration file is read, too', () => {
    const path = 'runtime/kernel/probe.d.ts';
    const text = "declare module 'virtual:x' {\n  const a: import('../page/kit/panel.ts').Panel;\n}\n";
    expect(notInTable(arrowsIn(path, text))).toEqual([`${path} -> runtime/page/kit/panel.ts`]);
    expect(arrows.some(({ from }) => from.endsWith('.d.ts'))).toBe(true);
  });

  it('no file needs itself, nor a floor or a room, by whatever way, types and tests included', () => {
    const all = [...arrows, ...ofTests];
    expect(circles(all)).toEqual([]);
    const between = all.filter(({ from, to }) => folderOf(from) !== folderOf(to));
    expect(circles(between, folderOf)).toEqual([]);
  });

  it('no folder needs itself, by its path, of whatever room or of the tests, types included', () => {
    expect(knots([...arrows, ...ofTests])).toEqual([]);
  });

  it('a knot of two folders is seen in whichever room, and among the tests', () => {
    const pair = (folder: string) => [
      ...arrowsIn(`${folder}/a.ts`, "import './tables/b.ts';"),
      ...arrowsIn(`${folder}/tables/b.ts`, "import type { A } from '../a.ts';"),
    ];
    const folders = ['plugins/scale', 'runtime/fleet/database', 'test', 'test/fleet'];
    expect(knots(folders.flatMap(pair))).toEqual(folders.map((folder) => [folder, `${folder}/tables`]));
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
      (typeOnly && /^runtime\/kernel\/(registry|errors)\.ts$/.test(to)) ||
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
  /** What stands for a thing that nobody has named yet, or goes with one. */
  const BARE =
    /\/\*\*(?:\s*\n\s*\*)? ((?:Of|So|Such|Who(?:se|m|ever)?|Its?|The(?:y|irs?|se)|Th(?:at|ose)|With(?:out)?|What that)\b.*)/g;

  it('begins with what the thing is or does: with a noun or a verb, not with a pronoun, So or With', () => {
    const bare = ['codecs', 'runtime', 'plugins', 'test']
      .flatMap(sources)
      .flatMap((path) => [...readFileSync(path, 'utf8').matchAll(BARE)].map(([, words]) => `${path}: ${words}`));
    expect(bare).toEqual([]);
  });

  it.each([
    'Of',
    'So many bytes',
    'Such a line',
    'Who asks',
    'Whose',
    'Whoever',
    'Its name',
    'It ends',
    'They',
    'Their',
  ])('is found out where it begins with %s', (words) => {
    expect([...`/** ${words} is said. */`.matchAll(BARE)]).toHaveLength(1);
    expect([...`/**\n * ${words} is said,\n * twice. */`.matchAll(BARE)]).toHaveLength(1);
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
  const floors = readdirSync('runtime', { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'services')
    .map(({ name }) => `runtime/${name}`);
  it.each([...floors, 'codecs'])('%s says what it is, and where each thing is', (floor) => {
    const text = readFileSync(join(floor, 'README.md'), 'utf8');
    for (const heading of ['**What it is.**', '**What it imports.**', '## Where things are', '## What it promises'])
      expect(text).toContain(heading);
    const [, table = ''] = /^## Where things are\n(.*?)^## /ms.exec(text) ?? [];
    const rows = [...table.matchAll(/^\| (`.*?) \|/gm)].map(([, cell = '']) => cell);
    const named = rows.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
    const fits = (pattern: string, name: string) =>
      new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`).test(name);
    const there = readdirSync(floor, { withFileTypes: true })
      .filter(({ name }) => name !== 'README.md')
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
    expect(there.filter((name) => !named.some((pattern) => fits(pattern, name)))).toEqual([]);
    expect(named.filter((pattern) => !there.some((name) => fits(pattern, name)))).toEqual([]);
  });
});

describe('a file', () => {
  it('has at most 400 lines', () => {
    const lines = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n').length;
    const files = ['codecs', 'plugins', 'runtime', 'test'].flatMap(sources);
    const styles = execFileSync('git', ['ls-files', '*.css'], { encoding: 'utf8' }).trim().split('\n');
    expect(styles.length).toBeGreaterThan(8);
    expect([...files, ...styles, 'build.config.ts'].filter((path) => lines(path) > 400)).toEqual([]);
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
