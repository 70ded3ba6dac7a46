/** How much is written at once: a kick waits for the write that is under way. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LEAST } from '../../../../plugins/printer/jobs/reach.ts';
import { bytes, type Cable, CHUNK, LINE, lines, PULSE, settled, startCable } from './cable.ts';

/** What a slow printer takes in a second. */
const SLOW = 10_000;
/** What it takes in the 150 ms that a kick may wait, and a line that is begun. */
const WITHIN = SLOW * 0.15 + LINE.length;

let cable: Cable;
beforeEach(async () => {
  cable = await startCable();
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
});
afterEach(() => void vi.useRealTimers());

/** A kick while a write waits at the shut cable: how long until it is out. */
async function msOfKick(): Promise<number> {
  await settled();
  const from = performance.now();
  const kicked = cable.outlet.kick(PULSE, 1000);
  cable.open();
  await kicked;
  cable.shut();
  return performance.now() - from;
}

/** What a slow printer gets of a text on port 9100 with a kick in it, which leaves within 150 ms. */
async function sentAroundKick(text: Iterable<number>): Promise<Buffer> {
  cable.takesASecond(SLOW);
  const one = await cable.begun('port9100', lines(2 * CHUNK));
  cable.shut();
  const done = one.write(Uint8Array.from(text));
  await settled();
  const from = performance.now();
  const kicked = cable.outlet.kick(PULSE, 1000);
  cable.open();
  await kicked;
  expect(performance.now() - from).toBeLessThanOrEqual(150);
  await done;
  await one.end();
  return Buffer.concat(cable.transfers);
}

// Japanese in UTF-8 and Shift JIS, Chinese in GB 2312 and Big5, and GB 18030 of four bytes: no byte ends a character for sure.
it.each(['e38182', '8abf', 'd6d0', 'a4a4', '8139ef30'])(
  'text of %s alone, on and on, lets a kick out within 150 ms at 10 kB a second, and NULs before it',
  async (character) => {
    const sent = await sentAroundKick(bytes(`41${character.repeat(CHUNK)}`));
    const at = sent.indexOf(PULSE);
    expect(sent.subarray(at - 3, at).toString('hex')).toBe('000000');
    expect((at - 3 - sent.indexOf(character, 'hex')) % (character.length / 2)).toBe(0);
    expect(cable.printer.pulses).toHaveLength(1);
  },
);

// FS & and FS C 0 (Epson TM-T88III, 6.4): a kick behind the first byte would be the second one, and the drawer stay shut.
it.each([0, 1])(
  'a kick stands in no character of JIS, whose bytes are letters (%s bytes before it)',
  async (before) => {
    const mode = [0x1c, 0x43, 0, ...Array<number>(before).fill(0x20), 0x1c, 0x26];
    const sent = await sentAroundKick([...mode, ...bytes('3441'.repeat(CHUNK))]);
    const at = sent.indexOf(PULSE);
    expect((at - sent.indexOf('1c26', 'hex')) % 2).toBe(0);
    expect(cable.printer.pulses).toHaveLength(1);
  },
);

// FS C 1: ｱ漢ｶ of three bytes, 漢 of two. Which bytes are one, only Shift JIS says; FS & does not make pairs of them.
it.each(['1c4301', '1c4331', '1c43011c26'].flatMap((mode) => [1, 2, 3, 4].map((letters) => [mode, letters] as const)))(
  'behind %s and %i letters a kick stands in no character of Shift JIS, though half-width kana have one byte',
  async (mode, letters) => {
    const text = 'b18abf';
    const sent = await sentAroundKick(bytes(`${mode}${'41'.repeat(letters)}${text.repeat(CHUNK)}`));
    const at = sent.indexOf(PULSE) - 3;
    const begun = sent.indexOf(text, 'hex');
    expect(at).toBeGreaterThan(begun);
    expect((at - begun) % 3).not.toBe(2);
    expect(cable.printer.pulses).toHaveLength(1);
  },
);

