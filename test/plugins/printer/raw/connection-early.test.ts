/** One connection of port 9100 that asks for the status while another one has the printer: each request is answered then, and once. */
import { describe, expect, it } from 'vitest';
import { bytes, HEADER, LINE } from '../jobs/cable.ts';
import { ASK, hex, startOutlet } from './wire.ts';

const OTHER = '192.0.2.8';
/** Behind what the holder has sent the printer is between two commands, or inside one. */
const HOLDERS = [
  ['that keeps its socket', LINE],
  ['inside a picture', HEADER],
] as const;
const ASKED: readonly (readonly [string, string, readonly number[]])[] = [
  ['alone', '10 04 01', [1]],
  ['behind a reset and a selection', '1b 40 1b 3d 01 10 04 01', [1]],
  ['behind a reset', '1b 40 10 04 02', [2]],
  ['behind GS a', '1d 61 00 10 04 01', [1]],
  ['behind text', '68 65 6c 6c 6f 0a 10 04 04', [4]],
  ['between lines, in their order', '41 0a 10 04 03 42 0a 10 04 01 10 04 02 43 0a', [3, 1, 2]],
  ['in a picture, where it is none, and behind that', '1d 76 30 00 01 00 04 00 10 04 01 00 10 04 02', [2]],
  ['as the data of a bar code and of GS ( k', '1d 6b 49 03 10 04 01 1d 28 6b 03 00 10 04 01 41', []],
  ['with no n of an answer', '41 0a 10 04 05 10 04 08 03 10 04 00', []],
];
const PIECES = [1, 2, 3, 1000];

describe.each(HOLDERS)('a client that waits behind one %s', (_, holding) => {
  it.each(ASKED)('is answered what it asks %s, in any pieces, and not again in its turn', async (__, sent, asked) => {
    for (const step of PIECES) {
      const { dial, cable, counters } = await startOutlet();
      const holder = dial();
      await holder.send(holding);
      const { wire, send, end } = dial(OTHER);
      const all = bytes(sent);
      for (let at = 0; at < all.length; at += step) await send(all.subarray(at, at + step));
      const answers = asked.map((n) => 0x10 + n);
      expect(wire.received).toEqual(answers);
      const before = counters.bytes;
      await holder.go();
      await send('\n');
      expect(wire.received).toEqual(answers);
      // What it asks then is none of those.
      await send(ASK(4));
      expect(wire.received).toEqual([...answers, 0x14]);
      await end();
      expect([wire.did, cable.outlet.heldBy, counters.bytes - before]).toEqual([['end'], undefined, 4]);
    }
  });
});

it('a client that waits is answered in its turn what it asks behind a picture that no printer takes, and not twice what it asked before', async () => {
  const { dial } = await startOutlet();
  const holder = dial();
  await holder.send(LINE);
  const { wire, send } = dial(OTHER);
  await send(Buffer.concat([LINE, ASK(1), bytes('1c7101 ffffffff'), LINE, ASK(2)]));
  expect(wire.received).toEqual([0x11]);
  await holder.end();
  await send('\n');
  expect(wire.received).toEqual([0x11, 0x12]);
});

it('a client that has let others in asks nothing by the parameters of a command that it had begun', async () => {
  const { dial, pass } = await startOutlet({ idleTimeoutSeconds: 1 });
  const { wire, send } = dial();
  await send(Buffer.concat([LINE, bytes('1d286b')]));
  await pass(1000);
  const holder = dial(OTHER);
  await holder.send(LINE);
  // Five bytes of GS ( k, of which the last two may begin a request.
  await send(bytes('05 00 31 50 30 10 04 01'));
  expect(wire.received).toEqual([]);
  await holder.end();
  await send('\n');
  expect(wire.received).toEqual([]);
});

describe('what a client sends while it waits', () => {
  it('is printed in its turn as it was sent', async () => {
    const { dial, cable } = await startOutlet();
    const holder = dial();
    await holder.send(LINE);
    const { send } = dial(OTHER);
    for (const piece of ['first\n', '\x10', '\x04\x02sec', 'ond\n']) await send(piece);
    expect(cable.sent()).toBe(hex(LINE));
    await holder.end();
    await send('third\n');
    expect(cable.sent()).toBe(hex(LINE) + hex('first\nsecond\nthird\n'));
  });

  it('is printed before what it sends while that is written, of which nothing is lost', async () => {
    const { dial, cable } = await startOutlet();
    const holder = dial();
    await holder.send(LINE);
    const { wire, send } = dial(OTHER);
    await send('first\n');
    await holder.end();
    cable.shut();
    await send('second\n');
    await send(Buffer.concat([Buffer.from('third\n'), ASK(3)]));
    expect(wire.received).toEqual([0x13]);
    cable.open();
    await send('fourth\n');
    await send('');
    expect(cable.sent()).toBe(hex(LINE) + hex('first\nsecond\nthird\nfourth\n'));
  });

  it('is read up to 16 KiB, and more waits unread', async () => {
    const { dial, cable, counters } = await startOutlet();
    const holder = dial();
    await holder.send(LINE);
    const before = counters.bytes;
    const { wire, send } = dial(OTHER);
    const part = Buffer.alloc(8191, 'x');
    await send(part);
    await send(part);
    expect([wire.paused, counters.bytes - before]).toEqual([false, 16_382]);
    await send(Buffer.concat([Buffer.from('yz\n'), ASK(2)]));
    expect([wire.paused, wire.received]).toEqual([true, [0x12]]);
    await holder.end();
    for (let turn = 0; turn < 5; turn += 1) await send('');
    expect([wire.paused, cable.sent()]).toEqual([false, hex(LINE) + hex(part) + hex(part) + hex('yz\n')]);
  });

  it('is read from the beginning of a command, where it has let others in before', async () => {
    const { dial, pass } = await startOutlet({ idleTimeoutSeconds: 1 });
    const { wire, send } = dial();
    await send(Buffer.concat([LINE, bytes('1d49')]));
    await pass(1000);
    const holder = dial(OTHER);
    await holder.send(LINE);
    // The rest of GS I, and text.
    await send('\x10A\x10\x04\x01');
    await holder.end();
    await send('');
    expect(wire.received).toEqual([0x11]);
  });
});
