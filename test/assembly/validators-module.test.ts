/** What an image validates with says the same as the schemas. */
import type { TSchema } from '@sinclair/typebox';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { variants } from '../../build.config.ts';
import { evaluateVariant } from '../../runtime/assembly/variant/evaluate-variant.ts';
import { validatorsSource } from '../../runtime/assembly/variant/validators-module.ts';
import { closed, utf8 } from '../../runtime/base/schema.ts';
import { compileValidators, inputSchemas } from '../../runtime/kernel/schemas.ts';
import { Contract, type Validators } from '../../runtime/kernel/validator.ts';

const row = { type: 'columns', cells: [{ value: 'Tea' }, { value: '2.00', align: 'right' }] };
const code = { type: 'barcode', symbology: 'qr', value: 'https://example.com' };
const print = { type: 'print', id: '1', endpoint: 'receipt', lines: [row, code] };
const LINES = [
  [],
  [row, { ...code, symbology: 'aztec' }],
  [{ ...row, cells: [] }],
  [{ ...row, cells: [{ value: 'Tea', width: 0 }] }],
  [{ type: 'text', value: '💶'.repeat(8193) }],
  [{ type: 'text', value: '💶'.repeat(8192) }],
  [{ type: 'text', value: 'x', size: '9x' }],
  [{ type: 'poem' }],
  [{}],
  [null],
];

describe('the validators of an image', () => {
  let inImage: Contract;
  let declared: Contract;
  let source: string;

  beforeAll(async () => {
    const { composition } = await evaluateVariant(variants['wifi']!);
    source = await validatorsSource(inputSchemas(composition));
    const { outputFiles } = await build({
      stdin: { contents: source, resolveDir: process.cwd() },
      bundle: true,
      format: 'esm',
      platform: 'node',
      write: false,
    });
    const module = `data:text/javascript,${encodeURIComponent(outputFiles[0]!.text)}`;
    inImage = new Contract((await import(/* @vite-ignore */ module)) as Validators);
    declared = new Contract(compileValidators(composition));
  });

  it.each([
    [
      'PrintCommand',
      [print, { ...print, more: 1 }, { ...print, id: 7 }, ...LINES.map((lines) => ({ ...print, lines }))],
    ],
    ['PreviewRequest', [{}, { lines: [row, code] }, print, ...LINES.map((lines) => ({ lines }))]],
    [
      'ConfigPatch',
      [{}, { printWidthCols: 8 }, { webhook: { url: 'é'.repeat(100) } }, { webhook: { events: ['A'] } }, 1],
    ],
  ])('say of a body what its schema says: %s', ($id, bodies) => {
    const faults = (contract: Contract) => bodies.map((body) => contract.fault({ $id } as never, body));
    expect(faults(inImage)).toEqual(faults(declared));
    expect(faults(inImage).filter((fault) => fault !== undefined).length).toBeGreaterThan(2);
  });

  it('have once what several bodies contain', async () => {
    const part = closed({ part: utf8(7, { $id: 'Part' }) });
    const once = await validatorsSource(
      new Map<string, TSchema>([
        ['A', part],
        ['B', closed({ b: part.properties.part })],
      ]),
    );
    expect(once.match(/> *7\b/g)).toHaveLength(1);
  });

  it('are not made of two schemas with one name', async () => {
    const part = (most: number) => closed({ part: utf8(most, { $id: 'Part' }) });
    await expect(
      validatorsSource(
        new Map([
          ['A', part(1)],
          ['B', part(2)],
        ]),
      ),
    ).rejects.toThrow('called Part');
  });
});
