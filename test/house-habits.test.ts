/** Habits around the code: a clone, its packages, workflows, the editor, a release. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { arrowsOf, sources } from './arrows.ts';

describe('a clone', () => {
  it('has the same bytes on every computer', () => {
    const paths = ['README.md', '.ci/run', 'runtime/page/styles/base.css', 'test/spec/escpos-filter.json'];
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

describe('the update bot', () => {
  it('looks at every folder with a package.json, once, and at the workflows', () => {
    const updates = readFileSync('.github/dependabot.yml', 'utf8').split('  - package-ecosystem: ').slice(1);
    const foldersOf = (ecosystem: string) =>
      updates
        .filter((update) => update.startsWith(`${ecosystem}\n`))
        .flatMap((update) => [...update.matchAll(/(?:directory: |^ {6}- )(\/\S*)/gm)].map(([, folder = '']) => folder));
    const manifests = execFileSync('git', ['ls-files', '*package.json'], { encoding: 'utf8' }).trim().split('\n');
    const folders = manifests.map((path) => `/${path.replace(/\/?package\.json$/, '')}`);
    expect(foldersOf('npm').sort()).toEqual(folders.sort());
    expect(foldersOf('github-actions')).toEqual(['/']);
    for (const update of updates) expect(update).toMatch(/^ {4}schedule: \{ interval: weekly \}$/m);
  });
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
    const settings = json('.vscode/settings.json');
    expect(existsSync(String(settings['typescript.tsdk']))).toBe(true);
    const schemas = settings['json.schemas'] as readonly { readonly fileMatch: string[]; readonly url: string }[];
    const named = schemas.flatMap(({ fileMatch, url }) => [
      url,
      ...fileMatch.filter((each) => !each.includes('*')).map((each) => each.replace('!/', './')),
    ]);
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  });
});

describe('a picture of the page', () => {
  it('is taken by a script, shown by a document, and small', () => {
    const folder = 'runtime/page/screenshots';
    const script = readFileSync('test/page/screenshots.ts', 'utf8');
    const named = [...script.matchAll(/\bname: '([\w-]+)', panel/g)].map(([, name = '']) => `${name}.png`);
    expect(readdirSync(folder).sort()).toEqual(named.sort());
    const shown = readFileSync('runtime/page/README.md', 'utf8');
    expect(named.filter((name) => !shown.includes(`](screenshots/${name})`))).toEqual([]);
    expect(named.filter((name) => statSync(join(folder, name)).size > 150_000)).toEqual([]);
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

describe('a key that may be missing', () => {
  it('is left out by defined(), but in codecs, which import nothing of ours', () => {
    const byHand = /\.\.\.\(([\w.]+) !== undefined && \{ (?:\w+: )?\1 \}\)/;
    expect(
      byHand.test('...(body !== undefined && { body })') && byHand.test('...(a.b !== undefined && { c: a.b })'),
    ).toBe(true);
    const found = ['runtime', 'plugins'].flatMap(sources).filter((path) => byHand.test(readFileSync(path, 'utf8')));
    expect(found).toEqual([]);
  });
});
