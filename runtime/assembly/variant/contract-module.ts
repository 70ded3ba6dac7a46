/** Generates `tillnode/contract`: the JSON Schemas of every room, for programs that validate requests and responses. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { KindGuard } from '@sinclair/typebox';
import { writeDeclaration } from '../client/client-types.ts';
import { evaluateModule } from '../rooms/evaluate.ts';
import { partOf } from '../rooms/rooms.ts';

type Contract = Readonly<Record<string, unknown>>;

/** Writes `contract.js` and `contract.d.ts` to `directory`, with the schemas of the rooms in these folders. */
export async function writeContract(directory: string, rooms: readonly string[]): Promise<void> {
  const contracts = Object.entries(await contractsOf(rooms)).map(([room, contract]) => {
    const schemas = Object.entries(contract).filter(([, value]) => KindGuard.IsSchema(value));
    return [room, Object.fromEntries(schemas)] as const;
  });
  const values = contracts.map(([room, schemas]) => `export const ${room} = ${JSON.stringify(schemas)};\n`);
  const types = contracts.map(([room, schemas]) => {
    const names = Object.keys(schemas).map((name) => `  readonly ${name}: JsonSchema;\n`);
    return `export declare const ${room}: {\n${names.join('')}};\n`;
  });
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'contract.js'), values.join(''));
  writeDeclaration(
    join(directory, 'contract'),
    [
      "export type * from './registry.js';\nexport type * from './types.js';\n",
      '/** JSON Schema 2020-12. */\nexport type JsonSchema = { readonly [keyword: string]: unknown };\n',
      ...types,
    ].join(''),
  );
}

/** What a room's schemas are exported as: the name of its folder in camel case; of `./2nd.display`, `_2ndDisplay`. */
const exportName = (room: string) =>
  basename(room)
    .replaceAll(/[^A-Za-z0-9_$]+(.|$)/g, (_, letter: string) => letter.toUpperCase())
    .replace(/^(?=\d)/, '_');

/** The exports of each room's `contract.ts`, by the room's name in camel case. */
async function contractsOf(rooms: readonly string[]): Promise<Readonly<Record<string, Contract>>> {
  const source = rooms
    .flatMap((room) => {
      const path = partOf(room, 'contract');
      return path === undefined ? [] : [`export * as ${exportName(room)} from ${JSON.stringify(path)};`];
    })
    .join('\n');
  return (await evaluateModule(source)) as Readonly<Record<string, Contract>>;
}
