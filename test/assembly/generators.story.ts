/** Generators of clients, as their authors ship them, on the contract that the npm package brings. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOutside, type Outside, pack } from './outside.ts';

const MINUTES = 600_000;
const OPTIONS = { strict: true, target: 'es2022', lib: ['es2022', 'dom'], module: 'nodenext', types: [] };
const PROGRAM = `
import createClient from 'openapi-fetch';
import { startTwin } from 'tillnode/testing';
import type { components, paths } from './node.js';

const twin = await startTwin();
const till = createClient<paths>({ baseUrl: twin.url });
const stored = await till.PUT('/config', { body: { printWidthCols: 42, drawer: { pin: 5 } } });
const columns: number | undefined = stored.data?.printWidthCols;
const line: components['schemas']['Line'] = { type: 'text', value: 'Hello' };
const printed = await till.POST('/print', { body: { type: 'print', id: '1', endpoint: 'receipt', lines: [line] } });
const refused = await till.POST('/print', { body: { type: 'print', id: '2', endpoint: 'kitchen', lines: [line] } });
const code: string | undefined = refused.error?.error;
console.log(columns, stored.data?.drawer.pin, printed.data?.outcome, code, (await twin.paper()).trim());
// @ts-expect-error there is no such pin
export const wrongPin = () => till.PUT('/config', { body: { drawer: { pin: 3 } } });
// @ts-expect-error there is no such line
export const wrongLine = () => till.POST('/print', { body: { type: 'print', id: '3', endpoint: 'receipt', lines: [{ type: 'hologram' }] } });
await twin.stop();
`;

describe('openapi-typescript and openapi-fetch', () => {
  let program: Outside;
  beforeAll(() => {
    program = createOutside(pack().tarball, 'module', { withTools: true });
  }, MINUTES);
  afterAll(() => program?.remove());

  it(
    'make a client that prints a receipt and sets one key of the configuration, typed',
    () => {
      program.run('openapi-typescript', 'node_modules/tillnode/dist/twin/openapi.json', '--output', 'node.d.ts');
      program.write('program.ts', PROGRAM);
      program.write('tsconfig.json', JSON.stringify({ compilerOptions: OPTIONS }));
      program.run('tsc');
      expect(program.run('node', 'program.js')).toBe('42 5 accepted unknown_endpoint Hello\n');
    },
    MINUTES,
  );
});
