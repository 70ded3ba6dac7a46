import { describe, expect, it } from 'vitest';
import { EscposStream } from '../../codecs/escpos-stream.ts';
import { NOWHERE } from '../../codecs/escpos-stretches.ts';
import vectors from '../spec/escpos-filter.json' with { type: 'json' };
import { bytes, FilteredPrinter, filter, PASSIVE } from './filtered.ts';

describe('the drawer filter', () => {
  it.each(vectors)('$name: $why', ({ input, output, dropped }) => {
    const printer = new FilteredPrinter();
    const client = printer.connect();
    client.push(input);
    client.end();
    const { told } = printer;
    expect(printer.take()).toMatch(new RegExp(`^${output}( 00)*$`));
    expect(told.filter((what) => !what.startsWith('status'))).toHaveLength(dropped);
  });

  it('drops power-off and buffer clear', () => {
    expect(filter('41 1014020108 42 10140801031401060208 43')).toEqual({
      out: '41 42 43',
      told: ['realtime', 'realtime'],
    });
  });

  it('passes the other real-time commands', () => {
    const others = '10 05 02 10 14 07 01 10 14 03 01 02 03 04 05';
    expect(filter(others)).toEqual({ out: others, told: [] });
  });

  it('drops GS ( D that enables a real-time command, and passes one that disables', () => {
    const disable = '1d 28 44 05 00 14 01 00 02 30';
    expect(filter(`1d28440300 140101 ${disable} 1d28440500 1402000131 41`)).toEqual({
      out: `${disable} 41`,
      told: ['realtime', 'realtime'],
    });
  });

  it('sends GS ( D after each ESC @ to a printer that has it', () => {
    const { out } = filter('1b40 41 1b40', { realtimePulseDisable: true });
    expect(out).toBe('1b 40 1d 28 44 03 00 14 01 00 41 1b 40 1d 28 44 03 00 14 01 00');
  });

  it('a payload of gigabytes goes nowhere, and one of 1 MiB is the largest that goes on', () => {
    expect(filter('41 1d384c ffffffff 1b700019fa 42').out).toBe('41');
    expect(filter('41 1d384c 01001000 4242').out).toBe('41');
    expect(filter('41 1d384c 00001000 4242').out).toBe('41 1d 38 4c 00 00 10 00 42 42');
  });

  it.each([
    ['cut off by its NUL', '1b44 1b70 00 41 42'],
    ['in ascending order', '1b44 08 1b 70 00 41'],
    ['left open', '1b44 1b70'],
  ])('tab stops %s are no way to the drawer', (_, sent) => {
    const { out } = filter(`${sent} 1b44 00`);
    expect(out).not.toContain('1b 70');
    expect(out).toMatch(/^1b 44/);
  });
});

describe('a header with a payload', () => {
  /** What the filter passes on, before the guard behind it. */
  const passed = (sent: string) => {
    const parts: Uint8Array[] = [];
    new EscposStream(PASSIVE).push(bytes(sent), { ...NOWHERE, forward: (part) => void parts.push(part) });
    return Buffer.concat(parts).toString('hex');
  };

  it('is left out where the guard would change it, as of a real-time command before it', () => {
    expect(passed('1d763000 0100 0100 41')).toBe('1d7630000100010041');
    expect(passed('1b10 101407fc')).toBe('1b1000');
  });

  it('is left out where a printer that ignores it may find the command in it that selects it again', () => {
    expect(passed('1b3d02 1d284c 0200 3045')).toBe('1b3d021d284c02003045');
    expect(passed('1b3d02 1d284c 1b10 5a')).toBe('1b3d02');
  });
});

