/** Each model opens its drawer on what its manual implies, and on nothing else: models that never open prove nothing. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hex, PULSE, text } from './bytes.ts';
import { belPulsing, gb18030Lax, gbkLax, gbkStrict, pos80b, skipping, utf8Counting } from './clones.ts';
import type { PrinterModel } from './model.ts';
import { allModels } from './models.ts';
import { ncr7197, strippingAll, strippingAtTransfers } from './stripping.ts';
import { tmT88III } from './tm-t88iii.ts';
import { tmT88VI } from './tm-t88vi.ts';
import { tmU220, tmU295 } from './tm-u220.ts';

const opened = (model: PrinterModel, ...parts: readonly Uint8Array[]): number => {
  for (const part of parts) model.feed(part);
  return model.deeds.filter(({ what }) => what === 'pulse').length;
};
const bytewise = (bytes: Uint8Array) => Array.from(bytes, (byte) => Uint8Array.of(byte));
const KICK = hex('1b70 01 3c78');
const vi = () => tmT88VI('anywhere');
const takingOut = () => tmT88VI('anywhere, taken out');

describe('every model', () => {
  it.each(allModels(true).map((model) => [model.name, model] as const))(
    '%s: ESC p opens the drawer, once, and says where it stood',
    (_, model) => {
      expect(opened(model, text('ab'), PULSE, text('cd\n'))).toBe(1);
      expect(model.deeds).toEqual([{ what: 'pulse', from: 2, to: 7, replayed: false }]);
    },
  );

  it.each(allModels(true).map((model) => [model.name, model] as const))(
    '%s: a receipt of text, sizes and a cut opens nothing',
    (_, model) => {
      expect(
        opened(
          model,
          hex('1b40 1b6101'),
          text('Receipt\n'),
          hex('1b2110 1b4501'),
          text('TOTAL 5.00\n'),
          hex('1b6404 1d564200'),
        ),
      ).toBe(0);
    },
  );

  it.each(allModels(true).map((model, at) => [model.name, model, allModels(true)[at]!] as const))(
    '%s: where the bytes are cut makes no difference',
    (_, whole, cut) => {
      const bytes = Buffer.concat([
        hex('41 1004071b 1b21 1d763000 0200 0300'),
        PULSE,
        hex('1d3a'),
        PULSE,
        hex('1d3a 1d5e020000 8130 10041014 1001 04'),
        PULSE,
      ]);
      whole.feed(bytes);
      for (const byte of bytewise(bytes)) cut.feed(byte);
      expect(cut.deeds).toEqual(whole.deeds);
      expect(whole.deeds.length).toBeGreaterThan(0);
    },
  );

  it('is written from manuals alone: it imports its neighbours, and they import nothing else', () => {
    const files = new Set(['models.ts']);
    for (const file of files) {
      const source = readFileSync(`${import.meta.dirname}/${file}`, 'utf8');
      for (const [, target = ''] of source.matchAll(/(?:from|import)\s*\(?'([^']+)'/g))
        files.add(target.replace(/^\.\//, ''));
    }
    expect([...files].sort()).toEqual([
      'clones.ts',
      'interpreter.ts',
      'model.ts',
      'models.ts',
      'reading.ts',
      'stripping.ts',
      'tm-t88iii.ts',
      'tm-t88vi.ts',
      'tm-u220.ts',
    ]);
  });
});

describe('a parameter out of its range ends the command, and what follows is data:', () => {
  const image = (columns: string, rows: string) =>
    Buffer.concat([hex(`1d763000 ${columns} ${rows}`), PULSE, Buffer.alloc(600_000)]);
  it.each([
    ['TM-T88III', 'GS v 0 with yH over 8', tmT88III, image('0100', '0009')],
    ['TM-T88III', 'GS v 0 with x over 256', tmT88III, image('0101', '0100')],
    ['TM-T88III', 'GS v 0 behind text', tmT88III, Buffer.concat([text('A'), image('0500', '0100')])],
    ['TM-T88III', 'GS k behind text', tmT88III, Buffer.concat([text('A'), hex('1d6b4905'), PULSE])],
    ['TM-T88III', 'ESC & with y = 2', tmT88III, Buffer.concat([hex('1b26024141 05'), PULSE, Buffer.alloc(20)])],
    ['TM-T88III', 'ESC * with nH over 3', tmT88III, Buffer.concat([hex('1b2a000004'), PULSE, Buffer.alloc(2000)])],
    [
      'TM-T88III',
      'FS q with y over 288',
      tmT88III,
      Buffer.concat([hex('1c7101 0100 2101'), PULSE, Buffer.alloc(3000)]),
    ],
    ['TM-T88III', 'FS q behind text', tmT88III, Buffer.concat([text('A'), hex('1c7101 0100 0100'), PULSE])],
    ['TM-T88III', 'FS g 1 in page mode', tmT88III, Buffer.concat([hex('1b4c 1c6731 00 00000000 0500'), PULSE])],
    ['TM-T88III', 'GS ( D, which it does not have', tmT88III, hex('1d2844 1b700019fa')],
    ['TM-U220', 'GS v 0', tmU220, image('0500', '0100')],
    ['TM-U220', 'ESC * with m = 33', tmU220, Buffer.concat([hex('1b2a210500'), PULSE])],
    ['TM-U220', 'ESC & with y = 3', tmU220, Buffer.concat([hex('1b26034141 05'), PULSE])],
    ['TM-U220', 'GS ! with a parameter of ESC', tmU220, hex('1d211b700019fa')],
    [
      'TM-U220',
      'GS $, GS L, GS W and GS P',
      tmU220,
      hex('1d241b700019fa 1d4c1b700019fa 1d571b700019fa 1d501b700019fa'),
    ],
    ['TM-U295', 'GS v 0', tmU295, image('0500', '0100')],
    ['TM-U295', 'ESC * with m = 32', tmU295, Buffer.concat([hex('1b2a200500'), PULSE])],
  ])('%s: %s', (_, __, model, bytes) => {
    expect(opened(model(), bytes)).toBeGreaterThan(0);
  });

  it.each([
    ['GS v 0 with x of 5 at the beginning of a line', image('0500', '0100')],
    ['GS k at the beginning of a line', Buffer.concat([hex('1d6b4905'), PULSE])],
    ['ESC & with y = 3', Buffer.concat([hex('1b26034141 02'), PULSE, hex('00')])],
    ['FS q of 8 by 8 dots', Buffer.concat([hex('1c7101 0100 0100'), PULSE, hex('000000')])],
  ])('but a payload within its ranges is one: %s', (_, bytes) => {
    expect(opened(tmT88III(), bytes)).toBe(0);
  });
});

describe('real-time commands', () => {
  it.each([
    ['inside an image', hex('1d763000 0500 0100 1014010001')],
    ['inside an image that GS ( D came before', hex('1d284403001401 00 1d763000 0500 0100 1014010001')],
    ['behind DLE EOT 7, of which n = 7 is none', hex('100407 1014010001')],
    ['over two commands', hex('1b2110 14010001')],
  ])('open the drawer %s', (_, bytes) => {
    for (const model of [tmT88III(), tmU220(), vi(), takingOut()]) expect(opened(model, bytes), model.name).toBe(1);
    expect(opened(gbkLax(), hex('1d763000 0500 0100 1014010001'))).toBe(0);
  });

  it('that are taken out of what they stand in let both sides meet', () => {
    expect(opened(takingOut(), hex('1b 100401 70 0019fa'))).toBe(1);
    expect(opened(takingOut(), hex('1b 100501 70 0019fa'))).toBe(1);
    expect(opened(vi(), hex('1b 100401 70 0019fa'))).toBe(0);
  });

  it.each([
    ['whole ones with GS : in them', strippingAll(true, 'passed on'), hex('1b 10140301 1d3a 0203 700019fa')],
    ['one between the halves of another', strippingAll(true, 'passed on'), hex('1014 10140300 1d3a 0003 010001')],
    ['those of three bytes', strippingAll(false, 'passed on'), hex('1b 100407 700019fa')],
    ['those of four bytes', strippingAll(true, 'passed on'), hex('1b 10040701 700019fa')],
    ['those that break off', strippingAll(true, 'gone'), hex('1b 1014 700019fa')],
    ['those that break off at a byte', strippingAll(false, 'gone with the next'), hex('1b 101441 700019fa')],
    ['those of GS', ncr7197(), hex('1b 1d05 700019fa')],
  ])('are taken out, and both sides meet: %s', (_, model, bytes) => {
    expect(opened(model, ...bytewise(bytes))).toBe(1);
  });

  it('that a transfer cuts are taken out so far', () => {
    expect(opened(strippingAtTransfers(), hex('1b 1014'), hex('700019fa'))).toBe(1);
  });

  it('switch a modern printer off, and clear its buffer', () => {
    const model = vi();
    model.feed(hex('1014020108 101408 01031401060208'));
    expect(model.deeds.map(({ what }) => what)).toEqual(['power off', 'buffer cleared']);
  });
});

describe('a macro', () => {
  const run = (times = '01') => hex(`1d5e${times}0000`);
  it('holds a kick that came while it was defined, and replays it', () => {
    const model = tmT88III();
    expect(opened(model, hex('1d3a'), KICK, hex('1d3a'), run())).toBe(2);
    expect(model.deeds.map(({ replayed }) => replayed)).toEqual([false, true]);
  });

  it('is defined by other marks in a two-byte mode: the lead takes GS', () => {
    expect(opened(gbkLax(), hex('1d3a'), KICK, hex('1d3a 811d3a'), run())).toBe(2);
    expect(opened(gbkStrict(), hex('1d3a 81 1d3a'), KICK, run())).toBe(1);
  });

  it('is cut at 2,048 bytes, wherever that is: what follows it completes the command', () => {
    const long = Buffer.concat([hex('1d3a'), Buffer.alloc(2047, 'x'), hex('1b21 00 1d3a')]);
    expect(opened(tmT88III(), long, run(), hex('70 0019fa'))).toBe(1);
    expect(opened(gb18030Lax(), long, run(), hex('70 0019fa'))).toBe(0);
  });

  it('meets its own beginning when it runs twice', () => {
    const turning = Buffer.concat([hex('1d3a 700019fa'), Buffer.alloc(2043, 'x'), hex('1b21 00 1d3a')]);
    expect(opened(tmT88III(), turning, run('01'))).toBe(0);
    expect(opened(tmT88III(), turning, run('02'))).toBe(1);
  });

  it('is cleared by GS ^ inside it, by a second GS : at once and by the power, not by ESC @', () => {
    expect(opened(tmT88III(), hex('1d3a'), KICK, run(), run())).toBe(1);
    expect(opened(tmT88III(), hex('1d3a'), KICK, hex('1d3a 1d3a1d3a'), run())).toBe(1);
    expect(opened(tmT88III(), hex('1d3a'), KICK, hex('1d3a 1b40'), run())).toBe(2);
    const model = tmT88III();
    model.feed(Buffer.concat([hex('1d3a'), KICK, hex('1d3a')]));
    model.powerCycle();
    expect(opened(model, run())).toBe(1);
  });

  it('is only kept while it is defined, by a clone: its kick comes when it runs', () => {
    const model = skipping('two more');
    expect(opened(model, hex('1d3a'), KICK, hex('1d3a'))).toBe(0);
    expect(opened(model, run())).toBe(1);
    expect(model.deeds[0]).toMatchObject({ replayed: true });
  });
});

describe('what stands before ESC p takes the ESC of something else:', () => {
  it.each([
    ['ESC Z of a POS80B', pos80b, hex('1b5a0503030200 1b21 1b700019fa'), hex('1b5a0503030700 1b21 1b700019fa')],
    ['the second byte of GBK, whatever it is', gbkLax, hex('81 1b 1b700019fa'), hex('81 1b700019fa')],
    ['a byte that GBK has not: none is taken', gbkStrict, hex('81 1b700019fa'), hex('8170 0019fa')],
    ['four bytes of GB18030', gb18030Lax, hex('81301b211b700019fa'), hex('8130211b700019fa')],
    ['four bytes of UTF-8', utf8Counting, hex('f0411b211b700019fa'), hex('f04141 1b700019fa')],
    [
      'two bytes behind an unknown command',
      () => skipping('two more'),
      hex('1b5a1b21 1b700019fa'),
      hex('1b5a 1b700019fa'),
    ],
    [
      'three bytes behind an unknown command',
      () => skipping('three more'),
      hex('1d21001b21 1b700019fa'),
      hex('1d2100 1b700019fa'),
    ],
  ])('%s', (_, model, opens, shut) => {
    expect(opened(model(), opens)).toBe(1);
    expect(opened(model(), shut)).toBe(0);
  });
});

it('BEL opens the drawer of a printer that pulses on it, and is nothing in a payload', () => {
  expect(opened(belPulsing(), hex('41 07'))).toBe(1);
  expect(opened(belPulsing(), hex('10040707 07'))).toBe(2);
  expect(opened(belPulsing(), hex('1d763000 0100 0100 07'))).toBe(0);
  expect(opened(gbkLax(), hex('41 07'))).toBe(0);
});
