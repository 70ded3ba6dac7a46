/** What a printer's status is by the answers that it gave: to DLE EOT, and on its control pipe. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { STATUS_POLL } from '../../../../codecs/escpos.ts';
import { KeptStatus, portStatusOf, type StatusParts } from '../../../../plugins/printer/jobs/status.ts';
import { type UsbDevice, UsbError } from '../../../../runtime/bindings/usb.ts';

const READY = [0x16, 0x12, 0x12, 0x12];
const NEAR_END = [0x16, 0x12, 0x12, 0x1e];
const PIN_LOW = [0x12, 0x12, 0x12, 0x12];
const COVER = [0x1e, 0x16, 0x12, 0x12];
const NO_PAPER = [0x1e, 0x32, 0x12, 0x7e];
const UNKNOWN = {
  ...{ known: false, online: true, paperOut: false, paperLow: false, coverOpen: false, drawerPinHigh: undefined },
};
const WELL = { ...UNKNOWN, known: true, drawerPinHigh: true };
const PORT = { fine: 0x18, paperEmpty: 0x38, error: 0x10 };
const STALE_MS = 15_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** A printer that answers what the test says next. */
function printer(blocked = false, without: 'back' | 'port' | undefined = undefined) {
  const says = {
    dleEot: READY as readonly number[] | undefined | Error,
    port: PORT.fine as number | Error,
    garbled: false,
    free: true,
    held: false,
  };
  const asked = { dleEot: 0, port: 0, changes: 0, polls: [] as unknown[], limits: [] as unknown[] };
  const parts: StatusParts = {
    options: { statusBlockedWhilePending: blocked } as StatusParts['options'],
    outlet: {
      get free() {
        return says.free;
      },
      get holder() {
        return says.held ? { source: { by: 'api', from: 'a' }, atBoundary: false } : undefined;
      },
      poll: async (...args) => void asked.polls.push(args[0]),
    } as StatusParts['outlet'],
    back:
      without === 'back'
        ? undefined
        : {
            get isGarbled() {
              return says.garbled;
            },
            status: async (count, timeoutMs, send) => {
              asked.dleEot += 1;
              asked.limits.push([count, timeoutMs]);
              await send(() => {});
              if (says.dleEot instanceof Error) throw says.dleEot;
              return says.dleEot;
            },
          },
    askPort:
      without === 'port'
        ? undefined
        : async () => {
            asked.port += 1;
            if (says.port instanceof Error) throw says.port;
            return Uint8Array.of(says.port);
          },
    onChange: () => {
      asked.changes += 1;
    },
  };
  return { says, asked, status: new KeptStatus(parts) };
}
const replies = (status: KeptStatus) => [1, 2, 3, 4].map((n) => status.reply(n));

describe('before the first answer', () => {
  it('nothing is known, which names no fault, and no client is answered', () => {
    const { status } = printer();
    vi.advanceTimersByTime(STALE_MS + 1);
    expect(status.state).toEqual(UNKNOWN);
    expect([...replies(status), status.silentSince, status.silentReason]).toEqual(Array(6).fill(undefined));
  });

  it('a printer without a back-channel is silent, from when it was bound', async () => {
    vi.advanceTimersByTime(7);
    const { status, asked } = printer(false, 'back');
    expect([status.silentSince, status.silentReason]).toEqual([7, undefined]);
    expect(await status.refresh()).toBe(false);
    expect([status.state, asked.polls]).toEqual([UNKNOWN, []]);
  });
});

describe('a reading', () => {
  it('asks DLE EOT 1 to 4 for half a second, once for all who ask meanwhile', async () => {
    const { status, asked } = printer();
    expect(await Promise.all([status.refresh(), status.refresh()])).toEqual([true, false]);
    expect(asked).toEqual({ dleEot: 1, port: 0, changes: 1, polls: [STATUS_POLL], limits: [[4, 500]] });
    expect(await status.refresh()).toBe(false);
    expect([asked.dleEot, asked.changes]).toEqual([2, 1]);
  });

  it.each([
    ['ready', READY, {}],
    ['near the end of its paper', NEAR_END, { paperLow: true }],
    ['with the line of its drawer low', PIN_LOW, { drawerPinHigh: false }],
    ['with its cover open', COVER, { online: false, coverOpen: true }],
    ['out of paper', NO_PAPER, { online: false, paperOut: true, paperLow: true }],
  ])(
    'of a printer %s is its state, and news where the one before differs in that alone',
    async (_, answers, differs) => {
      const { status, says, asked } = printer();
      says.dleEot = answers;
      expect(await status.refresh()).toBe(true);
      expect(status.state).toEqual({ ...WELL, ...differs });
      says.dleEot = READY;
      const isNews = Object.keys(differs).length > 0;
      expect([await status.refresh(), asked.changes]).toEqual([isNews, isNews ? 2 : 1]);
      expect(status.state).toEqual(WELL);
    },
  );

  it('is the answer to a client as it is, for 15 s; an older one says off-line', async () => {
    const { status, says } = printer();
    says.dleEot = NEAR_END;
    vi.advanceTimersByTime(2 * STALE_MS);
    await status.refresh();
    vi.advanceTimersByTime(STALE_MS);
    expect([replies(status), status.reply(5), status.state]).toEqual([
      NEAR_END,
      undefined,
      { ...WELL, paperLow: true },
    ]);
    vi.advanceTimersByTime(1);
    expect([replies(status), status.state]).toEqual([[0x1e, ...NEAR_END.slice(1)], UNKNOWN]);
  });
});

