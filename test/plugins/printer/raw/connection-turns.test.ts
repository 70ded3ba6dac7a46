/** One connection of port 9100 that stays open: while the printer takes nothing, while it is idle, and while others wait for it. */
import { describe, expect, it, vi } from 'vitest';
import { HEADER, LINE, OFF_LINE } from '../jobs/cable.ts';
import { ASK, hex, ME, startOutlet } from './wire.ts';

type Dialled = ReturnType<Awaited<ReturnType<typeof startOutlet>>['dial']>;

describe('bytes that come while the printer accepts none', () => {
  it('are read ahead, so that what asks among them is answered, and printed behind', async () => {
    const { cable, counters, dial } = await startOutlet();
    const { wire, send } = dial();
    cable.shut();
    await send(LINE);
    expect(wire.paused).toBe(false);
    await send(Buffer.concat([Buffer.from('more\n'), ASK(1)]));
    expect([cable.sent(), wire.received, wire.paused]).toEqual(['', [0x11], false]);
    expect(counters.bytes).toBe(LINE.length + 8);
    cable.open();
    await send('');
    expect(cable.sent()).toBe(hex(LINE) + hex('more\n'));
  });

  it('are read up to 64 KiB, and more waits unread', async () => {
    const { cable, counters, dial } = await startOutlet();
    const { wire, send } = dial();
    const half = Buffer.alloc(32_768, 'x');
    cable.shut();
    await send(LINE);
    await send(half);
    await send(half);
    expect([wire.paused, counters.bytes]).toEqual([false, LINE.length + 65_536]);
    await send('y');
    expect([wire.paused, counters.bytes]).toEqual([true, LINE.length + 65_536]);
    // And not before the one that waits.
    await send('z');
    cable.open();
    for (let turn = 0; turn < 50; turn += 1) await send('');
    expect(cable.sent()).toBe(hex(LINE) + hex(half) + hex(half) + hex('yz'));
    cable.shut();
    await send('again');
    await send(half);
    await send(half);
    expect(wire.paused).toBe(false);
    cable.open();
  });
});

describe('an answer of the printer to its job', () => {
  const MIB = 1024 * 1024;
  const AHEAD = Buffer.alloc(65_536);
  /** Sends more than is read ahead of a printer that accepts nothing, of which it then gets an answer. Gives how much of it waits. */
  const askAndGoOn = async ({ cable, pass }: Awaited<ReturnType<typeof startOutlet>>, client: Dialled) => {
    cable.shut();
    for (const piece of [LINE, AHEAD, LINE]) await client.send(piece);
    expect(client.wire.paused).toBe(true);
    cable.outlet.holder?.onReply?.(Uint8Array.of(1));
    await pass(0);
    expect(client.wire.paused).toBe(false);
    return 2 * LINE.length;
  };
  const printAll = async ({ cable }: Awaited<ReturnType<typeof startOutlet>>, { send }: Dialled) => {
    cable.open();
    for (let turn = 0; turn < 200; turn += 1) await send('');
  };

  it('waits until no more of what the client has sent is on its way, up to a MiB, and more of it waits unread', async () => {
    const outlet = await startOutlet();
    const client = outlet.dial();
    const { wire, send } = client;
    const waits = await askAndGoOn(outlet, client);
    await send(Buffer.alloc(MIB - waits - 1));
    expect([wire.paused, wire.received]).toEqual([false, []]);
    await send('x');
    expect(wire.paused).toBe(true);
    await outlet.pass(25);
    expect(wire.received).toEqual([1]);
    await printAll(outlet, client);
    expect([wire.paused, outlet.counters.bytes]).toEqual([false, AHEAD.length + MIB]);
  });

  it('waits for 25 ms behind the last piece that comes, and not behind the first', async () => {
    const outlet = await startOutlet();
    const client = outlet.dial();
    await askAndGoOn(outlet, client);
    await outlet.pass(20);
    await client.send('x');
    await outlet.pass(10);
    expect(client.wire.received).toEqual([]);
    await outlet.pass(25);
    expect(client.wire.received).toEqual([1]);
    await printAll(outlet, client);
  });

  it('waits for nothing where the client has ended its side', async () => {
    const { cable, dial } = await startOutlet();
    const { wire, send } = dial();
    await send(LINE);
    wire.readableEnded = true;
    cable.outlet.holder?.onReply?.(Uint8Array.of(1));
    expect(wire.received).toEqual([1]);
  });

  it('waits so, too, where the printer has taken a MiB before', async () => {
    const outlet = await startOutlet();
    const client = outlet.dial();
    await client.send(Buffer.alloc(MIB));
    await printAll(outlet, client);
    await askAndGoOn(outlet, client);
    expect(client.wire.received).toEqual([]);
    await outlet.pass(25);
    expect(client.wire.received).toEqual([1]);
    await printAll(outlet, client);
  });
});