describe.each(['print', 'port9100', 'raw'] as const)('a job of kind %s', (kind) => {
  it('gives a printer that takes 10 kB a second what it takes while a kick may wait, after its first write', async () => {
    const long = lines(8 * CHUNK);
    cable.takesASecond(SLOW);
    const one = await cable.begun(kind, long);
    await one.end();
    const [first, ...later] = cable.transfers.map(({ length }) => length);
    expect(first).toBeLessThanOrEqual(CHUNK);
    expect(Math.max(...later)).toBeLessThanOrEqual(WITHIN);
    expect(Buffer.concat(cable.transfers)).toEqual(long);
  });

  it.each([960, 4000, 100_000])(
    'lets a kick out within 150 ms at %i bytes a second, at any moment after its first write',
    async (speed) => {
      cable.takesASecond(speed);
      const one = await cable.begun(kind, lines(2 * CHUNK));
      cable.shut();
      const done = one.write(lines(2 * CHUNK));
      for (let kick = 0; kick < 8; kick += 1) {
        expect(await msOfKick()).toBeLessThanOrEqual(150);
      }
      cable.open();
      await done;
      await one.end();
      expect(cable.printer.pulses).toHaveLength(8);
    },
  );

  it('is given no more at once for short writes that are over soon: they say nothing of a long one', async () => {
    cable.takesASecond(960);
    await (await cable.begun(kind, lines(CHUNK))).end();
    const slow = cable.outlet.reach.bytes;
    const one = await cable.begun(kind);
    for (let line = 0; line < 100; line += 1) await one.write(Uint8Array.from(LINE));
    await one.end();
    expect(cable.outlet.reach.bytes).toBeLessThanOrEqual(2 * slow);
  });

  it('lets a kick out behind what is under way there', async () => {
    cable.takesASecond(SLOW);
    await (await cable.begun(kind, lines(2 * CHUNK))).end();
    cable.transfers.length = 0;
    const one = cable.job(kind);
    await one.begin();
    const done = one.write(lines(2 * CHUNK));
    await vi.waitFor(() => expect(cable.transfers.length).toBeGreaterThan(2));
    const before = Buffer.concat(cable.transfers).length;
    await cable.outlet.kick(PULSE, 1000);
    expect(Buffer.concat(cable.transfers).indexOf(PULSE) - before).toBeLessThanOrEqual(2 * WITHIN);
    await done;
    await one.end();
    expect(cable.printer.pulses).toHaveLength(1);
  });

  it('gives one that took 240 kB quickly lines as one transfer each, and a slow one as much once it is so quick again', async () => {
    const quickly = async () => {
      cable.transfers.length = 0;
      await (await cable.begun(kind, lines(80 * CHUNK))).end();
      return cable.transfers.map(({ length }) => length).slice(0, -1);
    };
    const lengths = await quickly();
    const quick = cable.outlet.reach.bytes;
    expect(lengths.at(-1)).toBeGreaterThan(CHUNK * 0.9);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(CHUNK);
    cable.takesASecond(500);
    await (await cable.begun(kind, lines(CHUNK))).end();
    expect(cable.outlet.reach.bytes).toBeLessThan(2 * LEAST);
    cable.takesASecond(Number.POSITIVE_INFINITY);
    await quickly();
    expect(cable.outlet.reach.bytes).toBe(quick);
    expect(Math.min(...(await quickly()))).toBeGreaterThan(CHUNK * 0.9);
  });

  it.each([
    [4000, 0],
    [4000, 200],
    [960, 200],
  ])(
    'lets a kick out within 150 ms of one that takes %i bytes a second behind a buffer of 4 kB, at any moment of the first job that fills it, behind %i that did not; at 9,600 baud all but the first',
    async (speed, before) => {
      const late: number[] = [];
      for (let count = 0; count < before; count += 1) {
        await (await cable.begun(kind, lines(2000))).end();
        vi.advanceTimersByTime(5000);
      }
      cable.takesASecond(speed, 4096);
      const one = await cable.begun(kind);
      cable.shut();
      const done = one.write(lines(3 * CHUNK));
      for (let kick = 0; kick < 100; kick += 1) {
        const ms = await msOfKick();
        if (ms > 150) late.push(ms);
      }
      cable.open();
      await done;
      await one.end();
      expect(cable.printer.pulses).toHaveLength(100);
      expect([late.length <= (speed === 960 ? 1 : 0), Math.max(0, ...late) < 400]).toEqual([true, true]);
    },
  );
});

