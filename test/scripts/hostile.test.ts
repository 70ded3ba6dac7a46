/** "A million combining marks on one base, controls of direction, chains of joiners": bounded, and never a command. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STATUS_POLL } from '../../codecs/escpos.ts';
import type { Line } from '../../plugins/printer/contract.ts';
import { type PrintingNode, startPrintingNode } from '../node.ts';
import { shops } from './shop.ts';

let node: PrintingNode;
beforeAll(async () => {
  node = await startPrintingNode();
});
afterAll(() => node.stop());

/** Prints lines on paper of their own; gives the answer and the bytes of the job. */
async function print(lines: readonly Line[]) {
  node.printer.tearOff();
  const { status, body } = await node.print(lines);
  return {
    status,
    error: body['error'],
    detail: body['detail'] as string | undefined,
    bytes: withoutPolls(node.printer.paperBytes()),
  };
}

/** The node asks for the printer's state at any time. */
const withoutPolls = (bytes: Uint8Array): Buffer =>
  Buffer.from(
    Buffer.from(bytes).toString('latin1').replaceAll(Buffer.from(STATUS_POLL).toString('latin1'), ''),
    'latin1',
  );

const text = (value: string): Line => ({ type: 'text', value });
const RENDER_LIMIT = 262_144;
const TEXT_LIMIT = 8192;

/** Where these bytes stand in others. */
const has = (bytes: Uint8Array, ...wanted: number[]): boolean => Buffer.from(bytes).includes(Buffer.from(wanted));

/** The real-time commands that a printer obeys wherever they stand, and the drawer pulse, but for what the node asks. */
const spellsCommand = (bytes: Uint8Array): boolean =>
  has(bytes, 0x1b, 0x70) || has(bytes, 0x10, 0x14) || has(bytes, 0x10, 0x04);

const HOSTILE: Readonly<Record<string, string>> = {
  'marks without end on one base': `a${'\u0301\u0316\u0334'.repeat(2700)}`,
  'Thai marks without end': `ก${'\u0e49\u0e34'.repeat(4000)}`,
  'marks without a base': '\u0e49\u0301\u064b\u093c'.repeat(2000),
  'embeddings without an end': `${'\u202b\u202a'.repeat(2000)}שלום abc`,
  'isolates without an end': `${'\u2067\u2066'.repeat(2000)}مرحبا 12`,
  'ends of embeddings without a beginning': `${'\u202c\u2069'.repeat(3000)}مرحبا`,
  'directions that change at every letter': 'אa1ب'.repeat(2000),
  'brackets in brackets': `א${'('.repeat(4000)}${')'.repeat(4000)}`,
  'a chain of joiners': `👨${'\u200d👩'.repeat(2600)}`,
  'viramas without end': `क${'\u094dक'.repeat(4000)}`,
  'tags without end': `🏴${'\u{e0067}'.repeat(4000)}`,
  'regional indicators': '🇦'.repeat(4000),
  'Hangul jamo without end': '\u1100\u1161\u11a8'.repeat(2700),
  'unassigned characters': '\u0378\u{1ffff}\u{e0fff}'.repeat(1600),
  'private use': '\ue000\u{f0000}'.repeat(2700),
  'no letter but controls of layout': '\u200b\u2060\ufeff\u00ad\u034f'.repeat(1600),
  'the widest letter': '﷽'.repeat(2000),
};

/** Lines of letters of every language here, of what acts on them, and of whatever else. */
const ANY = fc.sample(
  fc.record({
    type: fc.constant('text' as const),
    value: fc
      .array(
        fc.oneof(
          fc.constantFrom(...shops.flatMap(({ goods }) => goods)),
          fc.constantFrom('\u200d', '\u200c', '\u202e', '\u2067', '\u0301', '\t', '\n', 'A', '7', '€'),
          fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
        ),
        { maxLength: 100 },
      )
      .map((units) => units.join('')),
    size: fc.constantFrom('1x', '2x', '1x3', '8x'),
    bold: fc.boolean(),
    underline: fc.boolean(),
    invert: fc.boolean(),
    font: fc.constantFrom('a' as const, 'b' as const),
  }),
  { seed: 15, numRuns: 40 },
);

describe('a text that is meant to break the drawing', () => {
  it.each(Object.entries(HOSTILE))('is printed or refused: %s', async (_, value) => {
    const { status, error, bytes } = await print([text(value.slice(0, TEXT_LIMIT))]);
    expect([status, error]).toBeOneOf([
      [200, undefined],
      [expect.any(Number), 'render_too_large'],
    ]);
    expect(bytes.length).toBeLessThanOrEqual(RENDER_LIMIT);
    expect(spellsCommand(bytes)).toBe(false);
  });

  it('of a million marks, in many lines, is bounded too', async () => {
    const line = text(`ก${'\u0e49'.repeat(TEXT_LIMIT - 1)}`);
    const { bytes } = await print(new Array<Line>(120).fill(line));
    expect(bytes.length).toBeLessThanOrEqual(RENDER_LIMIT);
  });

  it('of halves of a character is printed as question marks, which are counted', async () => {
    const { status, detail, bytes } = await print([text('x\ud800y\udc00z')]);
    expect(status).toBe(200);
    expect(detail).toMatch(/^2 /);
    expect(has(bytes, ...Buffer.from('x?y?z'))).toBe(true);
  });

  it('of characters without a shape counts one question mark for each', async () => {
    const { detail } = await print([text('a\ue000b\u0378c')]);
    expect(detail).toMatch(/^2 /);
  });

  it('that is larger than a job when it is drawn is refused, and nothing is printed', async () => {
    const lines = new Array<Line>(60).fill({ type: 'text', value: 'สวัสดี'.repeat(100), size: '8x' });
    const { status, error, bytes } = await print(lines);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(error).toBe('render_too_large');
    expect(bytes.length).toBe(0);
  });

  it.each(ANY)('of any characters becomes no command, and no more bytes than a job has: %j', async (line) => {
    const { bytes } = await print([line]);
    expect(bytes.length).toBeLessThanOrEqual(RENDER_LIMIT);
    expect(spellsCommand(bytes)).toBe(false);
  });

  it('leaves the node as it was: the next receipt is printed', async () => {
    const { status, detail } = await print([text(shops[0]!.thanks)]);
    expect([status, detail]).toEqual([200, undefined]);
  });
});
