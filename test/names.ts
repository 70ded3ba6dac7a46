/**
 * The names of tests as a list of failures prints them, each with those of its describes before it, and which of them lacks a
 * subject; and the names that a file exports.
 */
import { readFileSync } from 'node:fs';
import {
  canHaveModifiers,
  createSourceFile,
  type Expression,
  forEachChild,
  getModifiers,
  isArrayLiteralExpression,
  isBinaryExpression,
  isCallExpression,
  isConditionalExpression,
  isFunctionLike,
  isIdentifier,
  isPropertyAccessExpression,
  isStringLiteralLike,
  isTemplateExpression,
  isVariableStatement,
  type Node,
  ScriptTarget,
  SyntaxKind,
} from 'typescript';

/** Stands for what only a run knows. */
const UNKNOWN = '%s';

/** The words of an expression where the test runs: what is said where a program is missing is left out. */
function wordsOf(name: Expression | undefined): string {
  if (name === undefined) return UNKNOWN;
  if (isStringLiteralLike(name)) return name.text;
  if (isTemplateExpression(name))
    return name.head.text + name.templateSpans.map(({ literal }) => UNKNOWN + literal.text).join('');
  if (isBinaryExpression(name)) return wordsOf(name.right);
  return isConditionalExpression(name) ? wordsOf(name.whenFalse) : UNKNOWN;
}

/** `it`, `test` or `describe` where this calls one, and the table of its `each` or `for`. */
function called(call: Expression): { name?: string; table?: Expression } {
  if (isIdentifier(call)) {
    // What describes in some place, such as `describeWithPage`, is a describe, too.
    const [name] = /^(it$|test$|describe)/.exec(call.text) ?? [];
    return name === undefined ? {} : { name };
  }
  if (isPropertyAccessExpression(call)) return called(call.expression);
  if (!isCallExpression(call)) return {};
  const { expression } = call;
  const isTable = isPropertyAccessExpression(expression) && /^(each|for)$/.test(expression.name.text);
  return { ...called(expression), ...(isTable && call.arguments[0] && { table: call.arguments[0] }) };
}

/** What a name that begins with a place of its table begins with, a row after the other. */
function beginnings(name: string, table: Expression | undefined): string[] {
  if (!/^%s/.test(name) || table === undefined || !isArrayLiteralExpression(table)) return [name];
  return table.elements.map((row) => {
    const first = isArrayLiteralExpression(row) ? row.elements[0] : row;
    return wordsOf(first) + name.slice(UNKNOWN.length);
  });
}

/**
 * The names of the tests in a text of a file, which stand in it outright or in describes: each whole, as Vitest prints it. What a
 * function or a loop makes is left out, as nobody knows where it is called.
 */
export function namesIn(text: string): string[] {
  const names: string[] = [];
  const visit = (node: Node, outer: string): void => {
    if (isCallExpression(node)) {
      const { name, table } = called(node.expression);
      if (name !== undefined && node.arguments.length > 1) {
        const own = beginnings(wordsOf(node.arguments[0]), table);
        const whole = own.map((each) => `${outer} ${each}`.trim());
        if (name !== 'describe') names.push(...whole);
        else
          for (const part of node.arguments)
            if (isFunctionLike(part)) forEachChild(part, (c) => visit(c, whole[0] ?? ''));
        return;
      }
    }
    if (!isFunctionLike(node)) forEachChild(node, (child) => visit(child, outer));
  };
  visit(createSourceFile('names.ts', text, ScriptTarget.Latest, true), '');
  return names;
}

/** The names of the tests of a file. */
export const namesOfFile = (path: string): string[] => namesIn(readFileSync(path, 'utf8'));

/** The names that a text of a file declares and exports. */
export const exportedBy = (text: string, path = 'names.ts'): string[] =>
  createSourceFile(path, text, ScriptTarget.Latest, true).statements.flatMap((statement) => {
    if (!canHaveModifiers(statement)) return [];
    if (!getModifiers(statement)?.some(({ kind }) => kind === SyntaxKind.ExportKeyword)) return [];
    const declared = isVariableStatement(statement) ? statement.declarationList.declarations : [statement];
    return declared.flatMap((each) => ('name' in each && each.name ? (each.name as Node).getText() : []));
  });

/** Verbs that are no noun. */
const VERBS = [
  'is are was were has have had does do says takes refuses gives keeps goes prints ends waits leaves lets tells',
  'stays gets sends opens asks comes holds begins loses finds writes stands makes forgets needs knows drops fails',
  'joins weighs serves replays brings puts stalls replaces rejects compresses advises spells adds breaks stops',
  'carries clears erases announces loads finishes depends repeats removes hands encrypts compares deletes resolves',
  'boots becomes connects aligns composes ignores lights declares guesses gathers remembers belongs recovers hears',
  'resets gains completes wakes measures prefers accepts plugs meets misses drives speaks falls escapes follows',
  'selects closes moves wraps restarts switches grows draws passes shows starts',
]
  .join(' ')
  .replaceAll(' ', '|');
/** Verbs where an article, or what stands in its place, follows; else they may be nouns. */
const ALSO_NOUNS =
  'answers|counts|reads|lists|names|records|reports|stores|types|calls|runs|works|fits|feeds|cuts|turns|changes|offers|leads|frames';
/** What a sentence cannot begin with that is read alone. */
const BARE = new RegExp(
  [
    `^(${VERBS})\\b`,
    `^(${ALSO_NOUNS}) (a|an|the|no|nothing|what|who|whom|each|every|all|any|its|itself|one|once|%)( |$)`,
    '^(of|but|and|nor|or|that|it|its|they|their|them|these|those)\\b',
    '^(one|two|the same) (of|that|in|without)\\b',
  ].join('|'),
);
/** Words that stand before a place, a time or a condition, behind which something has to be said. */
const BEFORE =
  /^(in|on|at|with|without|by|from|for|to|behind|before|after|between|beside|under|over|within|where|while|when)\b/;
const SAID = /\b([a-z]+s|that %s|are|were|have|had|do|can|may|must|keep|leave|print|stay|come|go|lie|get|take)\b/;

/** Whether a name says nothing of whom or what it tells: it begins with a bare preposition, pronoun or verb. */
export const lacksSubject = (name: string): boolean => BARE.test(name) || (BEFORE.test(name) && !SAID.test(name));
