/** POST /preview shows what a print command then prints, and prints nothing; the samples are receipts that can be printed. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Line, PrintCommand } from '../../../plugins/printer/contract.ts';
import { SAMPLES } from '../../../plugins/printer/panel/samples.ts';
import { faultsOf } from '../../../runtime/page/editor/check.ts';
import type { Schema } from '../../../runtime/page/editor/schema.ts';
import { type PrintingNode, startPrintingNode } from '../../node.ts';

let node: PrintingNode;
beforeAll(async () => {
  node = await startPrintingNode();
});
afterAll(() => node.stop());

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };
/** The preview of these lines: its document without what it says of itself, which stands beside it. */
async function preview(lines: readonly unknown[]) {
  const response = await fetch(`${node.url}/preview`, { method: 'POST', body: JSON.stringify({ lines }) });
  const body = await response.text();
  if (!response.ok) return { status: response.status, ...(JSON.parse(body) as object) };
  expect(response.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8');
  const [said = '', written = ''] = /<desc[^>]*>([^<]*)<\/desc>\n/.exec(body) ?? [];
  const [attribute = '', substituted] = / data-substituted="(\d+)"/.exec(body) ?? [];
  return {
    svg: body.replace(said, '').replace(attribute, ''),
    text: written.replaceAll(/&\w+;/g, (entity) => ENTITIES[entity] ?? entity),
    substituted: Number(substituted),
  };
}
/** What is answered where only that is asked for (RFC 7240). */
async function minimal(lines: readonly unknown[]) {
  const headers = { Prefer: 'return=minimal' };
  const response = await fetch(`${node.url}/preview`, { method: 'POST', headers, body: JSON.stringify({ lines }) });
  const applied = response.headers.get('preference-applied');
  return { status: response.status, applied, body: await response.text() };
}
const shownText = async (lines: readonly unknown[]) => String(((await preview(lines)) as { text?: string }).text);
const lay = (config: object) => node.send('PUT', '/config', config);
const printed = async (lines: readonly unknown[]) => {
  node.printer.tearOff();
  const { body } = await node.print(lines as object[]);
  return { body, svg: node.printer.paperSvg(), text: node.printer.paperText() };
};

const word = fc.string({ unit: fc.constantFrom(...'ab €éŁЖΩ✓’\n漢 '), maxLength: 60 });
const align = fc.constantFrom('left', 'center', 'right');
const optional = { requiredKeys: ['type'] } as { requiredKeys: ['type'] };
const line = fc.oneof(
  fc
    .record(
      {
        type: fc.constant('text'),
        align,
        bold: fc.boolean(),
        underline: fc.boolean(),
        invert: fc.boolean(),
        size: fc.constantFrom('1x', '2x', '1x2', '3x1'),
        font: fc.constantFrom('a', 'b'),
      },
      optional,
    )
    .chain((style) => word.map((value) => ({ ...style, value }))),
  fc
    .array(fc.record({ value: word, align, bold: fc.boolean() }), { minLength: 1, maxLength: 4 })
    .map((cells) => ({ type: 'columns', cells })),
  fc.record({ type: fc.constant('banner'), value: fc.constantFrom('Café', 'A B C', '✓'), align }),
  fc.record({ type: fc.constant('rule'), style: fc.constantFrom('single', 'double', 'dashed') }, optional),
  fc.record({ type: fc.constant('feed'), lines: fc.integer({ min: 1, max: 9 }) }, optional),
  fc.record({ type: fc.constant('cut'), mode: fc.constantFrom('full', 'partial') }, optional),
  fc.constantFrom(
    { type: 'barcode', symbology: 'ean13', value: '4006381333931', hri: 'both' },
    { type: 'barcode', symbology: 'code128', value: 'AB1234567', moduleWidth: 2 },
    { type: 'raster', width: 9, height: 2, data: 'gICAgA==', align: 'right' },
  ),
);

describe('the preview', () => {
  it('is the paper that then comes out, dot for dot and row for row', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 8 }), async (lines) => {
        const shown = await preview(lines);
        const { body, svg, text } = await printed(lines);
        expect(body['ok']).toBe(true);
        expect(shown).toEqual({ svg, text, substituted: expect.any(Number) });
      }),
      { numRuns: 60 },
    );
  });

  it('prints nothing, and no job is listed', async () => {
    node.printer.tearOff();
    const jobs = async () => (await node.get<{ jobs: unknown[] }>('/jobs')).body.jobs.length;
    const before = await jobs();
    await preview([{ type: 'text', value: 'not on paper' }]);
    expect(node.printer.paperText()).toBe('');
    expect(await jobs()).toBe(before);
  });

  it('is laid out at the configured width, on the paper of the printer', async () => {
    const lines = [{ type: 'columns', cells: [{ value: 'a' }, { value: 'b', align: 'right' }] }];
    await lay({ printWidthCols: 20 });
    expect(await shownText(lines)).toBe(`a${' '.repeat(18)}b\n`);
    expect(await preview(lines)).toMatchObject({ svg: expect.stringContaining('viewBox="-32 -32 640 ') });
    await lay({ printWidthCols: 42 });
    expect(await shownText(lines)).toBe(`a${' '.repeat(40)}b\n`);
    await lay({ printWidthCols: 48 });
  });

  it('is as wide as receipts are laid out where no printer is bound', async () => {
    await node.unplug();
    await lay({ printWidthCols: 32 });
    expect(await preview([{ type: 'rule' }])).toMatchObject({ svg: expect.stringContaining('viewBox="-32 -32 448 ') });
    await lay({ printWidthCols: 48 });
    await node.replug();
  });

  it('counts the characters that are printed as a question mark', async () => {
    const lines = [{ type: 'text', value: '\ue000\ue001 ok' }];
    expect(await preview(lines)).toMatchObject({ substituted: 2, text: '?? ok\n' });
    expect((await printed(lines)).body['detail']).toMatch(/^2 characters/);
  });

  it('counts the direction controls that are left out', async () => {
    const lines = [{ type: 'text', value: 'TOTAL \u202e00.91\u202c' }];
    const { svg, text } = (await preview(lines)) as { svg: string; text: string };
    expect([text, / data-left-out="(\d+)"/.exec(svg)?.[1]]).toEqual(['TOTAL 00.91\n', '2']);
    expect((await printed(lines)).body['detail']).toMatch(/^2 direction controls/);
  });

  it('holds no markup of the lines', async () => {
    const value = '</desc><script>"&amp;\ud83d</text>';
    expect(await preview([{ type: 'text', value }])).toMatchObject({
      svg: expect.not.stringContaining('<script'),
      text: expect.stringContaining('</desc><script>"&amp;'),
    });
  });

  it.each([
    ['data that a symbology cannot hold', [{ type: 'feed' }, { type: 'barcode', symbology: 'ean13', value: '12' }]],
    ['cells that do not fit', [{ type: 'columns', cells: [{ value: 'a', width: 60 }] }]],
    ['a raster wider than the paper', [{ type: 'raster', width: 800, height: 1, data: 'AA==' }]],
    ['a raster that is not base64', [{ type: 'raster', width: 8, height: 1, data: 'A' }]],
    ['a job that is too large', Array.from({ length: 200 }, () => ({ type: 'banner', value: 'x' }))],
    ['lines of an unknown type', [{ type: 'hologram' }]],
    ['lines of another shape', [{ type: 'feed', lines: 300 }]],
    ['no lines', []],
  ] as Array<[string, Line[]]>)('refuses %s as a print command is refused', async (_what, lines) => {
    const { error, detail } = (await printed(lines)).body;
    expect(await preview(lines)).toEqual({ status: 422, ok: false, error, detail });
    const asked = await minimal(lines);
    expect({ status: asked.status, ...(JSON.parse(asked.body) as object) }).toEqual({
      ...{ status: 422, ok: false, error, detail },
    });
  });

  it('is none where whether the lines can be printed is all that is asked for', async () => {
    expect(await minimal([{ type: 'text', value: 'a' }])).toEqual({ status: 204, applied: 'return=minimal', body: '' });
  });

  it('is of no printer that the node has not', async () => {
    const body = JSON.stringify({ lines: [{ type: 'feed' }], endpoint: 'bar' });
    const { status } = await fetch(`${node.url}/preview`, { method: 'POST', body });
    expect(status).toBe(422);
  });

  it('is refused where memory is short', async () => {
    const { memory } = node.host;
    node.host.memory = 1000;
    expect(await preview([{ type: 'rule' }])).toMatchObject({ status: 409, error: 'render_alloc_failed' });
    node.host.memory = memory;
  });
});

