/** What a job finds of the one before it, what it leaves to the next, and what comes between while it writes. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LEAVE_SETUP, RECOVERY } from '../../../../codecs/escpos.ts';
import { LONGEST_HEADER } from '../../../../codecs/escpos-command-lengths.ts';
import { stretchesOf } from '../../../../codecs/escpos-stretches.ts';
import { LEAST } from '../../../../plugins/printer/jobs/reach.ts';
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

const MACRO = bytes('1d3a 410a 1d3a');
const RUN = bytes('1d5e 01 00 00');
/** What may expect more on some printer: no boundary is told behind it. */
const UNKNOWN = bytes('1b99');
const SETUP = bytes('1d2845 0300 01 49 4e');
/** What ends a header that the printer is still in. */
const NULS = Buffer.alloc(LONGEST_HEADER);
const hex = (...parts: readonly Uint8Array[]) => Buffer.concat(parts).toString('hex');

let cable: Cable;
beforeEach(async () => {
  cable = await startCable();
});
afterEach(() => void vi.useRealTimers());

describe('raw commands of the API', () => {
  it('go on where those before left off, in an image and in a command', async () => {
    for (const piece of [HEADER, Buffer.alloc(64), bytes('1b'), bytes('70 00 32 fa')]) {
      const one = await cable.begun('raw', piece);
      await one.end();
    }
    expect(cable.sent()).toBe(hex(HEADER, Buffer.alloc(64), PULSE));
    expect(cable.printer.pulses).toHaveLength(1);
  });

  it.each([
    ['in the middle of a picture', HEADER],
    ['in the setup mode', SETUP],
  ])('of another client do not go on %s that those before left', async (_, open) => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    await (await cable.begun('raw', open)).end();
    const other = cable.job('raw', {}, 'b');
    await other.begin();
    const written = other.write(Uint8Array.from(LINE));
    for (let step = 0; step < 20; step += 1) {
      await settled();
      await vi.advanceTimersByTimeAsync(100);
    }
    await written;
    await other.end();
    expect(cable.sent()).toMatch(new RegExp(`(00){8,}.*${hex(Buffer.from(RECOVERY), LINE)}$`));
    expect(cable.printer.paperText()).toContain(LINE.toString());
  });

  it('of another client go on in the modes that whole ones of another have set', async () => {
    await (await cable.begun('raw', bytes('1b4501'))).end();
    const other = cable.job('raw', {}, 'b');
    await other.begin();
    await other.write(Uint8Array.from(LINE));
    await other.end();
    expect(cable.sent()).toBe(hex(bytes('1b4501'), LINE));
  });

  it('do not go on with what another job left', async () => {
    await (await cable.begun('print', bytes('1b'))).end();
    await (await cable.begun('raw', bytes('70 00 32 fa'))).end();
    expect(cable.sent()).toBe(hex(bytes('1b 00 70 00 32 fa')));
  });

  it('are completed before a job of another kind', async () => {
    await (await cable.begun('raw', HEADER)).end();
    await (await cable.begun('print', LINE)).end();
    expect(cable.sent()).toMatch(new RegExp(`^${hex(HEADER)}(00){64,}${hex(Buffer.from(RECOVERY), LINE)}$`));
  });

  it('announce too much where their payload is larger than any printer takes; a receipt does not', async () => {
    const large = bytes('1d384c 00000002');
    const raw = await cable.begun('raw');
    expect([raw.announcesTooMuch(large), raw.announcesTooMuch(HEADER)]).toEqual([true, false]);
    await raw.end();
    const receipt = await cable.begun('print');
    expect(receipt.announcesTooMuch(large)).toBe(false);
    await receipt.end();
  });

  it.each([
    ['in two pieces', ['1d384c', 'ffffff0f']],
    ['where only NULs are still to come', ['1d384c ffffff']],
    ['in the second of a series of pictures', ['1c71 02 01000100 0000000000000000', 'ffffffff']],
  ])('announce it %s, too', async (_, pieces) => {
    const raw = await cable.begun('raw');
    for (const piece of pieces.slice(0, -1)) {
      expect(raw.announcesTooMuch(bytes(piece))).toBe(false);
      await raw.write(bytes(piece));
    }
    expect(raw.announcesTooMuch(bytes(pieces.at(-1)!))).toBe(true);
    await raw.end();
    expect(cable.outlet.missing).toBeLessThan(0x1_0000);
  });

  it('that the printer did not take are a series no more', async () => {
    const raw = await cable.begun('raw', HEADER);
    cable.failAfter(10);
    await expect(raw.write(Buffer.alloc(64))).rejects.toThrow();
    expect([cable.outlet.pieces.any, cable.outlet.missing >= 54]).toEqual([false, true]);
  });
});