describe('a printer that kicks the drawer on BEL', () => {
  const belFilter = (hex: string) => filter(hex, { pulseOnBel: true });
  it('gets none: it is dropped in text, and is NUL in payloads and parameters, also of commands that a printer may read otherwise', () => {
    expect(belFilter('41 07 1d284b0200 0707 07')).toEqual({ out: '41 1d 28 4b 02 00 00 00', told: ['pulse', 'pulse'] });
    expect(belFilter('1b4507 1d6207').out).toBe('1b 45 00 1d 62 00');
    expect(belFilter('1b 1b2107').out).toBe('1b 1b 21 00');
    expect(filter('41 07').out).toBe('41 07');
  });

  it('gets none in a command for a customer display, either', () => {
    expect(belFilter('1b3d02 10 14 07 1b3d01').out).toBe('1b 3d 02 10 14 00 00 1b 3d 01');
  });

  it.each([
    ['a picture of seven rows', '1d763000 0100 0700 1b40550c550a55'],
    ['columns of tabs', '1b44 07 0e 00'],
  ])('gets no command of which the NUL in its place changes the length: %s', (_, command) => {
    expect(belFilter(`${command} 410a`).out).toBe('41 0a');
  });

  it('gets an empty character in the place of one of seven columns, and the data of that as text', () => {
    expect(belFilter('1b26 01 4142 01ff 07 011b40 410a').out).toBe('1b 26 01 41 42 01 ff 00 01 1b 40 41 0a');
  });
});

describe('a command of a customer display, for which the printer is deselected', () => {
  it.each([
    ['is completed for a printer where ESC = stands in its letters', '1b570100', '000000000000'],
    ['of eight bytes', '1b57010101011401', '0000'],
    ['of which the printer has the length', '1b570101010114010101', ''],
  ])('%s', (_, display, completion) => {
    expect(filter(`1b3d02 ${display} 1b3d01 410a`).out.replaceAll(' ', '')).toBe(
      `1b3d02${display}${completion}1b3d01410a`,
    );
  });

  it('is left out where its letters are of one that matters to the filter', () => {
    expect(filter('1b3d02 101401 1b3d01 410a').out).toBe('1b 3d 02 1b 3d 01 41 0a');
    expect(filter('1b3d02 1b3d 1b3d01 410a').out).toBe('1b 3d 02 1b 3d 01 41 0a');
  });
});

describe('DLE EOT', () => {
  it('1 to 4 is taken out and reported in order', () => {
    const { out, told } = filter('41 100401 1b7000 0a0a 100404 42');
    expect({ out, told }).toEqual({ out: '41 42', told: ['status 1', 'pulse', 'status 4'] });
  });

  it.each([
    ['10040701', ''],
    ['10040803', ''],
    ['10041202', ''],
    ['10040741', '41'],
    ['10040801', '01'],
    ['10040542', '42'],
    ['10041b40', '1b 40'],
  ])('of another kind is taken out whole and counted, with a fourth byte where there is one: %s', (sent, out) => {
    expect(filter(`${sent}`)).toEqual({ out, told: ['realtime'] });
  });

  it('is not looked for inside a payload', () => {
    expect(filter('1d284b0300 100401')).toEqual({ out: '1d 28 4b 03 00 10 04 01', told: [] });
  });

  it('leaves no two halves that make a pulse when it is taken out', () => {
    expect(filter('10 14 100401 01 00 01').out).toBe('10 14 00 01 00 01');
  });
});

/** Before the next command behind GS :, or in a macro: the guard of the drawer would take an 01 in it for the end of a pulse. */
const BEHIND_MACRO = '00 '.repeat(8);

