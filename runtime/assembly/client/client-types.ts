/**
 * Generates the type declarations of the client for programs that do not have TypeBox: the types that the rooms derive
 * from schemas are written out; those of every other file are taken from its source.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type TS from 'typescript';
import { partOf } from '../rooms/rooms.ts';
import { member } from './member.ts';

const CLIENT = 'runtime/client';
/** The open interfaces, which the rooms extend. The generated file also has the types that their `client.ts` export. */
const REGISTRY = 'runtime/kernel/registry.ts';
const OPEN = ['WebhookEvents', 'NodeEvents', 'ConfigKeys', 'ConfigSecrets', 'StatusBlocks', 'Calls'];
/** As the checker prints a type whose name is not in scope. */
const IMPORTED = /import\("[^"]*"(?:, \{[^}]*\}\s*\})?\)\.(\w+)/g;
/** What every room's command ends in; a room that exports a type of this name has described it in its contract. */
const RESULT = { name: 'CommandResult', path: 'runtime/kernel/command.ts' };
/** What the client takes and gives of pictures. */
const PICTURE = 'codecs/picture.ts';
/** The source of `tillnode/testing`. */
const TESTING = 'runtime/node/twin.ts';

/**
 * Writes `client.d.ts`, the files that it imports, and `testing.d.ts` to `directory`, for a client with the rooms in
 * these folders. Rejects if an export has no explicit type.
 */
export async function writeTypes(directory: string, rooms: readonly string[]): Promise<void> {
  // Loaded only when needed: it takes long.
  const { default: ts } = await import('typescript');
  mkdirSync(directory, { recursive: true });
  const write = (name: string, text: string) =>
    writeDeclaration(
      join(directory, name.replace(/\.ts$/, '')),
      text.replaceAll(/from '(?:\.|\.\.\/(?:client|kernel)|\.\.\/\.\.\/codecs)\/([^']*)\.ts'/g, "from './$1.js'"),
    );
  for (const name of readdirSync(CLIENT).filter((each) => /(?<!\.d)\.ts$/.test(each)))
    write(name, declarationOf(ts, join(CLIENT, name)));
  write('picture.ts', declarationOf(ts, PICTURE));
  write('registry.ts', filledRegistry(ts, rooms));
  write('testing.ts', declarationOf(ts, TESTING));
}

/**
 * For CommonJS, and for ES modules, whose declarations are the same ones: a class declared twice would be two types.
 * `path` is without its ending.
 */
export function writeDeclaration(path: string, text: string): void {
  writeFileSync(`${path}.d.cts`, text.replaceAll(/from '(\.\/[^']*)\.js'/g, "from '$1.cjs'"));
  writeFileSync(`${path}.d.ts`, `export * from './${basename(path)}.cjs';\n`);
}

/** The declarations of one file, without reading others: every export must have an explicit type. */
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

/** The open interfaces with the members that these rooms add, without inherited ones. */
function filledRegistry(ts: typeof TS, rooms: readonly string[]): string {
  const clients = rooms.flatMap((room) => partOf(room, 'client') ?? []);
  const contracts = rooms.flatMap((room) => partOf(room, 'contract') ?? []);
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile) as { config: object };
  const files = [REGISTRY, join(CLIENT, 'virtual-client.d.ts'), ...contracts, ...clients];
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files }, ts.sys, process.cwd());

  // A file that exists only for the compiler and imports all names, so that the checker prints a type by its name.
  const names = new Map(clients.map((path) => [path, namesOf(ts, path)]));
  if (![...names.values()].flat().includes(RESULT.name)) names.set(resolve(RESULT.path), [RESULT.name]);
  const scope = resolve(dirname(REGISTRY), 'scope.ts');
  const imports = [
    `import type { CallOptions, KeyedOptions } from ${JSON.stringify(resolve(CLIENT, 'transport.ts'))};`,
    `import type { Config, ConfigPatch, Done, Status } from ${JSON.stringify(resolve(CLIENT, 'types.ts'))};`,
    ...[...names].map(([path, own]) => `import type { ${own.join(', ')} } from ${JSON.stringify(path)};`),
    `import type { ${OPEN.join(', ')} } from ${JSON.stringify(resolve(REGISTRY))};`,
  ];
  const aliases = [...[...names.values()].flat(), ...OPEN].map((name) => `export type _${name} = ${name};`);
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (path) => path === scope || fileExists(path);
  host.getSourceFile = (path, ...rest) =>
    path === scope
      ? ts.createSourceFile(path, [...imports, ...aliases].join('\n'), ts.ScriptTarget.ESNext, true)
      : getSourceFile(path, ...rest);
  const program = ts.createProgram([...files, scope], options, host);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(scope);
  if (source === undefined) throw new Error(`${scope} is missing`);
  const { NoTruncation, InTypeAlias } = ts.TypeFormatFlags;
  const types = new Map(
    source.statements
      .filter(ts.isTypeAliasDeclaration)
      .map((alias) => [alias.name.text.slice(1), checker.getTypeAtLocation(alias.type)]),
  );
  const typeOf = (name: string) => types.get(name) as TS.Type;
  const interfaceOf = (name: string) => {
    const bases =
      typeOf(name)
        .getBaseTypes()
        ?.filter(({ symbol }) => OPEN.includes(symbol.name)) ?? [];
    const inherited = bases.flatMap((base) => checker.getPropertiesOfType(base));
    const members = checker
      .getPropertiesOfType(typeOf(name))
      .filter((property) => !inherited.includes(property))
      .map((property) => {
        const comment = ts.displayPartsToString(property.getDocumentationComment(checker));
        const type = checker.typeToString(checker.getTypeOfSymbol(property), source, NoTruncation);
        const optional = property.flags & ts.SymbolFlags.Optional ? '?' : '';
        return `${comment === '' ? '' : `  /** ${comment} */\n`}  ${member(property.name)}${optional}: ${type};\n`;
      });
    return `export interface ${name} {\n${members.join('')}}\n`;
  };
  const shapeOf = (name: string) =>
    typeOf(name).isClassOrInterface()
      ? interfaceOf(name)
      : `export type ${name} = ${checker.typeToString(typeOf(name), source, NoTruncation | InTypeAlias)};\n`;
  const own = [...names.values()].flat();
  // A room from outside has types of `tillnode/plugin`, which a program cannot reach; another room exports one of that name.
  const withinReach = (text: string) =>
    text.replaceAll(IMPORTED, (_, name: string) => {
      if (own.includes(name)) return name;
      throw new Error(`a client.ts gives a ${name} that a program has no type for: let it export one`);
    });
  return [
    "import type { CallOptions, KeyedOptions } from './transport.ts';\n",
    "import type { Config, ConfigPatch, Done, Status } from './types.ts';\n",
    ...[...own.map(shapeOf), ...OPEN.map(interfaceOf)].map(withinReach),
    'export type NodeEvent = NodeEvents[keyof NodeEvents] | WebhookEvents[keyof WebhookEvents];\n',
  ].join('');
}

/** Names of the types that a file exports. */
function namesOf(ts: typeof TS, path: string): string[] {
  const { statements } = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ESNext);
  return statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement) && statement.exportClause && ts.isNamedExports(statement.exportClause))
      return statement.exportClause.elements.map(({ name }) => name.text);
    const isType = ts.isTypeAliasDeclaration(statement) || ts.isInterfaceDeclaration(statement);
    const exported = isType && statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    return exported ? [statement.name.text] : [];
  });
}
