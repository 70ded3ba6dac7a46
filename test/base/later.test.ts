/** Texts that the build of an image takes out of its bundle. */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withoutLater } from '../../runtime/assembly/variant/bundle-script.ts';
import { catalogue } from '../../runtime/base/language.ts';
import { keepLater, LATER, laterObject, laterText, openLater } from '../../runtime/base/later.ts';

const TEXTS = ['(a)=>a', `it's "said" \`so\``, 'back\\slash\\', 'line\nline', 'é, 页 and 🖨', '', 'tillnode-later'];

/** Moves these texts into a file that is open, and gives what is left of the strings in a bundle. */
function moved(texts: readonly string[], quoted: (text: string) => string): string[] {
  const { kept, later } = withoutLater(`[1,${texts.map((text) => quoted(LATER + text)).join()},"tillnode-late"]`);
  const folder = mkdtempSync(join(tmpdir(), 'later-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'node.later');
  writeFileSync(file, later);
  openLater(file);
  // As a package that is installed while the node runs puts another one there.
  writeFileSync(`${file}.new`, 'another');
  renameSync(`${file}.new`, file);
  const [first, ...left] = runInNewContext(kept) as [number, ...string[]];
  expect([first, left.pop()]).toEqual([1, 'tillnode-late']);
  return left;
}
const double = (text: string) => JSON.stringify(text);
const single = (text: string) => `'${double(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
const backticks = (text: string) => `\`${text.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;

describe('a text that no start needs', () => {
  it.each([
    ['double quotes', double],
    ['single quotes', single],
    ['backticks', backticks],
  ])('is read where it was moved to, from a string in %s', (_, quoted) => {
    const left = moved(TEXTS, quoted);
    expect(left.join()).not.toContain('said');
    expect(left.map(laterText)).toEqual(TEXTS);
  });

  it('is the same where it was not moved', () => {
    expect(TEXTS.map((text) => laterText(LATER + text))).toEqual(TEXTS);
    expect(laterText('as it is')).toBe('as it is');
  });

  it('has no file opened for it where it was not moved', () => {
    expect(() => keepLater(LATER)).not.toThrow();
    expect(laterText(`${LATER}as it is`)).toBe('as it is');
  });

  it('is told of where the file has less than it', () => {
    const [whole = ''] = moved(['whole'], double);
    expect(() => laterText(whole.replace('+5', '+6'))).toThrow('node.later has no');
  });
});

it('an object as JSON is read when it is first looked at', () => {
  const table = laterObject<Record<string, string>>(`${LATER}{"a":"1","b":"2"}`);
  expect({ ...table }).toEqual({ a: '1', b: '2' });
  expect(table['a']).toBe('1');
  expect('c' in table).toBe(false);
  expect(() => Object.keys(laterObject(`${LATER}{`))).toThrow('JSON');
  // And not before.
  laterObject(`${LATER}{`);
});

it('a catalogue looks at a language when it is first spoken', () => {
  const unread = () => laterObject<{ hello?: string }>(`${LATER}{`);
  const others = { fr: unread(), es: unread(), it: unread(), pt: unread(), nl: unread(), pl: unread(), tr: unread() };
  const words = catalogue(
    { hello: 'Hello', bye: 'Bye' },
    { ...others, ro: unread(), ar: unread(), zh: unread(), ja: unread(), de: { hello: 'Hallo' } },
  );
  expect(words.de).toEqual({ hello: 'Hallo', bye: 'Bye' });
  expect(words.de).toBe(words.de);
  expect(Object.keys(words)).toHaveLength(13);
});
