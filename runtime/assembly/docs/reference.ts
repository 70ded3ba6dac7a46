/**
 * `npm run reference`: writes .github/REFERENCE.md, the client's calls and types and what a plugin imports, from their
 * docstrings. Nobody edits that file.
 */
import { readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type TS from 'typescript';
import { partOf } from '../rooms/rooms.ts';
import { Shapes } from './reference-shapes.ts';

/** Where it stands. */
export const REFERENCE = '.github/REFERENCE.md';

const CLIENT = 'runtime/client/client.ts';
const TESTING = 'runtime/node/twin.ts';
const REGISTRY = 'runtime/kernel/registry.ts';
const HOOKS = 'runtime/kernel/hooks.ts';
/** What plugins import, by name, in the order of the page. */
const FOR_PLUGINS = {
  'tillnode/plugin': 'runtime/exports/plugin.ts',
  'tillnode/registry': REGISTRY,
  'tillnode/codec': 'runtime/exports/codec.ts',
  'tillnode/virtual': 'runtime/exports/virtual.ts',
  'tillnode/panel': 'runtime/exports/panel.ts',
  'tillnode/conformance': 'runtime/exports/conformance.ts',
} as const;
/** Composed of what rooms declare, or of hooks: listed by room, as calls, or as a table, instead. */
const COMPOSED = ['Status', 'Config', 'ConfigPatch', 'NodeClient', 'TwinClient', 'Hooks'];

const code = (text: string) => `\`\`\`ts\n${text}\n\`\`\``;

/** What a room's `cli.ts` exports, which the build finds by its name. */
const ABOUT_CLI =
  'A `cli.ts` beside `index.ts` brings commands of the command line: it exports `commands`, an object of these by name. `run` calls the client,\n' +
  'which has the calls of the room; what it rejects with is told, with its exit code.\n\n' +
  code(
    [
      "import type { CliCommand } from 'tillnode/plugin';",
      'const weight: CliCommand = {',
      "  usage: '', summary: 'the weight now',",
      '  run: async ({ client }) => console.log(await client.scale()),',
      '};',
      'export const commands = { weight };',
    ].join('\n'),
  );

/** As tapable has it. */
const ORDER_OF_TAPS =
  'Taps of a hook run in the order in which the rooms are made: services, then plugins, each as the variant names them. Another place:\n' +
  "`tap({ name, stage: -1 }, …)` is before all of stage 0, where taps are without one; `tap({ name, before: 'printer' }, …)` before the tap of that\n" +
  'name, which is the name of its room. A device with a row of the image needs neither: `classify` says why.';

/** Parts of the node itself, which a test may hold and no plugin reaches into: named, and not told. */
const OF_THE_NODE = ['Kernel', 'Bindings', 'VirtualNodeOptions', 'VirtualBench', 'VirtualBoot', 'VirtualStorage'];

/** The page as Markdown. Rejects if a call has no docstring. */
export async function reference(): Promise<string> {
  // Loaded only when needed: it takes long.
  const { default: ts } = await import('typescript');
  const rooms = ['runtime/services', 'plugins'].flatMap((parent) =>
    readdirSync(parent)
      .sort()
      .map((name) => join(parent, name)),
  );
  return new Page(ts, rooms).text();
}

class Page {
  readonly #ts: typeof TS;
  readonly #rooms: readonly string[];
  readonly #program: TS.Program;
  readonly #checker: TS.TypeChecker;
  readonly #shapes: Shapes;
  /** What has its place on the page, and what is named on it. */
  readonly #entered = new Set<TS.Symbol>();
  readonly #named = new Set<TS.Symbol>();

  constructor(ts: typeof TS, rooms: readonly string[]) {
    this.#ts = ts;
    this.#rooms = rooms;
    const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile) as { config: object };
    const parts = rooms.flatMap((room) => [partOf(room, 'contract') ?? [], partOf(room, 'client') ?? []].flat());
    const files = [CLIENT, TESTING, 'runtime/client/virtual-client.d.ts', ...Object.values(FOR_PLUGINS), ...parts];
    const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files }, ts.sys, process.cwd());
    const emitting = { noEmit: false, declaration: true, emitDeclarationOnly: true, noCheck: true };
    const panels = { jsx: ts.JsxEmit.ReactJSX, jsxImportSource: 'preact' };
    this.#program = ts.createProgram(files, { ...options, ...emitting, ...panels });
    this.#checker = this.#program.getTypeChecker();
    this.#shapes = new Shapes(ts, this.#checker);
  }

  text(): string {
    const parts = [
      '# Reference',
      'What a program calls of `tillnode/client` and `tillnode/testing`, and what a plugin imports. Written by\n`npm run reference` from the docstrings of the sources. Routes, bodies and errors as HTTP has them are in\n`dist/<variant>/openapi.json`.',
      '## For programs: tillnode/client',
      ...this.#ofClient(),
      '## For tests: tillnode/testing',
      ...this.#exportsOf(TESTING).map((symbol) => this.#entry(symbol)),
      '## For plugins',
      'A plugin is the default export of its `index.ts`: `definePlugin({ name, api: 2, … })`. Static facts are declared;\nbehaviour is added in `room`, by taps on the hooks of its node.',
      '### The hooks of a node',
      ORDER_OF_TAPS,
      this.#hooks(),
      ...Object.entries(FOR_PLUGINS).flatMap(([name, path]) => [
        `### ${name}`,
        ...this.#exportsOf(path)
          .filter((symbol) => path === REGISTRY || !this.#isOf(symbol, REGISTRY))
          .map((symbol) => this.#entry(symbol)),
      ]),
      '### cli.ts',
      ABOUT_CLI,
      '### Types that these name',
      ...this.#rest(),
    ];
    return `${parts.join('\n\n')}\n`;
  }

  #ofClient(): string[] {
    const own = this.#exportsOf(CLIENT).filter(
      (symbol) => !this.#isOf(symbol, REGISTRY) && !COMPOSED.includes(symbol.name),
    );
    const [client] = this.#exportsOf(CLIENT).filter(({ name }) => name === 'NodeClient');
    if (client === undefined) throw new Error(`${CLIENT} has no NodeClient`);
    return [
      '### NodeClient',
      `${this.#doc(client)} Every call takes \`CallOptions\` as its last argument, and rejects with a \`NodeError\`.`,
      this.#callsTable('Own', this.#ownCalls(client)),
      ...this.#callsByRoom(),
      '### Functions, options and errors',
      ...own.map((symbol) => this.#entry(symbol)),
      '### Configuration',
      'What `config()` gives, and `configure(patch)` takes in parts. Secrets read as `<name>Set`.',
      this.#open('ConfigKeys'),
      '### Status',
      'What `status()` gives: the fields of all these together.',
      ...this.#blocks('StatusBlocks'),
      '### Events',
      'What `events()` yields. Those of the first list can go to a webhook too.',
      ...this.#blocks('WebhookEvents'),
      ...this.#blocks('NodeEvents'),
      '### Types of the calls',
      ...this.#roomTypes(),
    ];
  }

  /** Members of the client itself: declared in its class. */
  #ownCalls(client: TS.Symbol): TS.Symbol[] {
    const [construct] = this.#checker.getTypeOfSymbol(this.#resolved(client)).getConstructSignatures();
    const type = construct?.getReturnType();
    return (type?.getProperties() ?? []).filter((symbol) => this.#isOf(symbol, CLIENT) && !symbol.name.startsWith('#'));
  }

  #callsByRoom(): string[] {
    const calls = this.#openType('Calls').getProperties();
    return this.#rooms.flatMap((room) => {
      const own = calls.filter((symbol) => this.#isOf(symbol, `${room}/`));
      return own.length === 0 ? [] : [this.#callsTable(room, own)];
    });
  }

  /** A table of calls; those of an object, as `twin`, stand with its name. */
  #callsTable(room: string, calls: readonly TS.Symbol[]): string {
    const rows = calls.flatMap((call) => {
      const type = this.#checker.getTypeOfSymbol(call);
      const nested = type.getCallSignatures().length === 0 ? type.getProperties() : [];
      return nested.length > 0 ? nested.map((each) => this.#row(`${call.name}.`, each)) : [this.#row('', call)];
    });
    const name = room === 'Own' ? '' : `**${room.split('/').at(-1)}**\n\n`;
    return `${name}| call | gives | what |\n|---|---|---|\n${rows.join('\n')}`;
  }

  #row(prefix: string, call: TS.Symbol): string {
    const [signature] = this.#checker.getTypeOfSymbol(call).getCallSignatures();
    if (signature === undefined) throw new Error(`${call.name} is no call`);
    const taken = signature.getParameters().flatMap((parameter) => {
      const [declaration] = parameter.declarations ?? [];
      if (declaration === undefined || !this.#ts.isParameter(declaration)) return [];
      const type = declaration.type?.getText() ?? '';
      if (type === 'CallOptions') return [];
      return `${parameter.name}${this.#checker.isOptionalParameter(declaration) ? '?' : ''}: ${type || 'object'}`;
    });
    const gives = signature.getDeclaration().type?.getText() ?? 'void';
    const doc = this.#shapes.meaning(call);
    if (doc === '') throw new Error(`${prefix}${call.name} has no docstring`);
    return [
      ``,
      ` \`${prefix}${call.name}(${taken.join(', ')})\` `,
      ` \`${gives.replace(/^Promise<(.*)>$/s, '$1')}\` `,
      ` ${doc} `,
      '',
    ]
      .map((cell) => cell.replaceAll('|', '\\|'))
      .join('|');
  }

  #roomTypes(): string[] {
    return this.#rooms.flatMap((room) => {
      const path = partOf(room, 'client');
      if (path === undefined) return [];
      return this.#exportsOf(path)
        .filter((symbol) => this.#isType(symbol) && !COMPOSED.includes(symbol.name))
        .map((symbol) => this.#shape(symbol));
    });
  }

  #isType(symbol: TS.Symbol): boolean {
    const { TypeAlias, Interface } = this.#ts.SymbolFlags;
    return (this.#resolved(symbol).flags & (TypeAlias | Interface)) !== 0;
  }

  #shape(symbol: TS.Symbol): string {
    const type = this.#checker.getDeclaredTypeOfSymbol(this.#resolved(symbol));
    const doc = this.#doc(symbol);
    return `${doc === '' ? '' : `${doc}\n\n`}${code(`type ${symbol.name} = ${this.#shapes.text(type)};`)}`;
  }

  #openType(name: string): TS.Type {
    const symbol = this.#exportsOf(REGISTRY).find((each) => each.name === name);
    if (symbol === undefined) throw new Error(`${REGISTRY} has no ${name}`);
    return this.#checker.getDeclaredTypeOfSymbol(symbol);
  }

  #open = (name: string) => code(`type ${name} = ${this.#shapes.text(this.#openType(name))};`);

  #blocks(name: string): string[] {
    return this.#openType(name)
      .getProperties()
      .map((symbol) => `**${symbol.name}**\n\n${code(this.#shapes.text(this.#checker.getTypeOfSymbol(symbol)))}`);
  }

  /** One export: its docstring as prose, and its declaration as code. */
  #entry(symbol: TS.Symbol): string {
    const resolved = this.#resolved(symbol);
    const [declaration] = resolved.declarations ?? [];
    if (declaration === undefined) throw new Error(`${symbol.name} is declared nowhere`);
    if (declaration.getSourceFile().fileName.includes('/node_modules/'))
      return `**${symbol.name}**: of the package @sinclair/typebox.`;
    const doc = this.#doc(symbol);
    this.#entered.add(resolved);
    return `**${symbol.name}**${doc === '' ? '' : `: ${doc}`}\n\n${code(this.#declared(declaration))}`;
  }

  /** A declaration without bodies, private members and `readonly`. */
  #declared(declaration: TS.Declaration): string {
    const ts = this.#ts;
    const source = declaration.getSourceFile();
    const name = (declaration as TS.NamedDeclaration).name?.getText() ?? '';
    const output = ts.createSourceFile('declared.d.ts', this.#emitted(source), ts.ScriptTarget.ESNext, true);
    const statement = output.statements.find((each) =>
      ts.isVariableStatement(each)
        ? each.declarationList.declarations.some((one) => one.name.getText() === name)
        : (each as TS.Statement & { readonly name?: TS.Identifier }).name?.text === name,
    );
    if (statement === undefined)
      throw new Error(`${relative(process.cwd(), source.fileName)}: ${name} is not declared`);
    this.#name(statement, declaration);
    return statement
      .getText()
      .replaceAll(/^export (declare )?/gm, '')
      .replaceAll(/^ *#private;\n/gm, '')
      .replaceAll(/\bimport\("[^"]*"\)\./g, '')
      .replaceAll(/\breadonly (?=[\w[])/g, '')
      .replaceAll(/^( +)/gm, (spaces) => ' '.repeat(Math.ceil(spaces.length / 2)));
  }

  /** The declarations of a file, with the types that the compiler has found where the source has none. */
  #emitted(source: TS.SourceFile): string {
    let text = '';
    const write = (_: string, written: string) => {
      text = written;
    };
    this.#program.emit(source, write, undefined, true);
    return text;
  }

  /** Notes the types of this tree that a declaration names, as they are known where it stands. */
  #name(statement: TS.Statement, declaration: TS.Declaration): void {
    const ts = this.#ts;
    const names = new Set<string>();
    const visit = (node: TS.Node): void => {
      const named = ts.isTypeReferenceNode(node) ? node.typeName : ts.isTypeQueryNode(node) ? node.exprName : undefined;
      if (named !== undefined && ts.isIdentifier(named)) names.add(named.text);
      if (ts.isExpressionWithTypeArguments(node) && ts.isIdentifier(node.expression)) names.add(node.expression.text);
      ts.forEachChild(node, visit);
    };
    visit(statement);
    this.#note(names, declaration);
  }

  /** Notes these names of types of this tree, as they are known at a place. */
  #note(names: ReadonlySet<string>, place: TS.Node): void {
    const ts = this.#ts;
    const { Type, Value, TypeParameter, Alias } = ts.SymbolFlags;
    for (const symbol of this.#checker.getSymbolsInScope(place, Type | Value | Alias)) {
      if (!names.has(symbol.name) || symbol.flags & TypeParameter) continue;
      if ([...COMPOSED, ...OF_THE_NODE].includes(symbol.name)) continue;
      // In its own file it is known by another symbol than in others.
      const resolved = this.#checker.getExportSymbolOfSymbol(this.#resolved(symbol));
      const [where] = resolved.declarations ?? [];
      if (where !== undefined && !where.getSourceFile().isDeclarationFile) this.#named.add(resolved);
    }
  }

  /** The types that are named on the page and that nobody imports, and those that they name. */
  #rest(): string[] {
    const texts = new Map<string, string>();
    for (const symbol of this.#named) if (!this.#entered.has(symbol)) texts.set(symbol.name, this.#entry(symbol));
    return [...texts].sort(([a], [b]) => a.localeCompare(b, 'en')).map(([, text]) => text);
  }

  /** The comment of each hook says when it is called and what its return means. */
  #hooks(): string {
    const ts = this.#ts;
    const source = this.#program.getSourceFile(HOOKS);
    const rows: string[] = [];
    const visit = (node: TS.Node): void => {
      const { parent } = node;
      const isHook =
        ts.isPropertyAssignment(node) &&
        ts.isVariableDeclaration(parent.parent) &&
        parent.parent.name.getText() === 'hooks';
      if (!isHook) {
        ts.forEachChild(node, visit);
        return;
      }
      const symbol = this.#checker.getSymbolAtLocation(node.name);
      const type = this.#checker.typeToString(
        this.#checker.getTypeAtLocation(node.name),
        undefined,
        ts.TypeFormatFlags.NoTruncation,
      );
      this.#note(new Set(type.match(/\b[A-Z]\w*/g)), node);
      const shown = type.replace(/, UnsetAdditionalOptions/g, '').replaceAll('|', '\\|');
      rows.push(
        `| \`${node.name.getText()}\` | \`${shown}\` | ${symbol === undefined ? '' : this.#shapes.meaning(symbol)} |`,
      );
    };
    if (source !== undefined) visit(source);
    return `| hook | taps get, and return | when |\n|---|---|---|\n${rows.join('\n')}`;
  }

  #exportsOf(path: string): TS.Symbol[] {
    const source = this.#program.getSourceFile(path);
    const module = source && this.#checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${path} exports nothing`);
    return this.#checker.getExportsOfModule(module);
  }

  #resolved(symbol: TS.Symbol): TS.Symbol {
    return symbol.flags & this.#ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
  }

  #isOf(symbol: TS.Symbol, path: string): boolean {
    const place = (declaration: TS.Declaration) => relative(process.cwd(), declaration.getSourceFile().fileName);
    const declarations = this.#resolved(symbol).declarations ?? [];
    return declarations.some((each) => `./${place(each)}`.startsWith(`./${relative(process.cwd(), path)}`));
  }

  #doc(symbol: TS.Symbol): string {
    const parts = this.#resolved(symbol).getDocumentationComment(this.#checker);
    return this.#ts
      .displayPartsToString(parts)
      .replaceAll(/\s*\n\s*/g, ' ')
      .trim();
  }
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  writeFileSync(REFERENCE, await reference());
