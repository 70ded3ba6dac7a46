/** The declarations of the client: whatever a room calls its keys, they are TypeScript. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeTypes } from '../../runtime/assembly/client/client-types.ts';
import { member } from '../../runtime/assembly/client/member.ts';
import { writeContract } from '../../runtime/assembly/variant/contract-module.ts';
import { newPlugin } from '../../runtime/new/new-plugin.ts';

const scratch = mkdtempSync(join(tmpdir(), 'tillnode-types-'));
const written = join(scratch, 'client');
const declared = () => readFileSync(join(written, 'registry.d.cts'), 'utf8');
/** What the parser says of every file that was written. */
const faults = () => {
  const files = readdirSync(written).filter((file) => file.endsWith('.d.cts'));
  const program = ts.createProgram(
    files.map((file) => join(written, file)),
    { noLib: true, noResolve: true },
  );
  return program.getSyntacticDiagnostics().map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
};

beforeAll(async () => {
  const rooms = ['coin-acceptor', '2nd.display'].map((name) => join(scratch, name));
  newPlugin('.', 'coin-acceptor', rooms[0]);
  cpSync(rooms[0] as string, rooms[1] as string, { recursive: true });
  for (const file of ['client.ts', 'index.ts']) rmSync(join(rooms[1] as string, file));
  writeFileSync(
    join(rooms[1] as string, 'client.ts'),
    `declare module 'tillnode/registry' {
      interface ConfigKeys { '2nd': number; "o'clock": { 'to the "hour"': boolean } }
      interface NodeEvents { 'display.shown': { readonly type: 'display.shown' } }
      interface Calls { 'show-lines'?: () => Promise<void>; größe: () => Promise<void> }
    }
    export {};`,
  );
  // The result of a command, which the first of them gives, is described by the printer's room, where that is built in.
  await writeTypes(written, rooms);
  await writeContract(written, rooms);
}, 120_000);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe('the declarations of the client', () => {
  it('are read by TypeScript, whatever the rooms call their keys, events, blocks and calls', () => {
    expect(faults()).toEqual([]);
    for (const line of ["'coin-acceptor': ", "'2nd': number;", "'o\\'clock': ", "'display.shown': ", "'show-lines'?: "])
      expect(declared()).toContain(`  ${line}`);
    expect(declared()).toMatch(/^ {2}größe: /m);
  });

  it('have the type of what every command ends in, with the shape that the printer gives it or without that room', async () => {
    const beside = join(scratch, 'beside');
    await writeTypes(beside, ['plugins/printer', join(scratch, 'coin-acceptor')]);
    for (const folder of [written, beside]) {
      const text = readFileSync(join(folder, 'registry.d.cts'), 'utf8');
      expect(text).toContain('Promise<CommandResult>');
      expect(text.match(/^export (?:interface|type) CommandResult\b/gm)).toHaveLength(1);
    }
  });

  it('have the shapes of a room by the name of its folder, which may be no name of a program', () => {
    const contract = readFileSync(join(written, 'contract.d.cts'), 'utf8');
    expect(contract).toContain('export declare const coinAcceptor: {');
    expect(contract).toContain('export declare const _2ndDisplay: {');
  });

  it.each(['a', '$', '_1', 'naïve', 'class', '1a', 'a-b', '', "'", '"', '\\', '\n', 'a b', "\\'"])(
    'name a member %j as itself',
    (name) => {
      const source = ts.createSourceFile('a.ts', `interface A { ${member(name)}: 1 }`, ts.ScriptTarget.ESNext);
      const [statement] = source.statements;
      expect(statement && ts.isInterfaceDeclaration(statement) && statement.members[0]?.name).toMatchObject({
        text: name,
      });
    },
  );
});
