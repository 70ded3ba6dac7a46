/**
 * The declarations of what a program imports, for people who have no TypeBox: what the contracts' types come to is
 * written out, and every other file says of itself what it exports.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type TS from 'typescript';

const CLIENT = 'runtime/client';
/** Its types stand on the contracts'. */
const TYPES = 'types.ts';
/** `tillnode/testing`, which gives a client to its twin. */
const TESTING = 'runtime/node/twin.ts';

/** Writes `client.d.ts` and what it stands on, and `testing.d.ts`. */
export async function writeTypes(directory: string): Promise<void> {
  // Only a build of everything waits for it.
  const { default: ts } = await import('typescript');
  mkdirSync(directory, { recursive: true });
  const write = (name: string, text: string) =>
    writeFileSync(
      join(directory, name.replace(/\.ts$/, '.d.ts')),
      text.replaceAll(/from '(?:\.|\.\.\/client)\/([^']*)\.ts'/g, "from './$1.js'"),
    );
  for (const name of readdirSync(CLIENT)) {
    const source = join(CLIENT, name);
    write(name, name === TYPES ? writtenOut(ts, source) : declarationOf(ts, source));
  }
  write('testing.ts', declarationOf(ts, TESTING));
}

/** What a file exports, read off it alone: everything exported says its type. */
function declarationOf(ts: typeof TS, path: string): string {
  const { outputText, diagnostics } = ts.transpileDeclaration(readFileSync(path, 'utf8'), {
    fileName: path,
    compilerOptions: { target: ts.ScriptTarget.ESNext, isolatedDeclarations: true, declaration: true },
    reportDiagnostics: true,
  });
  const [fault] = diagnostics ?? [];
  if (fault !== undefined) throw new Error(`${path}: ${ts.flattenDiagnosticMessageText(fault.messageText, '\n')}`);
  return outputText;
}

/** Every exported type of a file with nothing in it that stands elsewhere. */
function writtenOut(ts: typeof TS, path: string): string {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile) as { config: object };
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [path] }, ts.sys, process.cwd());
  const program = ts.createProgram([path], options);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(path);
  if (source === undefined) throw new Error(`${path} is missing`);
  const { NoTruncation, InTypeAlias } = ts.TypeFormatFlags;
  return source.statements
    .filter(ts.isTypeAliasDeclaration)
    .filter(({ modifiers }) => modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword))
    .map((alias) => {
      const comment = alias.getFullText(source).slice(0, alias.getLeadingTriviaWidth(source)).trim();
      const type = checker.typeToString(checker.getTypeAtLocation(alias), source, NoTruncation | InTypeAlias);
      return `${comment}\nexport type ${alias.name.text} = ${type};\n`;
    })
    .join('');
}
