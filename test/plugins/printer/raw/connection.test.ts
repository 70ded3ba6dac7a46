/** One connection of port 9100, from its first byte to the end of its job, without a node and a network around it. */
import { describe, expect, it, vi } from 'vitest';
import { HEADER, LINE, PULSE, settled } from '../jobs/cable.ts';
import { ASK, hex, ME, startOutlet } from './wire.ts';

/** GS ( E: a setting of the printer's memory. */
const SETTING = Buffer.from('1d28450300030249', 'hex');

describe('a connection', () => {
  it('prints what it sends, and is ended in order when the printer has all of it', async () => {
    const { cable, counters, listed, dial } = await startOutlet();
    const { wire, connection, send, end } = dial();
    expect([connection.from, connection.served, listed]).toEqual([ME, false, []]);
    await send(LINE);
    expect([cable.sent(), connection.served, wire.paused, wire.did]).toEqual([hex(LINE), true, false, []]);
    expect([counters.bytes, counters.refused, listed]).toEqual([LINE.length, 0, [ME]]);
    await end();
    expect([wire.did, cable.outlet.heldBy, vi.getTimerCount()]).toEqual([['end'], undefined, 0]);
    expect(listed).toEqual([ME, { from: ME, error: undefined, missingBytes: 0, pulsesDropped: 0 }]);
    // What comes behind its end is nothing.
    await send(LINE);
    expect([cable.sent(), counters.bytes]).toEqual([hex(LINE), LINE.length]);
  });

  it('that ends inside a command is reset, and listed with what it lacks', async () => {
    const { listed, dial } = await startOutlet();
    const { wire, send, end } = dial();
    await send(HEADER);
    await end();
    expect(wire.did).toEqual(['reset']);
    expect(listed[1]).toEqual({ from: ME, error: 'invalid_body', missingBytes: 64, pulsesDropped: 0 });
  });

  it('of which a command was left out, as it is larger than what goes to a printer, is reset, and says so in the list', async () => {
    const { cable, listed, dial } = await startOutlet();
    const { wire, send, end } = dial();
    const raster = Buffer.from('1d7630000010010100', 'hex');
    await send(Buffer.concat([LINE, raster.subarray(0, 8), Buffer.alloc(4096 * 257), LINE]));
    await end();
    expect([cable.sent(), wire.did]).toEqual([hex(Buffer.concat([LINE, LINE])), ['reset']]);
    expect(listed[1]).toMatchObject({ error: 'render_too_large' });
  });

  it('that goes in the middle lets the next one print', async () => {
    const { cable, listed, dial } = await startOutlet();
    const { wire, send, go } = dial();
    await send(LINE);
    wire.emit('error', new Error('read ECONNRESET'));
    await go();
    expect(cable.outlet.heldBy).toBeUndefined();
    expect(listed[1]).toEqual({ from: ME, error: 'invalid_body', missingBytes: 0, pulsesDropped: 0 });
  });

  it('counts each kind of command that is not passed on, and the list only those of the drawer', async () => {
    const { counters, listed, cable, dial } = await startOutlet({ protect: 'settings' });
    const { send, end } = dial();
    await send(Buffer.concat([PULSE, Buffer.from('1014020108', 'hex'), SETTING, LINE]));
    await end();
    expect(counters).toMatchObject({ pulsesDropped: 1, realtimeDropped: 1, settingsDropped: 1 });
    expect([cable.sent(), listed[1]]).toMatchObject([hex(LINE), { pulsesDropped: 1 }]);
  });

  it('is passed on with its settings where only the drawer is protected', async () => {
    const { counters, cable, dial } = await startOutlet();
    await dial().send(SETTING);
    expect([cable.sent(), counters.settingsDropped]).toEqual([hex(SETTING), 0]);
  });

  it('is in the recording of what came in while one is made, and only then', async () => {
    const { node, recorded, dial } = await startOutlet();
    const { send } = dial();
    await send(LINE);
    expect(recorded).toEqual([]);
    node.recording = true;
    await send('more\n');
    expect(Buffer.from(recorded).toString()).toBe('more\n');
  });

  it.each([
    ['a receipt', '\x1b@\x1ba\x01TOTAL\n\x1dV\0', [false, false]],
    ['GS a 0', '\x1da\0', [false, false]],
    ['GS a', '\x1da\x0f', [false, true]],
    ['GS j', '\x1dj\x01', [false, true]],
    ['DLE DC4 7', '\x10\x14\x07\x01', [true, true]],
    ['GS I', '\x1dI\x43', [true, false]],
    ['a function of GS (', '\x1d(L\x02\x000\x30', [true, false]],
    ['FS b', '\x1cb', [true, false]],
    ['a command that nobody knows', '\x1b]\x01', [true, false]],
  ])('hears of the printer what it may have asked for, by %s', async (_, sent, [any, status]) => {
    const { cable, dial } = await startOutlet();
    await dial().send(Buffer.from(sent, 'latin1'));
    const { hears } = cable.outlet.holder ?? {};
    const types = ['byte', 'info', 'processId', 'memorySwitch', 'asb'] as const;
    expect(types.map((type) => hears?.(type))).toEqual([any, any, any, any, status]);
  });

  it('gets what the printer says while its job has the turn', async () => {
    const { cable, pass, dial } = await startOutlet();
    const { wire, send } = dial();
    await send(LINE);
    cable.outlet.holder?.onReply?.(Uint8Array.of(1, 2));
    await pass(0);
    expect(wire.received).toEqual([1, 2]);
  });
});