describe.each(SAMPLES)('the sample $name', ({ text: json }) => {
  const lines = JSON.parse(json) as Line[];

  it('has the shape of the contract', () => {
    expect(faultsOf(PrintCommand.properties.lines as Schema, lines, 'lines')).toEqual([]);
  });

  it.each([48, 42, 32])('can be printed in %i columns, every character as itself', async (columns) => {
    await lay({ printWidthCols: columns });
    const shown = (await preview(lines)) as { text: string };
    expect(shown).toMatchObject({ substituted: 0 });
    // A symbol and a cut are named in the text, at any length; Font B has four characters where Font A has three.
    const rows = shown.text.split('\n').filter((row) => !/^ *[[✂]/.test(row));
    expect(Math.max(...rows.map((row) => row.trimStart().length))).toBeLessThanOrEqual(Math.floor((columns * 4) / 3));
    const symbols = lines.filter(({ type }) => type === 'barcode').length;
    expect(shown.text.match(/\[(?:qr|ean13|code128) /g)?.length).toBe(symbols === 0 ? undefined : symbols);
    await lay({ printWidthCols: 48 });
  });

  it('prints on the twin', async () => {
    const { body, text } = await printed(lines);
    expect(body).toMatchObject({ ok: true, outcome: 'accepted' });
    expect(body['detail']).toBeUndefined();
    expect(await shownText(lines)).toBe(text);
  });
});