describe('a picture that the node prints', () => {
  /** GS v 0 of 576 dots by so many rows, of which no two are alike. */
  const picture = (rows: number) =>
    Buffer.concat([
      Uint8Array.of(0x1d, 0x76, 0x30, 0, 72, 0, rows & 0xff, rows >> 8),
      ...Array.from({ length: rows }, (_, row) => Buffer.alloc(72, 0x20 + (row % 90))),
    ]);
  const pictures = (count: number) => Buffer.concat(Array.from({ length: count }, () => picture(128)));
  /** The rows of the pictures on the paper, one behind the other. */
  const rowsOf = (sent: Buffer): Buffer => {
    const parts: Buffer[] = [];
    for (let at = 0; at < sent.length; ) {
      expect(sent.subarray(at, at + 6).toString('hex')).toBe('1d7630004800');
      const end = at + 8 + 72 * sent.readUInt16LE(at + 6);
      parts.push(sent.subarray(at + 8, end));
      at = end;
    }
    return Buffer.concat(parts);
  };

  it.each([1000, 3000, 9600, 20_000])(
    'lets a kick out within 150 ms at %i bytes a second, at any moment behind its first strips',
    async (speed) => {
      cable.takesASecond(speed);
      const one = await cable.begun('print', pictures(2));
      cable.shut();
      const done = one.write(pictures(2));
      for (let kick = 0; kick < 8; kick += 1) expect(await msOfKick()).toBeLessThanOrEqual(150);
      cable.open();
      await done;
      await one.end();
      expect(cable.printer.pulses).toHaveLength(8);
    },
  );

  it('has all of its rows at a slow printer, as at one that takes it whole, and says what was sent of the job', async () => {
    const job = pictures(5);
    const one = await cable.begun('print', job);
    expect([cable.sent(), one.written]).toEqual([job.toString('hex'), job.length]);
    cable.transfers.length = 0;
    cable.takesASecond(3000);
    await one.write(Uint8Array.from(job));
    expect(one.written).toBe(2 * job.length);
    await one.end();
    expect(cable.transfers.length).toBeGreaterThan(100);
    expect(rowsOf(Buffer.concat(cable.transfers)).equals(rowsOf(job))).toBe(true);
  });

  it('is whole again at a printer that was slow once', async () => {
    cable.takesASecond(1000);
    const one = await cable.begun('print', pictures(2));
    expect(cable.transfers.at(-1)!.length).toBeLessThan(100);
    cable.takesASecond(Number.POSITIVE_INFINITY);
    for (let count = 0; count < 100; count += 1) await one.write(pictures(1));
    cable.transfers.length = 0;
    await one.write(pictures(1));
    await one.end();
    expect(Buffer.concat(cable.transfers).equals(pictures(1))).toBe(true);
  });

  it('is owed what its strip lacks where the printer takes no more', async () => {
    cable.takesASecond(1000);
    const one = await cable.begun('print', pictures(2));
    cable.failAfter(30);
    await expect(one.write(pictures(1))).rejects.toMatchObject({ written: 2 * pictures(1).length + 30 });
    expect(cable.outlet.missing).toBe(80 - 30);
  });
});

it('a kick stands in no command of a raw one, and in none that it leaves open', async () => {
  cable.takesASecond(SLOW);
  const one = await cable.begun('raw', lines(CHUNK));
  cable.shut();
  const open = Buffer.concat([bytes('1d763000 0100 0008'), Buffer.alloc(1000, 0x41)]);
  const sending = Buffer.concat([lines(CHUNK), ...Array.from({ length: 3 }, () => bytes('1b4501 1b4500')), open]);
  const done = one.write(Uint8Array.from(sending));
  await settled();
  const kicks = [cable.outlet.kick(PULSE, 10_000)];
  await settled();
  cable.open();
  await done;
  await one.end();
  kicks.push(cable.outlet.kick(PULSE, 10_000));
  await Promise.all(kicks);
  const sent = Buffer.concat(cable.transfers);
  const first = sent.indexOf(PULSE);
  expect(sent.subarray(first - LINE.length, first).equals(LINE)).toBe(true);
  // The second one ends the picture.
  expect(sent.lastIndexOf(PULSE)).toBeGreaterThan(sent.indexOf(open) + 8 + 2048);
  expect(cable.printer.pulses).toHaveLength(2);
});

it.each([
  ['a macro that they define', '1d3a', '1d3a'],
  ['the setup mode', '1d2845030001494e', '1d28450400024f5554'],
])('a kick in the middle of raw commands does not go into %s', async (_, before, behind) => {
  cable.takesASecond(SLOW);
  const one = await cable.begun('raw', lines(CHUNK));
  cable.shut();
  const done = one.write(Buffer.concat([bytes(before), lines(1000), bytes(behind)]));
  await settled();
  const kicked = cable.outlet.kick(PULSE, 60_000);
  cable.open();
  await done;
  await one.end();
  await Promise.all([kicked, vi.advanceTimersByTimeAsync(5000)]);
  const sent = Buffer.concat(cable.transfers);
  expect(sent.indexOf(PULSE)).toBeGreaterThan(sent.indexOf(behind, 'hex'));
});

it('a kick between raw commands selects the printer, and deselects it again', async () => {
  cable.takesASecond(SLOW);
  const one = await cable.begun('raw', lines(CHUNK));
  cable.shut();
  const done = one.write(Buffer.concat([bytes('1b3d02'), lines(2000), bytes('1b3d01')]));
  await settled();
  const kicked = cable.outlet.kick(PULSE, 10_000);
  cable.open();
  await Promise.all([kicked, done]);
  await one.end();
  const sent = cable.sent();
  expect(sent).toContain(`1b3d01${PULSE.toString('hex')}1b3d02`);
  expect(sent.indexOf(PULSE.toString('hex'))).toBeLessThan(sent.lastIndexOf('1b3d01'));
});
