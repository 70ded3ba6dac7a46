/** Five ways in which a few bytes to port 9100 opened drawers of printers that are not ours. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hex, PULSE } from './bytes.ts';
import { openShop, type Shop, turn } from './shop.ts';

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop.stop());

const pulseBehind = (header: string, padding = 0) => Buffer.concat([hex(header), PULSE, Buffer.alloc(padding)]);
const everythingShut = async () => {
  await shop.settled();
  expect(shop.opened()).toEqual([]);
};

describe('port 9100 and DLE EOT with an n that only some printers know', () => {
  it.each([
    ['whose fourth byte is ESC', hex('41 1004071b 700019fa 0a')],
    ['whose fourth byte is DLE', hex('10040710 14010001')],
    ['of 8 and of 18, whose fourth byte is ESC', hex('1004081b 700019fa 1004121b 700019fa')],
    ['that stands in ESC p', hex('1b 100407 70 0019fa 1b 100404 70 0019fa')],
  ])('opens no drawer by one %s', async (_, bytes) => {
    await shop.job(bytes);
    await everythingShut();
  });
});

describe('port 9100 and headers out of the ranges of some printers', () => {
  it.each([
    ['ESC & with y = 2 (TM-T88III: 3)', pulseBehind('1b26024141 05', 5)],
    ['ESC & with y = 3 (TM-U220: 2)', pulseBehind('1b26034141 05', 10)],
    ['ESC * with m = 33 (TM-U230: 0 and 1)', pulseBehind('1b2a210500', 10)],
    ['ESC * with nH over 3', pulseBehind('1b2a000004', 1019)],
    ['GS v 0 with yH over 8', pulseBehind('1d763000 0100 0009', 2299)],
    ['GS v 0 with x over 256', pulseBehind('1d763000 0101 0100', 252)],
    ['GS v 0 on a printer without it', pulseBehind('1d763000 0500 0100')],
    ['GS v 0 with a real-time pulse in it, taken out by the printer', hex('1d763000 0800 0100 1b 100401 70 0019fa')],
    ['FS q with y over 288', pulseBehind('1c7101 0100 2101', 2307)],
    ['FS q behind text', pulseBehind('41 1c7101 0100 0100', 3)],
    ['FS g 1 in page mode', pulseBehind('1b4c 1c673100 00000000 0500')],
    ['GS k behind text', pulseBehind('41 1d6b4905')],
  ])('opens no drawer by %s', async (_, bytes) => {
    await shop.job(bytes);
    await everythingShut();
  });
});

describe('port 9100 and a holder that is idle and yields', () => {
  beforeEach(async () => {
    await shop.stop();
    shop = await openShop({ unidirectional: true });
  });

  // It waits while the first holds the printer, and goes on at the very moment that it yields.
  it.each([
    ['a command that ends in DLE', '1b2110', '14010001'],
    ['a command that ends in ESC', '1b211b', '700019fa'],
    ['the first byte of a character', '81', '1b211b700019fa'],
    ['the first byte of a character behind a command', '1b99', '1b211b700019fa'],
  ])('opens no drawer by what another connection puts behind %s', async (_, first, second) => {
    const holder = await shop.dial();
    holder.write(hex(first));
    await turn();
    const waiting = shop.job(hex(second));
    await turn();
    await shop.idle();
    await waiting;
    holder.destroy();
    await everythingShut();
  });
});

describe('port 9100 and commands and characters that printers count differently', () => {
  it.each([
    ['ESC Z of a POS80B', hex('1b5a0503030200 1b21 1b700019fa')],
    ['four bytes of UTF-8', hex('f0411b211b700019fa')],
    ['four bytes of GB18030', hex('81301b211b700019fa')],
    ['bytes passed over behind a command that is unknown', hex('1b5d1b21 1b700019fa 1d211b70 0019fa')],
  ])('opens no drawer by %s', async (_, bytes) => {
    await shop.job(bytes);
    await everythingShut();
  });

  it('replays no kick out of a macro whose marks a two-byte mode reads otherwise', async () => {
    await shop.job(hex('1d3a'));
    await shop.kick();
    await shop.job(hex('1d3a 811d3a 1d5e010000'));
    await everythingShut();
  });

  it.each([
    [
      'ends in ESC where the memory of a printer does',
      Buffer.concat([hex('1d3a'), Buffer.alloc(2047, 'x'), hex('1b2100 1d3a')]),
      '01',
      '70 0019fa',
    ],
    [
      'meets its own beginning',
      Buffer.concat([hex('1d3a 700019fa'), Buffer.alloc(2043, 'x'), hex('1b2100 1d3a')]),
      '02',
      '0a',
    ],
    ['ends in ESC', hex('1d3a 700019fa 1b 1d3a'), '02', '700019fa'],
  ])('runs no macro that %s', async (_, macro, times, behind) => {
    await shop.job(macro, hex(`1d5e${times}0000 ${behind}`));
    await everythingShut();
  });
});

describe('port 9100 and parameters that spell a pulse', () => {
  it.each([
    ['GS !', hex('1d211b 700019fa')],
    ['GS L, h, $, W and P', hex('1d4c1b700019fa 1d681b700019fa 1d241b700019fa 1d571b700019fa 1d501b700019fa')],
    ['ESC D', hex('1b441b7000 19fa')],
    [
      'a dropped pulse behind ESC',
      hex('1b 1b700019fa 21 1b700019fa 1b 1b700019fa 1b211b70 0019fa 1b 1b700019fa 700019fa'),
    ],
    ['a payload that ends in ESC', hex('1d763000 0100 0100 1b 700019fa')],
  ])('opens no drawer by %s', async (_, bytes) => {
    await shop.job(bytes);
    await everythingShut();
  });

  it('opens no drawer that hangs on BEL by one behind DLE EOT 7', async () => {
    await shop.stop();
    shop = await openShop({ pulseOnBel: true });
    await shop.job(hex('10040707 10040701 07 1b2107 0a'));
    await everythingShut();
  });
});

describe('the API', () => {
  it('opens the drawer of every model by a kick and by raw bytes, and those are told from all else', async () => {
    await shop.kick();
    await shop.raw(hex('1b700055aa'));
    expect(shop.wire().indexOf(hex('1b700055aa'))).toBeGreaterThan(0);
    await everythingShut();
  });
});