describe('the first bytes', () => {
  it.each([
    ['an HTTP request', 'GET / HTTP/1.1\r\n', 'destroyed', { error: 'invalid_command', language: undefined }],
    ['a document', '%PDF-1.7\n', 'reset', { error: 'unsupported_command_set', language: 'PDF' }],
  ])('that are %s end it, unprinted and refused', async (_, opening, how, end) => {
    const { cable, counters, listed, dial } = await startOutlet();
    const { wire, send } = dial();
    await send(opening);
    await send(LINE);
    expect([wire.did, cable.sent(), counters.refused]).toEqual([[how], '', 1]);
    expect(listed).toEqual([ME, { from: ME, ...end, pulsesDropped: 0 }]);
  });

  it.each(['GET / HTTP/1.1\r\n', '%PDF-1.7\n'])(
    'that are refused are not printed, also where the client has said all by then: %j',
    async (opening) => {
      const { cable, counters, dial } = await startOutlet();
      const { wire } = dial();
      wire.emit('data', Buffer.from(opening));
      wire.emit('end');
      await settled();
      expect([cable.sent(), counters.refused]).toEqual(['', 1]);
    },
  );

  it('that may become a request line are held back for a second, and are a job then', async () => {
    const { cable, pass, dial } = await startOutlet();
    const { send } = dial();
    await send('ORDER ');
    await pass(999);
    expect(cable.sent()).toBe('');
    await pass(1);
    expect(cable.sent()).toBe(hex('ORDER '));
  });

  it.each([
    ['an HTTP request', 'GET / HT', 'TP/1.1\r\n', 'destroyed'],
    ['a document', '%PD', 'F-1.7\n', 'reset'],
    ['a document behind its escape sequence', '\x1b%-12345', 'X@PJL JOB\r\n', 'reset'],
  ])(
    'that can be little but %s are held back for five seconds, so that its rest ends it',
    async (_, head, rest, how) => {
      const { cable, counters, pass, dial } = await startOutlet();
      const slow = dial();
      await slow.send(head);
      await pass(4999);
      await slow.send(rest);
      expect([slow.wire.did, cable.sent(), counters.refused]).toEqual([[how], '', 1]);
      const text = dial();
      await text.send(head);
      await pass(5000);
      expect(cable.sent()).not.toBe('');
    },
  );

  it('are held back from the last of them on', async () => {
    const { cable, pass, dial } = await startOutlet();
    const { send } = dial();
    await send('GE');
    await pass(900);
    await send('T ');
    await pass(900);
    expect(cable.sent()).toBe('');
    await send('well\n');
    expect(cable.sent()).toBe(hex('GET well\n'));
  });

  it.each(['G', 'GE'])('that are held back, as %s is, are printed where the client has said all', async (opening) => {
    const { cable, dial } = await startOutlet();
    const { wire, send, end } = dial();
    await send(opening);
    await end();
    expect([cable.sent(), wire.did]).toEqual([hex(`${opening}\n`), ['end']]);
  });

  it('that are held back are not printed where it has gone', async () => {
    const { cable, pass, dial } = await startOutlet();
    const { send, go } = dial();
    await send('GE');
    await go();
    await pass(1000);
    expect(cable.sent()).toBe('');
  });

  it('that ask for the status, also among blanks, are answered and counted; they take no turn and are no job', async () => {
    const { cable, counters, listed, recorded, node, dial } = await startOutlet();
    node.recording = true;
    const { wire, connection, send, end } = dial();
    await send(ASK(1));
    await send(Buffer.concat([ASK(4), ASK(2)]));
    expect(wire.received).toEqual([0x11, 0x14, 0x12]);
    expect([counters.bytes, recorded.length, connection.served, listed]).toEqual([9, 9, false, []]);
    expect(vi.getTimerCount()).toBe(0);
    await end();
    expect([cable.sent(), wire.did, listed]).toEqual(['', ['end'], []]);
  });

  it('that ask, or may become a request line, are read on behind', async () => {
    const { dial } = await startOutlet();
    for (const first of [ASK(1), Buffer.from('GET')]) {
      const { wire, send } = dial();
      await send(first);
      expect(wire.paused).toBe(false);
    }
  });

  it('that ask are answered before the connection is ended', async () => {
    const { holdReading, pass, dial } = await startOutlet();
    const { wire, send, end } = dial();
    const done = holdReading();
    await send(ASK(1));
    await end();
    expect([wire.received, wire.did]).toEqual([[], []]);
    done();
    await pass(0);
    expect([wire.received, wire.did]).toEqual([[0x11], ['end']]);
  });
});