describe('a connection without a byte for a while', () => {
  it('lets others print after the time that is configured, and goes on afterwards', async () => {
    const { cable, listed, pass, dial } = await startOutlet({ idleTimeoutSeconds: 7 });
    const { wire, connection, send } = dial();
    expect(connection.idleMs).toBe(7000);
    await send(LINE);
    await pass(6999);
    await send('more\n');
    await pass(6999);
    expect(cable.outlet.heldBy).toBeDefined();
    await pass(1);
    expect([cable.outlet.heldBy, wire.did]).toEqual([undefined, []]);
    expect(listed).toEqual([ME, { from: ME, error: undefined, pulsesDropped: 0 }]);
    await send('again\n');
    expect(cable.sent()).toBe(hex(LINE) + hex('more\nagain\n'));
    expect(listed[2]).toBe(ME);
  });

  it('inside a command is reset after that time, as nobody else could print', async () => {
    const { cable, listed, pass, dial } = await startOutlet({ idleTimeoutSeconds: 7 });
    const { wire, connection, send } = dial();
    expect(connection.pausesInCommand).toBe(false);
    await send(HEADER);
    expect(connection.pausesInCommand).toBe(true);
    await pass(7000);
    expect([wire.did, cable.outlet.heldBy]).toEqual([['reset'], undefined]);
    expect(listed[1]).toMatchObject({ error: 'invalid_body', missingBytes: 64 });
  });

  it('in the page mode is reset, and listed as broken off, though no byte is missing', async () => {
    const { listed, pass, dial } = await startOutlet({ idleTimeoutSeconds: 7 });
    const { wire, connection, send } = dial();
    await send('\x1bLon a page\n');
    expect(connection.pausesInCommand).toBe(false);
    await pass(7000);
    expect([wire.did, listed[1]]).toMatchObject([['reset'], { error: 'invalid_body', missingBytes: 0 }]);
  });

  it('does not pause inside a command while it is being written', async () => {
    const { cable, dial } = await startOutlet();
    const { connection, send } = dial();
    await send(LINE);
    expect(connection.pausesInCommand).toBe(false);
    cable.shut();
    await send(HEADER);
    expect(connection.pausesInCommand).toBe(false);
    cable.open();
    await send('');
    expect(connection.pausesInCommand).toBe(true);
    await send(Buffer.alloc(63));
    expect(connection.pausesInCommand).toBe(true);
    await send(Buffer.alloc(1));
    expect(connection.pausesInCommand).toBe(false);
  });

  it('is idle behind 5 seconds of nothing to print, and not while it has the turn', async () => {
    const { pass, dial } = await startOutlet({ idleTimeoutSeconds: 7 });
    const { connection, send } = dial();
    await pass(5000);
    expect(connection.idle).toBe(false);
    await pass(1);
    expect(connection.idle).toBe(true);
    await send(LINE);
    await pass(6000);
    expect(connection.idle).toBe(false);
    await pass(1000);
    expect(connection.idle).toBe(false);
    await pass(5001);
    expect(connection.idle).toBe(true);
  });

  it('is not idle while it waits for its turn', async () => {
    const { pass, dial } = await startOutlet();
    const [first, second] = [dial('a'), dial('b')];
    await first.send(HEADER);
    await second.send('second\n');
    await pass(6000);
    expect(second.connection.idle).toBe(false);
  });
});

describe('a connection that others wait for', () => {
  it('lets them in between two commands, and stays open', async () => {
    const { cable, pass, dial } = await startOutlet();
    const [first, second] = [dial('a'), dial('b')];
    await first.send(LINE);
    await second.send('second\n');
    await pass(9999);
    first.connection.giveWay();
    await pass(0);
    expect(cable.sent()).toBe(hex(LINE));
    await pass(1);
    expect([cable.sent(), first.wire.did]).toEqual([hex(LINE) + hex('second\n'), []]);
    // The one that has the turn is idle, and the other one counts no time.
    expect(vi.getTimerCount()).toBe(1);
    // What is asked of it without the turn is nothing.
    await first.send('');
    await pass(60_000);
    expect(first.wire.did).toEqual([]);
  });

  it('is left alone in the turn of the one that it let in', async () => {
    const { cable, pass, dial } = await startOutlet();
    const [first, second] = [dial('a'), dial('b')];
    await first.send(LINE);
    await second.send(Buffer.concat([Buffer.from('second\n'), OFF_LINE]));
    await pass(10_000);
    const sent = cable.sent();
    expect(sent.endsWith(hex(OFF_LINE))).toBe(true);
    first.connection.giveWay();
    await pass(0);
    expect([cable.sent(), first.wire.did]).toEqual([sent, []]);
  });

  it('is reset inside a command', async () => {
    const { cable, pass, dial } = await startOutlet();
    const [first, second] = [dial('a'), dial('b')];
    await first.send(HEADER);
    await second.send('second\n');
    await pass(15_000);
    expect(first.wire.did).toEqual(['reset']);
    expect(cable.sent().endsWith(hex('second\n'))).toBe(true);
  });
});

describe('a status request of who has not the turn', () => {
  it('is answered at once, in pieces too, and takes no turn', async () => {
    const { cable, listed, pass, dial } = await startOutlet({ idleTimeoutSeconds: 7 });
    const { wire, send } = dial();
    await send(LINE);
    await pass(7000);
    await send(Uint8Array.of(0x10));
    await send(Uint8Array.of(0x04, 3, 0x10, 0x04));
    expect([wire.received, cable.outlet.heldBy, listed.length]).toEqual([[0x13], undefined, 2]);
    await send(Buffer.concat([Uint8Array.of(2), ASK(1), Buffer.from('more\n')]));
    expect([wire.received, cable.sent()]).toEqual([[0x13, 0x12, 0x11], hex(LINE) + hex('more\n')]);
  });
});