describe('a macro', () => {
  const WHOLE = '1d 3a 41 0a 1d 3a';
  it('leaves in one piece with its end, and is run by the job that defined it', () => {
    const printer = new FilteredPrinter();
    const { push } = printer.connect();
    push('1d3a 41');
    expect(printer.take()).toBe('');
    push('0a 1d3a');
    expect(printer.take()).toBe(WHOLE);
    push('1d5e020001 42');
    expect(printer.take()).toBe('1d 5e 02 00 01 42');
    printer.connect().push('1d5e020001 42');
    expect(printer.take()).toBe('42');
  });

  it.each([
    ['without an end', '1d3a 41 0a', '41 0a'],
    ['over 2,048 bytes', `1d3a ${'41'.repeat(2049)} 1d3a 1d5e010000`, Array(2049).fill('41').join(' ')],
  ])('%s is none, and what stands in it goes out', (_, sent, left) => {
    const printer = new FilteredPrinter();
    const { push, end } = printer.connect();
    push(sent);
    end();
    expect(printer.take()).toBe(left);
  });

  it.each([
    ['with a payload', '1d3a 1d284b0100 42 1d3a', `1d 3a ${BEHIND_MACRO}1d 28 4b 01 00 42 00 00 00 1d 3a`],
    ['with an unknown command', '1d3a 1b4f41 1d3a', '1d 3a 1b 4f 41 00 00 00 1d 3a'],
    ['after an unknown command', '1b4f41 1d3a 41 1d3a', '1b 4f 41 00 00 00 00 1d 3a 41 1d 3a'],
    ['after a payload', '1d284b0100 42 1d3a 41 1d3a', '1d 28 4b 01 00 42 00 00 00 1d 3a 41 1d 3a'],
  ])('%s is run until a pulse of the node may be in it', (_, defined, left) => {
    const printer = new FilteredPrinter();
    printer.connect().push(`${defined} 1d5e010000`);
    expect(printer.take()).toBe(`${left} 1d 5e 01 00 00`);
    // A printer that counted otherwise records this.
    printer.send(bytes('1b70003c78'));
    printer.take();
    printer.connect().push(`${defined} 1d5e010000`);
    expect(printer.take().replace(BEHIND_MACRO, '')).toBe(left.replace(BEHIND_MACRO, ''));
    expect(printer.told).toEqual(['pulse']);
  });

  it('whose ends every printer knows keeps no pulse', () => {
    const printer = new FilteredPrinter();
    printer.connect().push('1d3a 41 1d3a');
    printer.send(bytes('1b70003c78'));
    printer.take();
    printer.connect().push('1d3a 42 1d3a 1d5e010000');
    expect(printer.take()).toBe('1d 3a 42 1d 3a 1d 5e 01 00 00');
  });

  it('is not run behind half a character', () => {
    expect(filter('1d3a 41 1d3a 81 1d5e010000').out).toBe('1d 3a 41 1d 3a 81');
  });

  it('has NULs before its edges where a printer may still wait for a byte', () => {
    const { out } = filter('81 1d3a 1d6600 1d3a');
    expect(out).toBe(`81 00 00 00 1d 3a ${BEHIND_MACRO}1d 66 00 00 00 00 1d 3a`);
  });

  it('costs no later job an LF before its image', () => {
    const image = '1d 76 30 00 01 00 01 00 ff';
    expect(filter(`1d3a1d3a ${image}`).out).toBe(`1d 3a 1d 3a ${BEHIND_MACRO}${image}`);
    expect(filter(`41 ${image}`).out).toBe(`41 0a ${image}`);
  });

  it('is not run with parameters that open a command', () => {
    expect(filter('1d3a411d3a 1d5e1b7000').out).toBe('1d 3a 41 1d 3a');
  });
});

it('a filter that only follows counts a bar code that is not whole: what lacks of it has to be sent', () => {
  const stream = new EscposStream({ realtimePulseDisable: false, pulseOnBel: false, asSent: true });
  const nothing = () => {};
  const sink = {
    forward: nothing,
    defineMacro: nothing,
    runMacro: nothing,
    status: nothing,
    dropped: nothing,
    cut: nothing,
  };
  stream.push(Uint8Array.of(0x1d, 0x6b, 73, 240, 0x31, 0x32), sink);
  expect([stream.lacking, stream.atBoundary]).toEqual([238, false]);
});
