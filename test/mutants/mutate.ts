/** Small faults that somebody could have made: each changes one place of a source file. */
import ts from 'typescript';

export interface Mutant {
  /** Place of the change in the source: 0-based, end excluded. */
  readonly from: number;
  readonly to: number;
  readonly replacement: string;
}

const BINARY: Readonly<Partial<Record<ts.SyntaxKind, readonly string[]>>> = {
  [ts.SyntaxKind.LessThanToken]: ['<=', '>='],
  [ts.SyntaxKind.LessThanEqualsToken]: ['<', '>'],
  [ts.SyntaxKind.GreaterThanToken]: ['>=', '<='],
  [ts.SyntaxKind.GreaterThanEqualsToken]: ['>', '<'],
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: ['!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: ['==='],
  [ts.SyntaxKind.AmpersandAmpersandToken]: ['||'],
  [ts.SyntaxKind.BarBarToken]: ['&&'],
  [ts.SyntaxKind.QuestionQuestionToken]: ['&&'],
  [ts.SyntaxKind.PlusToken]: ['-'],
  [ts.SyntaxKind.MinusToken]: ['+'],
  [ts.SyntaxKind.AsteriskToken]: ['/'],
  [ts.SyntaxKind.SlashToken]: ['*'],
  [ts.SyntaxKind.PercentToken]: ['*'],
  [ts.SyntaxKind.AmpersandToken]: ['|'],
  [ts.SyntaxKind.BarToken]: ['&'],
  [ts.SyntaxKind.LessThanLessThanToken]: ['>>'],
  [ts.SyntaxKind.GreaterThanGreaterThanToken]: ['<<'],
  [ts.SyntaxKind.PlusEqualsToken]: ['-='],
  [ts.SyntaxKind.MinusEqualsToken]: ['+='],
  [ts.SyntaxKind.QuestionQuestionEqualsToken]: ['='],
};
/** Calls that are left out: `list.sort(order)` becomes `list`. */
const DROPPED = new Set(['sort', 'toSorted', 'reverse', 'filter', 'slice', 'trim', 'toLowerCase', 'toUpperCase']);
const SWAPPED: ReadonlyMap<string, string> = new Map([
  ['Math.min', 'Math.max'],
  ['Math.max', 'Math.min'],
]);
/** A number at least this large is a time or a bound: one more of it makes no difference that a test could see. */
const LARGE = 256;

/** Every mutant of a TypeScript source, in its order. Types, imports and what is only logged are left as they are. */
export function mutantsOf(name: string, source: string): Mutant[] {
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true);
  const mutants: Mutant[] = [];
  const replace = (node: ts.Node, replacement: string) =>
    mutants.push({ from: node.getStart(file), to: node.getEnd(), replacement });
  const condition = (node: ts.Expression, ...values: readonly string[]) => {
    for (const value of values) if (node.getText(file) !== value) replace(node, value);
  };

  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node) || isLogged(node, file))
      return;
    if (ts.isBinaryExpression(node)) {
      for (const token of BINARY[node.operatorToken.kind] ?? []) replace(node.operatorToken, token);
    } else if (ts.isPrefixUnaryExpression(node)) {
      if (node.operator === ts.SyntaxKind.ExclamationToken || node.operator === ts.SyntaxKind.MinusToken)
        replace(node, node.operand.getText(file));
      else if (node.operator === ts.SyntaxKind.PlusPlusToken) replace(node, `--${node.operand.getText(file)}`);
    } else if (ts.isPostfixUnaryExpression(node)) {
      replace(node, node.operand.getText(file) + (node.operator === ts.SyntaxKind.PlusPlusToken ? '--' : '++'));
    } else if (ts.isConditionalExpression(node)) condition(node.condition, 'true', 'false');
    else if (ts.isIfStatement(node)) condition(node.expression, 'true', 'false');
    else if (ts.isWhileStatement(node)) condition(node.expression, 'false');
    else if (ts.isForStatement(node) && node.condition) condition(node.condition, 'false');
    else if (node.kind === ts.SyntaxKind.TrueKeyword) replace(node, 'false');
    else if (node.kind === ts.SyntaxKind.FalseKeyword) replace(node, 'true');
    else if (ts.isNumericLiteral(node)) replace(node, other(node));
    else if (ts.isExpressionStatement(node) || ts.isThrowStatement(node) || ts.isBreakStatement(node))
      replace(node, ';');
    else if (ts.isContinueStatement(node)) replace(node, ';');
    else if (ts.isCallExpression(node)) {
      const called = node.expression;
      const swapped = SWAPPED.get(called.getText(file));
      if (swapped !== undefined) replace(called, swapped);
      else if (ts.isPropertyAccessExpression(called) && DROPPED.has(called.name.text))
        replace(node, called.expression.getText(file));
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return mutants;
}

const other = (literal: ts.NumericLiteral): string => {
  const value = Number(literal.text);
  return String(value < LARGE ? value + 1 : 2 * value);
};

/** A call of a logger. */
const isLogged = (node: ts.Node, file: ts.SourceFile): boolean =>
  ts.isCallExpression(node) && /(^|\.)#?log(\.\w+)?$/.test(node.expression.getText(file));

/** The source with the mutant in it. */
export const mutated = (source: string, { from, to, replacement }: Mutant): string =>
  source.slice(0, from) + replacement + source.slice(to);

/** The line of a place in a text, from 1. */
export const lineOf = (source: string, at: number): number => source.slice(0, at).split('\n').length;

/** Which lines of which files a `git diff -U0` brings in or changes, by their number behind it. */
export function changedLines(diff: string): Map<string, Set<number>> {
  const changed = new Map<string, Set<number>>();
  let lines = new Set<number>();
  for (const line of diff.split('\n')) {
    const [, file] = /^\+\+\+ b\/(.*)$/.exec(line) ?? [];
    if (file !== undefined) {
      lines = new Set();
      changed.set(file, lines);
    }
    const [, start, count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    for (let at = 0; start !== undefined && at < Number(count); at += 1) lines.add(Number(start) + at);
  }
  return changed;
}

/** `line:column`, both from 1, and what became of what stood there, in one line. */
export function describeMutant(source: string, { from, to, replacement }: Mutant): string {
  const before = source.slice(0, from).split('\n');
  const text = source.slice(from, to).replaceAll(/\s+/g, ' ');
  return `${before.length}:${(before.at(-1) ?? '').length + 1}  ${text}  ->  ${replacement}`;
}

/** `most` of a list, evenly spread over it, from a place that a number from 0 to 1 says; all of a shorter one. */
export function sampleOf<T>(list: readonly T[], most: number, begin: number): T[] {
  if (list.length <= most) return [...list];
  return Array.from({ length: most }, (_, n) => list[Math.floor(((n + begin) * list.length) / most)] as T);
}

/** How many were killed of those that were asked; of a run that was stopped, also how many it had yet to ask. */
export const countOf = (killed: number, asked: number, all: number): string =>
  `${killed} of ${asked} killed${asked < all ? `, stopped before ${all - asked} more` : ''}`;
