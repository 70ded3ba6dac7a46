/** What `npm run mutants` breaks, and which tests it asks. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { askable, mirrorOf } from './mirror.ts';
import { changedLines, countOf, describeMutant, lineOf, mutantsOf, mutated, sampleOf } from './mutate.ts';
import { WATCHED } from './watched.ts';

const changes = (source: string) => mutantsOf('x.ts', source).map((mutant) => mutated(source, mutant));

describe('a mutant', () => {
  it.each([
    ['a < b;', [';', 'a <= b;', 'a >= b;']],
    ['x = !a;', [';', 'x = a;']],
    ['x = a ? 1 : 2;', [';', 'x = true ? 1 : 2;', 'x = false ? 1 : 2;', 'x = a ? 2 : 2;', 'x = a ? 1 : 3;']],
    ['if (a) throw b;', ['if (true) throw b;', 'if (false) throw b;', 'if (a) ;']],
    ['const x = list.sort(order);', ['const x = list;']],
    ['const x = Math.min(a, b);', ['const x = Math.max(a, b);']],
    ['const MS = 5000;', ['const MS = 10000;']],
    ['for (; a; ) break;', ['for (; false; ) break;', 'for (; a; ) ;']],
    ['count++;', [';', 'count--;']],
  ])('of %j is one small change', (source, expected) => expect(changes(source)).toEqual(expected));

  it.each([
    "import { a } from './a.ts';",
    'type A = true | 1;',
    'interface A { readonly b: 1 }',
    'const f = () => this.#log.warn({ port: 80 }, "taken");',
  ])('is made of nothing in %j', (source) => expect(changes(source)).toEqual([]));

  it('is made of the lines that a change brought in, where they are asked for', () => {
    const diff = [
      '--- a/codecs/a.ts\n+++ b/codecs/a.ts\n@@ -1 +1,2 @@\n-old\n+new\n+more\n@@ -9,2 +10,0 @@\n-gone\n-too',
      '--- a/runtime/b.ts\n+++ b/runtime/b.ts\n@@ -3,0 +4 @@ const x = 1;\n+y',
    ].join('\n');
    const lines = [...changedLines(diff)].map(([file, changed]) => [file, ...changed]);
    expect(lines).toEqual([
      ['codecs/a.ts', 1, 2],
      ['runtime/b.ts', 4],
    ]);
    expect(lineOf('a\nb\nc', 4)).toBe(3);
  });

  it('is named by its place and by what became of it', () => {
    const source = 'const x =\n  a <\n  b;\n';
    const [first] = mutantsOf('x.ts', source);
    expect(first && describeMutant(source, first)).toBe('2:5  <  ->  <=');
  });
});

describe('a sample', () => {
  const list = Array.from({ length: 10 }, (_, index) => index);
  it.each([
    [3, 0, [0, 3, 6]],
    [3, 0.99, [3, 6, 9]],
    [9, 0.5, [0, 1, 2, 3, 5, 6, 7, 8, 9]],
    [10, 0.5, list],
    [Number.POSITIVE_INFINITY, 0.5, list],
  ])('of %d from %d on is spread over the whole file', (most, begin, expected) => {
    expect(sampleOf(list, most, begin)).toEqual(expected);
  });
});

describe('the files whose mutants are counted', () => {
  it('are 27, and they and their nearest tests are there', () => {
    const root = join(import.meta.dirname, '../..');
    expect(Object.keys(WATCHED)).toHaveLength(27);
    const missing = Object.entries(WATCHED)
      .flatMap(([file, tests]) => [file, ...tests])
      .filter((path) => !existsSync(join(root, path)));
    expect(missing).toEqual([]);
  });
});

it('a run that is stopped says what it has counted so far', () => {
  expect(countOf(58, 60, 60)).toBe('58 of 60 killed');
  expect(countOf(5, 7, 60)).toBe('5 of 7 killed, stopped before 53 more');
});

describe('the tests that mirror a file', () => {
  const tests = [
    'test/boot/launcher.test.ts',
    'test/boot/slots.test.ts',
    'test/boot/box.ts',
    'test/fleet/hours.test.ts',
    'test/fleet/sites.test.ts',
    'test/services/capture.test.ts',
    'test/services/capture-edges.test.ts',
    'test/services/captures.test.ts',
    'test/plugins/printer/raw/port9100.test.ts',
    'test/plugins/printer/raw/port9100-open.test.ts',
    'test/plugins/printer/print.test.ts',
  ];
  it.each([
    ['runtime/boot/slots.ts', ['test/boot/slots.test.ts'], ['test/boot/launcher.test.ts']],
    ['runtime/services/capture/ring.ts', [], ['test/services/capture.test.ts', 'test/services/capture-edges.test.ts']],
    [
      'plugins/printer/raw/port9100.ts',
      ['test/plugins/printer/raw/port9100.test.ts', 'test/plugins/printer/raw/port9100-open.test.ts'],
      [],
    ],
    [
      'plugins/printer/panel/panel.tsx',
      [],
      [
        'test/plugins/printer/raw/port9100.test.ts',
        'test/plugins/printer/raw/port9100-open.test.ts',
        'test/plugins/printer/print.test.ts',
      ],
    ],
    ['codecs/aim.ts', [], []],
    ['runtime/fleet/sites/hours.ts', ['test/fleet/hours.test.ts'], ['test/fleet/sites.test.ts']],
  ])('of %s are those of its name, then those beside them', (file, named, beside) => {
    expect(mirrorOf(file, tests)).toEqual({ named, beside });
  });
});

describe('the tests that are asked of a file', () => {
  const groups = [['a.test.ts'], ['b.test.ts', 'c.test.ts']];
  const of = (project: string, ...files: readonly string[]) => files.map((file) => ({ file, project }));
  const many = Array.from({ length: 7 }, (_, at) => `fleet-${at}.test.ts`);

  it('are those that import it, in whichever project, group after group', () => {
    expect(askable(groups, [...of('unit', 'c.test.ts'), ...of('fleet', 'a.test.ts')])).toEqual({
      groups: [['a.test.ts'], ['c.test.ts']],
    });
  });

  it('leave out those that start a fleet or an image, where they are many', () => {
    expect(askable([[...many, 'a.test.ts']], [...of('unit', 'a.test.ts'), ...of('fleet', ...many)])).toEqual({
      groups: [['a.test.ts']],
    });
  });

  it('may be none: then nothing is said of its mutants, and why', () => {
    expect(askable(groups, [])).toEqual({ notAsked: 'no test that stands beside it imports it' });
    expect(askable([many], of('fleet', ...many))).toEqual({
      notAsked: 'it is tested by 7 files of whole fleets or images',
    });
  });
});
