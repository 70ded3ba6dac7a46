/** What a document of ePOS-Print XML may cost: time in proportion to its length, whatever stands in it. */
import { readFileSync } from 'node:fs';
import { createSourceFile, forEachChild, isRegularExpressionLiteral, type Node, ScriptTarget } from 'typescript';
import { expect, it } from 'vitest';
import { sdpJobs } from '../../codecs/epos-sdp.ts';
import { sources } from '../arrows.ts';

/** What a stranger sends goes through these. */
const FILES = [
  ...sources('codecs').filter((path) => /^codecs\/(?:epos|xml)-/.test(path)),
  ...sources('runtime/pull'),
  ...sources('plugins/epos'),
];

function expressionsIn(path: string): string[] {
  const found: string[] = [];
  const visit = (node: Node): void => {
    if (isRegularExpressionLiteral(node)) found.push(node.text.slice(1, node.text.lastIndexOf('/')));
    forEachChild(node, visit);
  };
  visit(createSourceFile(path, readFileSync(path, 'utf8'), ScriptTarget.Latest, true));
  return found;
}

/** Alternatives of an expression outside of groups; a class is one character. */
function alternativesOf(expression: string): string[] {
  const plain = expression.replace(/\\./g, 'e').replace(/\[[^\]]*\]/g, 'c');
  let depth = 0;
  let alternatives = '';
  for (const character of plain) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    alternatives += character === '|' && depth === 0 ? '\n' : character;
  }
  return alternatives.split('\n');
}

/** Tried from each place of a long run to the end of the run, it takes the square of the time: it may begin at one place alone. */
const isSquare = (expression: string): boolean =>
  alternativesOf(expression).some((each) => /(?:[*+]|\{\d*,\})\??\$/.test(each) && !/^(?:\^|\(\?<)/.test(each));

it.each([
  ['[\\r\\n]\\s*$', true],
  ['^a|\\s+$', true],
  ['a.*?$', true],
  ['^[\\t ]*$', false],
  ['(?<!\\/)\\/+$', false],
  ['\\n$', false],
])('the regular expression %s is of the square of a length: %s', (expression, expected) => {
  expect(isSquare(expression)).toBe(expected);
});

it('no regular expression that reads what a server or a client sends looks for the end of it from each place of a run', () => {
  const all = FILES.flatMap((path) => expressionsIn(path).map((expression) => ({ path, expression })));
  expect(all.length).toBeGreaterThan(50);
  expect(all.filter(({ expression }) => isSquare(expression))).toEqual([]);
});

const answer = (body: string): string =>
  `<PrintRequestInfo Version="2.00"><ePOSPrint><Parameter><printjobid>a</printjobid></Parameter><PrintData><epos-print xmlns="http://www.epson-pos.com/schemas/2011/03/epos-print">${body}</epos-print></PrintData></ePOSPrint></PrintRequestInfo>`;

it.each(['', 'x'])('a command of eight million digits is refused as too long: behind them is "%s"', (behind) => {
  const { jobs } = sdpJobs(answer(`<command>${'1a'.repeat(4_000_000)}${behind}</command>`));
  expect(jobs).toMatchObject([{ id: 'a', commands: { fault: 'command: has more than 8192 bytes' } }]);
});

it.each([
  ['\n\t 12\n \t', '12'],
  [' \r\n12', '12'],
  ['12\n', '12'],
  [' 12 ', ' 12 '],
  ['1\n2', '1\n2'],
  ['12 \n', '12 '],
])('a bar code of %j has the data %j: line breaks around them are none', (written, value) => {
  const [job] = sdpJobs(answer(`<barcode type="code39">${written.replaceAll('\r', '&#13;')}</barcode>`)).jobs;
  expect(job?.commands).toMatchObject([{ lines: [{ value }] }]);
});
