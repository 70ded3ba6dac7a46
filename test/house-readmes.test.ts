/** The tables of files in READMEs: what they name is there, and what is there they name. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const tracked = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).trim().split('\n');
const readmes = tracked.filter((path) => /^(?:codecs|plugins|runtime)\/.*README\.md$/.test(path));
/** The parts that a room has by these names (ARCHITECTURE). */
const OF_ALL =
  /^(?:README\.md|(?:index|contract|bind|errors|client|cli|certify|virtual|panel(?:-[\w-]+)?)\.(?:tsx?|css))$/;

/** The files and folders in the first cells of a text's tables. */
const namedIn = (text: string) =>
  [...text.matchAll(/^\| ((?:`[^`|]+`(?:, )?)+) \|/gm)]
    .flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
    .filter((name) => /^[\w./*-]+(?:\.(?:d\.ts|tsx?|json|css|html|mjs|yaml|conf)|\/)$/.test(name));
/** Whether a path below a folder is what the table names: itself, or at its end. */
const fits = (pattern: string, path: string) =>
  new RegExp(`(?:^|/)${pattern.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`).test(path);

describe('the table of files in', () => {
  it.each(readmes)('%s names none that is not there', (path) => {
    const folder = dirname(path);
    const below = tracked.flatMap((file) => (file.startsWith(`${folder}/`) ? [file.slice(folder.length + 1)] : []));
    const isThere = (name: string) =>
      existsSync(join(folder, name)) || existsSync(name) || below.some((file) => fits(name, file));
    expect(namedIn(readFileSync(path, 'utf8')).filter((name) => !isThere(name))).toEqual([]);
  });

  const rooms = readmes.filter((path) => /^(?:plugins|runtime\/services)\/[\w-]+\/README\.md$/.test(path));
  it.each(rooms)('%s names each file of the room, but those that all of them have', (path) => {
    const folder = dirname(path);
    const text = readFileSync(path, 'utf8');
    const files = tracked.filter((file) => dirname(file) === folder).map((file) => basename(file));
    const own = files.filter((name) => !OF_ALL.test(name));
    expect(own.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('the README of a room', () => {
  const rooms = readmes.filter((path) => /^(?:plugins|runtime\/services)\/[\w-]+\/README\.md$/.test(path));
  it.each(rooms)(
    '%s says first what it is, and under headings of their own where each thing is and what it promises',
    (path) => {
      const text = readFileSync(path, 'utf8');
      expect(text).toMatch(/^# .+\n\n\*\*What it (?:is|drives)\.\*\* /);
      const [table] = /^\| file \| what \|$/m.exec(text) ?? [];
      if (table !== undefined) expect(text).toContain(`\n## Where things are\n\n${table}\n`);
      expect(text).toMatch(/^## What it promises\n\n\S/m);
    },
  );
});
