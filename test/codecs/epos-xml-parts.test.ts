/** Documents of ePOS-Print XML as commands that a node takes, of which each was looked at before. */
import { describe, expect, it } from 'vitest';
import type { EposCommand } from '../../codecs/epos-xml.ts';
import { cutInto, type EposRefusal, eposParts } from '../../codecs/epos-xml-parts.ts';
import type { EposLine } from '../../codecs/epos-xml-values.ts';

const PAPER = { columns: 48, dots: 576 };
const text = (value: string): EposLine => ({ type: 'text', value });
const print = (...lines: EposLine[]): EposCommand => ({ type: 'print', lines });
const KICK: EposCommand = { type: 'drawer_kick', pin: 2, onMs: 100 };
const raster = (height: number): EposLine => ({
  ...{ type: 'raster', width: 576, height },
  data: Buffer.alloc(72 * height, 7).toString('base64'),
});
/** A node that draws each row in 2,200 bytes, and takes 262,144 of them. */
const drawing =
  (asked: EposLine[][]) =>
  async (lines: EposLine[]): Promise<EposRefusal | undefined> => {
    asked.push(lines);
    const rows = lines.flatMap((line) => (line.type === 'text' ? line.value.split('\n') : []));
    return rows.length * 2200 > 262_144 ? { error: 'render_too_large', detail: 'too large' } : undefined;
  };
const valuesIn = (parts: readonly EposCommand[]) =>
  parts.flatMap((part) => (part.type === 'print' ? part.lines : [])).map((line) => line.type === 'text' && line.value);

describe('the commands of a document', () => {
  it('are as many as have place in a body', () => {
    const parts = cutInto([print(...Array.from({ length: 5 }, () => raster(1000)), text('end'))], PAPER, 0);
    expect(parts.map((part) => part.type === 'print' && part.lines.length)).toEqual([2, 2, 2]);
    for (const part of parts) expect(JSON.stringify(part).length).toBeLessThan(256 * 1024 - 1024);
  });

  it('are all looked at, unless it is one that is refused whole', async () => {
    const asked: EposLine[][] = [];
    await eposParts([print(text('a')), KICK], PAPER, drawing(asked));
    expect(asked).toEqual([]);
    await eposParts([print(text('a')), KICK, print(text('b'))], PAPER, drawing(asked));
    await eposParts([KICK, print(text('c'))], PAPER, drawing(asked));
    expect(asked).toEqual([[text('a')], [text('b')], [text('c')]]);
  });

  it('are none where one of them cannot be printed, which is named by its place', async () => {
    const refusalOf = async ([line]: EposLine[]) =>
      line?.type === 'text' && line.value === 'bad' ? { error: 'invalid_command', detail: 'lines/0' } : undefined;
    expect(await eposParts([print(text('a')), KICK, print(text('bad'))], PAPER, refusalOf)).toEqual({
      ...{ error: 'invalid_command', detail: 'lines/0', index: 2, of: 3 },
    });
  });

  it('are cut finer where drawn text takes more than one may, and the same again when they are cut again', async () => {
    const rows = Array.from({ length: 300 }, (_, n) => `رقم ${n}`);
    const document = [print(text(rows.join('\n')))];
    const laid = await eposParts(document, PAPER, drawing([]));
    if ('error' in laid) throw new Error(laid.detail);
    expect(laid.parts.length).toBeGreaterThan(2);
    expect(valuesIn(laid.parts).join('\n')).toBe(rows.join('\n'));
    expect(cutInto(document, PAPER, laid.cuts)).toEqual(laid.parts);
  });

  it('are refused where none is fine enough', async () => {
    const refusalOf = async () => ({ error: 'render_too_large', detail: 'too large' });
    const laid = await eposParts([KICK, print(text('ا'.repeat(8000)))], PAPER, refusalOf);
    expect(laid).toMatchObject({ error: 'render_too_large', index: 1, of: 2 });
  });

  it('are refused where they take over 20 m of paper together', async () => {
    const feeds = Array.from({ length: 12 }, (): EposLine => ({ type: 'feed', lines: 255 }));
    const laid = await eposParts([print(...feeds), KICK, print(...feeds)], PAPER, async () => undefined);
    expect(laid).toMatchObject({ error: 'render_too_large', detail: expect.stringContaining('20 m') });
  });
});
