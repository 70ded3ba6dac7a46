/** Prints the shape of a type as the compiler sees it, with what a schema or a docstring says of each field. */
import type TS from 'typescript';
import { member } from '../client/member.ts';

const INDENT = '  ';
const COMMENT_COLUMN = 44;
/** Longest line with a comment behind it. */
const LINE = 120;
/** Longest union on one line. */
const ONE_LINE = 96;

/** Prints types of one program. */
export class Shapes {
  readonly #ts: typeof TS;
  readonly #checker: TS.TypeChecker;

  constructor(ts: typeof TS, checker: TS.TypeChecker) {
    this.#ts = ts;
    this.#checker = checker;
  }

  /** The type as text of TypeScript: an object with a line for each field, `readonly` left out. */
  text(type: TS.Type, indent = ''): string {
    const { TypeFlags } = this.#ts;
    if (type.isUnion() && !(type.flags & TypeFlags.Boolean)) {
      const parts = type.types.filter((part) => !(part.flags & TypeFlags.Undefined));
      // The compiler splits boolean into its two values.
      const nameOf = (part: TS.Type) => (part.flags & TypeFlags.BooleanLiteral ? 'boolean' : this.text(part, indent));
      const texts = [...new Set(parts.map(nameOf))].sort(byValue);
      const line = texts.join(' | ');
      return line.length <= ONE_LINE || line.includes('\n') ? line : wrapped(texts, indent);
    }
    if (this.#checker.isArrayType(type)) {
      const [element] = this.#checker.getTypeArguments(type as TS.TypeReference);
      const text = element === undefined ? 'unknown' : this.text(element, indent);
      return element?.isUnion() ? `(${text})[]` : `${text}[]`;
    }
    const isObject = (type.flags & (TypeFlags.Object | TypeFlags.Intersection)) !== 0;
    const fields = isObject ? this.#checker.getPropertiesOfType(type) : [];
    const isPlain = fields.length > 0 && type.getCallSignatures().length === 0 && !type.isClass() && !isForeign(type);
    return isPlain ? this.#object(fields, indent) : this.#plain(type);
  }

  /** A property: its docstring, or the `description` of the schema that it is declared with; '' for none. */
  meaning(property: TS.Symbol): string {
    const doc = this.#ts.displayPartsToString(property.getDocumentationComment(this.#checker));
    const described = (property.declarations ?? []).flatMap((declaration) =>
      this.#ts.isPropertyAssignment(declaration) ? (this.#description(declaration.initializer) ?? []) : [],
    );
    return (doc || (described[0] ?? '')).replaceAll(/\s+/g, ' ').trim();
  }

  #object(fields: readonly TS.Symbol[], indent: string): string {
    const inner = indent + INDENT;
    // Required fields first, as a reader needs them; in the order of the source, which the compiler does not keep.
    const isOptional = ({ flags }: TS.Symbol) => (flags & this.#ts.SymbolFlags.Optional) !== 0;
    const place = ({ declarations: [first] = [] }: TS.Symbol) => first?.getStart() ?? 0;
    const inOrder = [...fields].sort((a, b) => Number(isOptional(a)) - Number(isOptional(b)) || place(a) - place(b));
    const lines = inOrder.map((field) => {
      const type = this.text(this.#checker.getTypeOfSymbol(field), inner);
      const line = `${inner}${member(field.name)}${isOptional(field) ? '?' : ''}:${type.startsWith('\n') ? '' : ' '}${type};`;
      const meaning = this.meaning(field);
      if (meaning === '') return line;
      const behind = `${line.padEnd(COMMENT_COLUMN)} // ${meaning}`;
      return behind.includes('\n') || behind.length > LINE ? `${inner}// ${meaning}\n${line}` : behind;
    });
    return `{\n${lines.join('\n')}\n${indent}}`;
  }

  #plain(type: TS.Type): string {
    const { NoTruncation, UseSingleQuotesForStringLiteralType } = this.#ts.TypeFormatFlags;
    return this.#checker
      .typeToString(type, undefined, NoTruncation | UseSingleQuotesForStringLiteralType)
      .replaceAll(/\breadonly /g, '');
  }

  /** `description` among the options of a schema: `Type.Integer({ description: '…' })`, also within `Type.Optional`. */
  #description(schema: TS.Expression): string | undefined {
    const ts = this.#ts;
    if (ts.isIdentifier(schema)) {
      const [declaration] = this.#checker.getSymbolAtLocation(schema)?.declarations ?? [];
      const value = declaration && ts.isVariableDeclaration(declaration) ? declaration.initializer : undefined;
      return value === undefined ? undefined : this.#description(value);
    }
    if (!ts.isCallExpression(schema)) return undefined;
    for (const argument of schema.arguments) {
      if (ts.isCallExpression(argument) && /Optional$/.test(schema.expression.getText()))
        return this.#description(argument);
      if (!ts.isObjectLiteralExpression(argument)) continue;
      const own = argument.properties.find((each) => each.name?.getText() === 'description');
      if (own !== undefined && ts.isPropertyAssignment(own)) return textOf(ts, own.initializer);
    }
    return undefined;
  }
}

/** Whether a type is of Node, the browser or a package: known by its name. What TypeBox derives from a schema is this tree's own. */
const isForeign = ({ symbol, aliasSymbol }: TS.Type): boolean => {
  const [declaration] = (aliasSymbol ?? symbol)?.declarations ?? [];
  const file = declaration?.getSourceFile().fileName ?? '';
  return /\/(typescript\/lib|@types)\//.test(file) && symbol?.name !== '__type' && aliasSymbol === undefined;
};

/** Literals in the order of their values, which the compiler does not keep; null last. */
const byValue = (a: string, b: string) =>
  Number(a === 'null') - Number(b === 'null') || Number(a) - Number(b) || a.localeCompare(b, 'en');

/** A string, also one that is put together with `+`. */
function textOf(ts: typeof TS, node: TS.Expression): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isBinaryExpression(node)) return undefined;
  const [left, right] = [textOf(ts, node.left), textOf(ts, node.right)];
  return left === undefined || right === undefined ? undefined : left + right;
}

/** Choices on lines of a readable width. */
function wrapped(texts: readonly string[], indent: string): string {
  const lines: string[] = [];
  for (const text of texts) {
    const last = lines.at(-1);
    if (last !== undefined && `${last} | ${text}`.length <= ONE_LINE) lines[lines.length - 1] = `${last} | ${text}`;
    else lines.push(text);
  }
  return lines.map((line) => `\n${indent}${INDENT}| ${line}`).join('');
}