describe('a printer that does not answer', () => {
  it.each([
    ['in time', undefined],
    ['since the pipe failed', new UsbError('io')],
  ])('%s is silent from then on, unknown, and answers no client', async (_, answer) => {
    const { status, says } = printer();
    await status.refresh();
    says.dleEot = answer;
    vi.advanceTimersByTime(5);
    expect(await status.refresh()).toBe(true);
    vi.advanceTimersByTime(5);
    expect(await status.refresh()).toBe(false);
    expect([status.state, status.silentSince, ...replies(status)]).toEqual([UNKNOWN, 5, ...Array(4).fill(undefined)]);
    says.dleEot = READY;
    expect([await status.refresh(), status.silentSince]).toEqual([true, undefined]);
  });

  it('is said to be garbled only where noise came, and only while it is silent', async () => {
    const { status, says } = printer();
    says.dleEot = undefined;
    await status.refresh();
    expect(status.silentReason).toBeUndefined();
    says.garbled = true;
    expect(status.silentReason).toBe('garbled');
    says.dleEot = READY;
    await status.refresh();
    expect(status.silentReason).toBeUndefined();
  });
});

describe('the control pipe', () => {
  it('is asked with the request of the printer class, for one byte', async () => {
    const asked: unknown[] = [];
    const controlIn: UsbDevice['controlIn'] = async (...args) => {
      asked.push(args);
      return Uint8Array.of(PORT.fine);
    };
    await portStatusOf({ controlIn } as UsbDevice, 2)();
    expect(asked).toEqual([[{ requestType: 0xa1, request: 1, value: 0, index: 2 }, 1, { timeoutMs: 500 }]]);
  });

  it('is not asked while DLE EOT can be, and answers', async () => {
    const { status, asked } = printer();
    await status.refresh();
    expect(asked.port).toBe(0);
  });

  it('tells of a fault before the end of the command that is written, to clients too', async () => {
    const { status, says, asked } = printer();
    await status.refresh();
    Object.assign(says, { free: false, held: true, port: PORT.paperEmpty, dleEot: undefined });
    expect(await status.refresh()).toBe(true);
    expect([status.state, asked.dleEot]).toEqual([{ ...UNKNOWN, online: false, paperOut: true }, 2]);
    Object.assign(says, { port: PORT.error });
    expect(await status.refresh()).toBe(true);
    expect(status.state).toEqual({ ...UNKNOWN, online: false });
  });

  it('is all that is asked where a recipe says that DLE EOT waits while a job is pending', async () => {
    const { status, says, asked } = printer(true);
    await status.refresh();
    Object.assign(says, { held: true, port: PORT.paperEmpty });
    expect([await status.refresh(), asked.dleEot]).toEqual([true, 1]);
    expect(status.state).toEqual({ ...WELL, online: false, paperOut: true });
    expect(replies(status)).toEqual([0x1e, 0x32, 0x12, 0x72]);
    expect([await status.refresh(), asked.dleEot]).toEqual([false, 1]);
    says.held = false;
    says.port = PORT.fine;
    expect([await status.refresh(), asked.dleEot]).toEqual([true, 2]);
    expect([status.state, replies(status)]).toEqual([WELL, READY]);
  });

  it('that names a fault while DLE EOT says that all is well is asked no more', async () => {
    const { status, says, asked } = printer();
    Object.assign(says, { free: false, port: PORT.error });
    expect(await status.refresh()).toBe(true);
    expect([status.state, asked.port]).toEqual([WELL, 2]);
    await status.refresh();
    expect(asked.port).toBe(2);
  });

  it('that has taken the fault back by then is asked again', async () => {
    const { status, says, asked } = printer(true);
    Object.assign(says, { held: true, port: PORT.error });
    await status.refresh();
    Object.assign(says, { held: false, free: false, port: PORT.fine });
    await status.refresh();
    const before = asked.port;
    await status.refresh();
    expect(asked.port).toBe(before + 1);
  });

  it('is asked no more once it stalled, and again where it was only late; what is no fault of USB is not hidden', async () => {
    const { status, says, asked } = printer();
    Object.assign(says, { free: false, port: new UsbError('timeout') });
    await status.refresh();
    says.port = new UsbError('stall');
    await status.refresh();
    await status.refresh();
    expect(asked.port).toBe(2);
    const other = printer();
    Object.assign(other.says, { free: false, port: new TypeError('ours') });
    await expect(other.status.refresh()).rejects.toThrow('ours');
  });

  it('may be missing', async () => {
    const { status, says } = printer(false, 'port');
    says.free = false;
    expect([await status.refresh(), status.state]).toEqual([true, WELL]);
  });
});