describe('the setup mode that a client entered', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  const enter = async () => {
    const client = await cable.begun('port9100', SETUP);
    await client.end();
    cable.transfers.length = 0;
  };
  /** Writes a line, and gives for how long the printer got nothing of it. */
  const writes = async (kind: 'print' | 'raw' | 'port9100') => {
    const one = await cable.begun(kind);
    let done = false;
    const written = one.write(Uint8Array.from(LINE)).then(() => {
      done = true;
    });
    let ms = 0;
    for (await settled(); !done && ms < 5000; ms += 100) {
      vi.advanceTimersByTime(100);
      await settled();
    }
    await written;
    await one.end();
    return ms;
  };

  it.each(['print', 'raw'] as const)(
    'is left before a job of the API (%s), once the printer has started',
    async (kind) => {
      await enter();
      expect(await writes(kind)).toBe(1000);
      expect(cable.sent()).toBe(hex(NULS, LEAVE_SETUP, NULS, RECOVERY, LINE));
      cable.transfers.length = 0;
      expect([await writes(kind), cable.sent()]).toEqual([0, hex(LINE)]);
    },
  );

  it('is not left for the next client, who may go on in it', async () => {
    await enter();
    expect([await writes('port9100'), cable.sent()]).toEqual([0, hex(LINE)]);
  });

  it('is not left between raw commands, who may go on in it', async () => {
    await (await cable.begun('raw', SETUP)).end();
    cable.transfers.length = 0;
    expect([await writes('raw'), cable.sent()]).toEqual([0, hex(LINE)]);
  });

  it.each([
    ['in its middle', ''],
    ['with its end', hex(UNKNOWN)],
  ])(
    'that the client leaves again %s has the next bytes wait for the start, and a recovery before them',
    async (_, more) => {
      await enter();
      const client = await cable.begun('port9100');
      const left = client.write(Buffer.concat([LEAVE_SETUP, bytes(more)]));
      await settled();
      expect(cable.sent()).toBe(hex(LEAVE_SETUP));
      if (more === '') {
        await left;
        client.leave();
        expect(await writes('port9100')).toBe(1000);
      } else {
        vi.advanceTimersByTime(1000);
        await left;
        await client.end();
      }
      expect(cable.sent().startsWith(hex(LEAVE_SETUP, Buffer.alloc(LONGEST_HEADER), RECOVERY))).toBe(true);
      expect(await writes('port9100')).toBe(0);
    },
  );

  it('is left before a kick, though the client stays', async () => {
    const client = await cable.begun('port9100', SETUP);
    cable.transfers.length = 0;
    const kick = cable.outlet.kick(PULSE, IDLE_MS);
    await settled();
    expect(cable.sent()).toBe(hex(NULS, LEAVE_SETUP));
    vi.advanceTimersByTime(1000);
    await kick;
    expect([cable.sent().endsWith(hex(PULSE)), cable.outlet.mode.setup]).toEqual([true, false]);
    await client.end();
  });

  it('is left before a kick behind the client, too', async () => {
    await enter();
    const kick = cable.outlet.kick(PULSE, IDLE_MS);
    await settled();
    expect(cable.sent()).toBe(hex(NULS, LEAVE_SETUP));
    vi.advanceTimersByTime(1000);
    await kick;
    expect(cable.sent().endsWith(hex(PULSE))).toBe(true);
  });

  it('that raw commands leave again has the next one wait for the start', async () => {
    await (await cable.begun('raw', SETUP)).end();
    await (await cable.begun('raw', LEAVE_SETUP)).end();
    expect(await writes('raw')).toBe(1000);
    expect(await writes('raw')).toBe(0);
  });

  it('that the client leaves again has a kick wait for the start, too', async () => {
    await enter();
    const client = await cable.begun('port9100', LEAVE_SETUP);
    const kick = cable.outlet.kick(PULSE, IDLE_MS);
    await settled();
    vi.advanceTimersByTime(999);
    await settled();
    expect(cable.printer.pulses).toHaveLength(0);
    vi.advanceTimersByTime(1);
    await kick;
    expect(cable.printer.pulses).toHaveLength(1);
    await client.end();
  });
});

describe('the modes of the printer', () => {
  it.each([
    ['a job that never had the turn leaves as they are', 'none', true],
    ['a client that is cut off has settled: the printer is reset before the next job', 'cut off', false],
    ['a job that is abandoned has settled: what completes it resets the printer', 'abandoned', false],
  ] as const)('%s', async (_, end, pending) => {
    const one = cable.job('port9100');
    if (end === 'none') {
      cable.outlet.mode.textPending = true;
      await one.end();
      await cable.job('print').end();
      one.abandon();
    } else {
      await one.begin();
      await one.write(Buffer.from('a'));
      if (end === 'abandoned') one.abandon();
      else await one.end(false);
    }
    expect(cable.outlet.mode.textPending).toBe(pending);
    cable.transfers.length = 0;
    await (await cable.begun('port9100', LINE)).end();
    expect(cable.sent().endsWith(hex(LINE))).toBe(true);
    expect(cable.sent().includes(hex(Buffer.from(RECOVERY)))).toBe(end !== 'none');
  });

  it('are those of a printer on the line, whatever a payload held, when a client yields', async () => {
    const one = await cable.begun('port9100', Buffer.concat([HEADER, OFF_LINE, Buffer.alloc(61)]));
    await one.yield();
    expect(cable.sent().endsWith(hex(ON_LINE))).toBe(true);
  });
});

