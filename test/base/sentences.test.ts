/** What people read is data in `words/`: where they are spoken to, no sentence stands in code. */
import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

/** Two words of small letters, as no code, key, path or format has them. */
const SENTENCE = /\p{Ll}{2,},? \p{Ll}{2,}/u;
/** Names of styles, not read by anybody. */
const STYLES = ['class', 'className'];

/** The texts of a file that could be a sentence: of literals, of templates without what is filled in, and between tags. */
function sentencesIn(path: string, text = readFileSync(path, 'utf8')): string[] {
  const found: string[] = [];
  const look = (node: ts.Node): void => {
    if (ts.isJsxAttribute(node) && STYLES.includes(node.name.getText())) return;
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node) || ts.isJsxText(node);
    if (isText && SENTENCE.test(node.text)) found.push(node.text);
    ts.forEachChild(node, look);
  };
  look(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX));
  return found;
}

const files = ['plugins', 'runtime'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
);
/** Not what a command line says, which is in English: `answers.ts` and `terminal.ts` of the certification. */
const SPEAKS =
  /^plugins\/\w+\/certify\.ts$|^runtime\/certify\/(?!answers|terminal|symbols)\w+\.ts$|^runtime\/fleet\/alerts\/mail\.ts$|\.tsx$/;

describe('whoever reads a sentence has it in his language:', () => {
  const speaking = files.filter((path) => SPEAKS.test(path));
  it.each(speaking)('each one that %s says has words', (path) => {
    expect(sentencesIn(path)).toEqual([]);
  });

  it('one of each kind without words is found', () => {
    const written = ["say('It does not cut.')", '`$' + '{n} is not seen`', '<p class="row wide">No paper left</p>'];
    expect(written.map((code) => sentencesIn('written.tsx', code).length)).toEqual([1, 1, 1]);
  });
});
