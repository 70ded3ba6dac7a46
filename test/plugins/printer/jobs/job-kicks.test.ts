/** Where a drawer kick comes between the commands of a job, and what stands behind it that was read ahead. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  bytes,
  type Cable,
  CHUNK,
  HEADER,
  IDLE_MS,
  LINE,
  lines,
  OFF_LINE,
  ON_LINE,
  PULSE,
  settled,
  startCable,
} from './cable.ts';

const hex = (...parts: readonly Uint8Array[]) => Buffer.concat(parts).toString('hex');

let cable: Cable;
beforeEach(async () => {
  cable = await startCable();
});
afterEach(() => void vi.useRealTimers());

describe('a drawer kick', () => {
  it('waits for the first place between two commands of a receipt of the API, and for no second', async () => {
    const one = await cable.begun('print');
    const image = Buffer.concat([HEADER, Buffer.alloc(64)]);
    const { bytes: reach } = cable.outlet.reach;
    const receipt = Buffer.concat([lines(reach - HEADER.length - LINE.length), image, lines(2 * CHUNK)]);
    cable.shut();
    const written = one.write(Uint8Array.from(receipt));
    const kick = cable.outlet.kick(PULSE, IDLE_MS);
    await settled();
    expect(cable.sent()).toBe('');
    cable.open();
    await Promise.all([written, kick]);
    const all = Buffer.concat(cable.transfers);
    const at = all.indexOf(PULSE);
    expect(all).toHaveLength(receipt.length + PULSE.length);
    expect([at > reach, at < reach + 1024]).toEqual([true, true]);
    await one.end();
    expect(cable.printer.pulses).toHaveLength(1);
  });

  it.each([1, 4, 24, 100].flatMap((rows) => (['port9100', 'print'] as const).map((kind) => [rows, kind] as const)))(
    'waits for no more than 4 KiB and a picture where pictures of %d rows follow one another (%s)',
    async (rows, kind) => {
      const picture = Buffer.concat([bytes('1d7630004800'), Uint8Array.of(rows, 0), Buffer.alloc(72 * rows)]);
      const one = await cable.begun(kind);
      cable.shut();
      const written = one.write(Buffer.concat(Array.from({ length: 400 }, () => picture)));
      const kick = cable.outlet.kick(PULSE, IDLE_MS);
      await settled();
      cable.open();
      await Promise.all([written, kick]);
      await one.end();
      expect(Buffer.concat(cable.transfers).indexOf(PULSE)).toBeLessThanOrEqual(2 * (4096 + picture.length));
      expect(cable.printer.pulses).toHaveLength(1);
    },
  );

  it('goes out at once between two parts of a print, while the next one is to come', async () => {
    const one = await cable.begun('print', LINE);
    await cable.outlet.kick(PULSE, IDLE_MS);
    expect([cable.printer.pulses.length, one.hasTurn]).toEqual([1, true]);
    await one.end();
  });

  it.each([
    ['Cyrillic', 0x80],
    ['GB 2312', 0xb0],
  ])('waits for 4 KiB and a line of a text without commands (%s)', async (_, least) => {
    const line = Buffer.from([...Array.from({ length: 41 }, (_each, at) => least + (at % 40)), 0x0a]);
    const one = await cable.begun('port9100');
    cable.shut();
    const written = one.write(Buffer.concat(Array.from({ length: 2000 }, () => line)));
    const kick = cable.outlet.kick(PULSE, IDLE_MS);
    await settled();
    cable.open();
    await Promise.all([written, kick]);
    await one.end();
    expect(Buffer.concat(cable.transfers).indexOf(PULSE)).toBeLessThanOrEqual(2 * (CHUNK + 300));
  });

  it('goes out at once between two commands of a client, behind what an unknown one may lack', async () => {
    const one = await cable.begun('port9100', Buffer.concat([LINE, bytes('1b99')]));
    cable.transfers.length = 0;
    await cable.outlet.kick(PULSE, IDLE_MS);
    await one.write(Uint8Array.from(LINE));
    expect(cable.sent()).toMatch(new RegExp(`^(00)+${PULSE.toString('hex')}${LINE.toString('hex')}$`));
    await one.end();
  });

  it.each([
    ['UTF-8', '', 'e38182', 1],
    ['UTF-8', '', 'e38182', 2],
    ['UTF-8', '', 'c3a9', 1],
    ['UTF-8', '', 'f09f9880', 3],
    ['UTF-8 behind Shift JIS', '1c26 1c4301 1c28430200 30 02', 'e38182', 1],
    ['UTF-8 behind Shift JIS', '1c4331 1c26 1c28430200 30 32', 'e38182', 2],
    ['Shift JIS behind a priority of fonts', '1c26 1c4301 1c28430300 3c 00 0b', '8365', 1],
    ['GB 2312', '', 'd6d0', 1],
    ['GB 18030', '', '81308130', 1],
    ['GB 18030', '', '81308130', 2],
    ['Big5', '', 'a440', 1],
    ['Shift JIS', '1c26 1c4301', '8365', 1],
    ['Shift JIS', '1c26 1c4301', 'e0e0', 1],
  ])(
    'goes out at once before a character of %s, of which the rest has not come, and the character stays whole',
    async (_, mode, character, count) => {
      const whole = bytes(character);
      const one = await cable.begun(
        'port9100',
        Buffer.concat([bytes(mode), Buffer.from('text '), whole.subarray(0, count)]),
      );
      cable.transfers.length = 0;
      await cable.outlet.kick(PULSE, IDLE_MS);
      await one.write(Buffer.concat([whole.subarray(count), LINE]));
      expect(cable.sent()).toBe(Buffer.concat([PULSE, whole, LINE]).toString('hex'));
      await one.end();
    },
  );

  it('waits for its key alone: others go out before it, and it leaves once the key is stored, before the next byte of the job', async () => {
    const [keyed, plain] = [bytes('1b70 01 32 fa'), PULSE];
    let store = () => {};
    const stored = new Promise<void>((resolve) => {
      store = resolve;
    });
    const one = await cable.begun('port9100', LINE);
    const waiting = ['a', 'b'].map(() => cable.outlet.kick(keyed, IDLE_MS, () => stored));
    await cable.outlet.kick(plain, IDLE_MS);
    const written = one.write(Uint8Array.from(LINE));
    await settled();
    expect(cable.sent()).toBe(hex(LINE, plain));
    store();
    await Promise.all([...waiting, written]);
    expect(cable.sent()).toBe(hex(LINE, plain, keyed, keyed, LINE));
    await one.end();
  });

  it('whose key cannot be stored keeps nothing from the printer', async () => {
    const one = await cable.begun('port9100', LINE);
    const late = (): never => {
      throw new Error('it is too late');
    };
    const full = () => Promise.reject(new Error('the disk is full'));
    await Promise.all([
      expect(cable.outlet.kick(PULSE, IDLE_MS, full)).rejects.toThrow('the disk is full'),
      expect(cable.outlet.kick(PULSE, IDLE_MS, late)).rejects.toThrow('it is too late'),
      one.write(Uint8Array.from(LINE)),
    ]);
    expect(cable.sent()).toBe(hex(LINE, LINE));
    await one.end();
  });

  it('is not shut out by a drip of bytes that may each begin a character', async () => {
    const one = await cable.begun('port9100', Buffer.from([0x81]));
    let gone = false;
    const kick = cable.outlet.kick(PULSE, IDLE_MS).then(() => {
      gone = true;
    });
    while (!gone) {
      await one.write(Uint8Array.of(0x81));
      // So quick is the drip; the kick ends it.
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await kick;
    expect(cable.printer.pulses).toHaveLength(1);
    await one.end();
  });

  it('goes out at a place within what a client sends at once, also where each of these ends inside a command', async () => {
    const strip = Buffer.concat([HEADER, Buffer.alloc(64, 0x55)]);
    const begun = strip.subarray(0, 40);
    const one = await cable.begun('port9100', Buffer.from(begun));
    const kick = cable.outlet.kick(PULSE, IDLE_MS);
    await one.write(Buffer.concat([strip.subarray(40), strip, strip, begun]));
    expect(cable.printer.pulses).toHaveLength(1);
    await kick;
    const sent = Buffer.concat([strip, PULSE, strip, strip, begun]).toString('hex');
    expect(cable.sent()).toBe(sent);
    await one.end();
  });

  it.each([
    [62, '4000'],
    [1, '0300'],
  ])('does not go into a picture that ends with its job in an open macro, %d bytes too early', async (_, rows) => {
    const one = await cable.begun('port9100', bytes(`1d3a 1d763000 0100 ${rows} ffff`));
    cable.shut();
    const ended = one.end(true);
    await settled();
    const kick = cable.outlet.kick(PULSE, IDLE_MS);
    await settled();
    cable.open();
    await Promise.all([ended, kick]);
    expect(cable.printer.pulses).toHaveLength(1);
  });

  it.each([
    ['within what the client sent next', 0],
    ['once no other byte had come', 75],
  ])('that went out %s has another one wait anew for what may be the rest of a character', async (_, ms) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const character = Buffer.from([0xd6, 0xd0]);
    const one = await cable.begun('port9100', character);
    const first = cable.outlet.kick(PULSE, IDLE_MS);
    await vi.advanceTimersByTimeAsync(ms);
    await one.write(Buffer.concat([LINE, character]));
    await first;
    await vi.advanceTimersByTimeAsync(1000);
    cable.transfers.length = 0;
    const second = cable.outlet.kick(PULSE, IDLE_MS);
    await settled();
    expect(cable.printer.pulses).toHaveLength(1);
    await one.write(Uint8Array.from(LINE));
    await second;
    expect(cable.sent()).toBe(Buffer.concat([LINE, PULSE]).toString('hex'));
    await one.end();
  });

  it('selects the printer that a client has off the line, and takes it off again behind', async () => {
    const one = await cable.begun('port9100', Buffer.concat([LINE, OFF_LINE]));
    cable.transfers.length = 0;
    await cable.outlet.kick(PULSE, IDLE_MS);
    await one.write(Buffer.from('for a display'));
    const between = Buffer.concat([ON_LINE, PULSE, OFF_LINE]).toString('hex');
    expect(cable.sent()).toBe(between + Buffer.from('for a display').toString('hex'));
    expect(cable.printer.pulses).toHaveLength(1);
    await one.end();
  });

  it('waits for the end of a payload, while it is written and while it is not', async () => {
    const one = await cable.begun('port9100', HEADER);
    const kick = cable.outlet.kick(PULSE, IDLE_MS);
    await settled();
    expect(cable.printer.pulses).toHaveLength(0);
    await one.write(Buffer.alloc(64));
    await kick;
    expect(cable.sent()).toBe(Buffer.concat([HEADER, Buffer.alloc(64), PULSE]).toString('hex'));
    await one.end();
  });

  it('stands between two commands of what is read ahead, where the printer has come to', async () => {
    cable.shut();
    const one = await cable.begun('port9100');
    const written = one.write(Uint8Array.from(LINE));
    one.readAhead(Uint8Array.from(HEADER));
    one.readAhead(Buffer.alloc(64));
    const kick = cable.outlet.kick(PULSE, IDLE_MS);
    await settled();
    cable.open();
    await Promise.all([written, kick]);
    const image = Buffer.concat([HEADER, Buffer.alloc(64)]);
    expect(cable.sent()).toBe(Buffer.concat([LINE, PULSE, image]).toString('hex'));
    await one.end();
  });
});

describe('what is read ahead', () => {
  it('is answered at once and written in its order; a job of the API reads none', async () => {
    const asked: number[] = [];
    cable.shut();
    const one = await cable.begun('port9100', undefined, { status: (n) => asked.push(n) });
    const written = one.write(Uint8Array.from(LINE));
    one.readAhead(Buffer.concat([Buffer.from('ahead'), bytes('100402'), Buffer.from(' of it\n')]));
    await settled();
    expect([asked, cable.sent()]).toEqual([[2], '']);
    cable.open();
    await written;
    expect(Buffer.concat(cable.transfers).toString()).toBe(`${LINE}ahead of it\n`);
    await one.end();
    const receipt = await cable.begun('print');
    receipt.readAhead(Buffer.from('nothing'));
    await receipt.end();
    expect(cable.sent()).not.toContain(Buffer.from('nothing').toString('hex'));
  });
});