describe('what is missing', () => {
  it('is completed where it is a single byte', async () => {
    const one = await cable.begun('port9100', Buffer.concat([HEADER, Buffer.alloc(63)]));
    cable.transfers.length = 0;
    await one.end();
    expect(cable.sent()).toMatch(new RegExp(`^00(00)+${hex(Buffer.from(RECOVERY))}$`));
  });

  it('is what the printer did not take of a stretch of a receipt, exactly', async () => {
    const one = await cable.begun('print');
    const receipt = lines(4 * CHUNK);
    const [first, second] = [...stretchesOf(receipt, LEAST, cable.outlet.reach)];
    cable.failAfter(first!.length + 10);
    await expect(one.write(Uint8Array.from(receipt))).rejects.toMatchObject({ written: first!.length + 10 });
    expect(cable.outlet.missing).toBe(second!.length - 10);
  });

  it('is also what was read while the write that failed was on its way', async () => {
    const one = await cable.begun('port9100');
    cable.shut();
    const written = one.write(Uint8Array.from(HEADER));
    one.readAhead(Buffer.alloc(64));
    cable.failAfter(HEADER.length - 1);
    cable.open();
    await expect(written).rejects.toThrow();
    expect(cable.outlet.missing).toBe(1 + 64);
  });

  it('is all that was filtered and not sent, in however many parts', async () => {
    const one = await cable.begun('port9100');
    const whole = Buffer.concat([LINE, MACRO, LINE, MACRO]);
    cable.failAfter(5);
    await expect(one.write(Uint8Array.from(whole))).rejects.toThrow();
    expect([one.written, cable.outlet.missing]).toEqual([5, whole.length - 5]);
  });
});

it('behind a client that was cut off a picture begins at the edge, and a cut is all of its job', async () => {
  for (const next of [bytes('1d763000 0100 0100 ff'), bytes('1d5600')]) {
    await (await cable.begun('port9100', Buffer.from('half'))).end(false);
    cable.transfers.length = 0;
    await (await cable.begun('port9100', next)).end();
    expect(cable.sent()).toBe(hex(NULS, Buffer.from(RECOVERY), next));
  }
});

describe('what a client sends', () => {
  it('leaves in one transfer, also where something was taken out of it', async () => {
    const one = await cable.begun('port9100', Buffer.concat([LINE, PULSE, LINE, PULSE, LINE]));
    expect(cable.transfers.map((each) => each.toString())).toEqual([`${LINE}${LINE}${LINE}`]);
    await one.end();
  });

  it('lets a kick in at its end, though a printer may still expect bytes there', async () => {
    const one = await cable.begun('port9100');
    cable.shut();
    const written = one.write(Buffer.concat([LINE, UNKNOWN]));
    const kick = cable.outlet.kick(PULSE, IDLE_MS);
    await settled();
    cable.open();
    await Promise.all([written, kick]);
    expect(cable.sent()).toMatch(new RegExp(`^${hex(LINE, UNKNOWN)}(00)+${hex(PULSE)}$`));
    await one.end();
  });

  it('lets none in where a read of the socket ends inside an image', async () => {
    const one = await cable.begun('port9100');
    cable.shut();
    const written = one.write(Buffer.concat([HEADER, Buffer.alloc(10)]));
    one.readAhead(Buffer.alloc(54));
    const kick = cable.outlet.kick(PULSE, IDLE_MS);
    await settled();
    cable.open();
    await Promise.all([written, kick]);
    expect(cable.sent()).toBe(hex(HEADER, Buffer.alloc(64), PULSE));
    await one.end();
  });
});

describe('a macro', () => {
  it('of the client before does not run', async () => {
    await (await cable.begun('port9100', MACRO)).end();
    const dropped: string[] = [];
    const one = await cable.begun('port9100', RUN, { dropped: (what) => dropped.push(what) });
    expect([dropped, cable.sent()]).toEqual([['pulse'], hex(MACRO)]);
    await one.end();
  });

  it('does not run where a kick went out after the node had read that it shall', async () => {
    const dropped: string[] = [];
    const one = await cable.begun('port9100', undefined, { dropped: (what) => dropped.push(what) });
    cable.shut();
    const written = one.write(Uint8Array.from(MACRO));
    one.readAhead(Uint8Array.from(RUN));
    one.readAhead(Uint8Array.from(LINE));
    const kick = cable.outlet.kick(PULSE, IDLE_MS);
    await settled();
    expect(dropped).toEqual([]);
    cable.open();
    await Promise.all([written, kick]);
    expect([dropped, cable.sent()]).toEqual([['pulse'], hex(MACRO, PULSE, LINE)]);
    await one.end();
  });
});