describe('a connection that waits', () => {
  it('prints when the one before it has ended', async () => {
    const { cable, listed, dial } = await startOutlet();
    const [first, second] = [dial('a'), dial('b')];
    await first.send(LINE);
    await second.send('second\n');
    // Read already when the socket was paused.
    await second.send('third\n');
    expect([cable.sent(), second.connection.served, listed]).toEqual([hex(LINE), false, ['a', 'b']]);
    await first.end();
    expect([cable.sent(), second.connection.served]).toEqual([hex(LINE) + hex('second\nthird\n'), true]);
  });

  it('and has gone by the time of its turn prints nothing, and leaves the turn', async () => {
    const { cable, dial } = await startOutlet();
    const [first, second] = [dial('a'), dial('b')];
    await first.send(LINE);
    await second.send(Buffer.alloc(16_384, 'x'));
    expect(second.wire.paused).toBe(true);
    // A socket says that it was reset only while it is read: a round of the event loop to begin with, one for the data.
    second.wire.onResume = () => void setImmediate(() => setImmediate(() => second.wire.goes()));
    await first.end();
    expect([cable.sent(), cable.outlet.heldBy, second.connection.served]).toEqual([hex(LINE), undefined, false]);
  });

  it('is cut with the reason, and counts as refused: its job never had the turn', async () => {
    const { counters, listed, cable, dial } = await startOutlet();
    const [first, second] = [dial('a'), dial('b')];
    await first.send(LINE);
    await second.send(Buffer.alloc(16_384, 'x'));
    second.connection.cut('no_slots');
    expect([second.wire.did, counters.refused]).toEqual([['reset'], 1]);
    expect(listed[2]).toEqual({ from: 'b', error: 'no_slots', pulsesDropped: 0 });
    second.connection.cut('no_slots');
    expect([listed.length, counters.refused]).toEqual([3, 1]);
    await first.end();
    expect(cable.sent()).toBe(hex(LINE));
  });
});

describe('a connection that is cut', () => {
  it('is listed with the reason where the printer has all that it sent', async () => {
    const { counters, listed, dial } = await startOutlet();
    const { connection, wire, send } = dial();
    await send(LINE);
    connection.cut('restarting');
    expect([wire.did, counters.refused, listed[1]]).toMatchObject([['reset'], 0, { error: 'restarting' }]);
  });

  it.each([
    ['inside a command', async (_: () => void, send: (bytes: Uint8Array) => Promise<void>) => send(HEADER)],
    [
      'while it prints',
      async (shut: () => void, send: (bytes: Uint8Array) => Promise<void>) => {
        shut();
        await send(LINE);
      },
    ],
  ])('%s may have printed a part', async (_, go) => {
    const { cable, listed, dial } = await startOutlet();
    const { connection, send } = dial();
    await send(LINE);
    await go(cable.shut, send);
    connection.cut('restarting');
    expect(listed[1]).toMatchObject({ error: 'write_failed' });
    cable.open();
  });

  it('may have printed a part where the printer took a single byte', async () => {
    const { cable, listed, dial } = await startOutlet();
    const { connection, send } = dial();
    await send('x');
    cable.shut();
    await send(LINE);
    connection.cut('restarting');
    expect(listed[1]).toMatchObject({ error: 'write_failed' });
    cable.open();
  });

  it('has printed nothing where the printer took none of it, though it had the turn', async () => {
    const { cable, counters, listed, dial } = await startOutlet();
    const { connection, send } = dial();
    cable.shut();
    await send(LINE);
    connection.cut('restarting');
    expect([counters.refused, listed[1]]).toMatchObject([0, { error: 'restarting' }]);
    cable.open();
  });

  it('has printed nothing where its first bytes are held back', async () => {
    const { listed, counters, dial } = await startOutlet();
    const { connection, send } = dial();
    await send('GE');
    connection.cut('restarting');
    expect([counters.refused, listed]).toEqual([1, [ME, { from: ME, error: 'restarting', pulsesDropped: 0 }]]);
  });

  it('is left as it ended where its job is finished', async () => {
    const { counters, listed, dial } = await startOutlet();
    const { connection, wire, end } = dial();
    await end();
    connection.cut('restarting');
    expect([wire.did, counters.refused, listed]).toEqual([['end'], 0, []]);
  });
});
