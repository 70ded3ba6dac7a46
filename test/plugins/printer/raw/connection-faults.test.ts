/** One connection of port 9100 whose printer fails, or in which the node itself does. */
import { describe, expect, it, vi } from 'vitest';
import { LINE } from '../jobs/cable.ts';
import { hex, ME, startOutlet } from './wire.ts';

describe('a fault of the node', () => {
  it('before the first byte is said to be one of the node, and nothing of the printer', async () => {
    const { cable, counters, listed, node, dial } = await startOutlet();
    const { wire, send } = dial();
    node.recording = true;
    node.hooks.transfer.call = () => {
      throw new Error('the ring');
    };
    await send(LINE);
    expect([cable.sent(), wire.did, counters.refused]).toEqual(['', ['reset'], 1]);
    expect(listed[1]).toMatchObject({ error: 'internal' });
  });

  it('in the turn of a connection keeps the printer from nobody', async () => {
    const { cable, node, dial } = await startOutlet();
    const [first, second] = [dial('a'), dial('b')];
    await first.send(LINE);
    await second.send('second\n');
    node.recording = true;
    node.hooks.transfer.call = () => {
      node.recording = false;
      throw new Error('the ring');
    };
    await first.send(LINE);
    expect([first.wire.did, cable.sent().endsWith(hex('second\n'))]).toEqual([['reset'], true]);
  });
});

describe('a printer that fails', () => {
  it('while the first bytes of a connection are held back ends it with nothing to come', async () => {
    const { cable, listed, dial } = await startOutlet();
    const { wire, send, end } = dial();
    await send('GE');
    cable.failAfter(0);
    await end();
    expect([wire.did, vi.getTimerCount()]).toEqual([['reset'], 0]);
    expect(listed[1]).toMatchObject({ error: 'write_failed' });
  });

  it.each([
    ['has taken a part', 5, 'write_failed'],
    ['has taken nothing', 0, 'write_failed'],
  ])('and %s ends the job and resets the connection', async (_, count, error) => {
    const { cable, counters, listed, warned, printer, dial } = await startOutlet();
    const { wire, send } = dial();
    cable.failAfter(count);
    await send(LINE);
    expect([wire.did, cable.outlet.heldBy, printer.refreshed]).toEqual([['reset'], undefined, 1]);
    expect(warned).toMatchObject([[{}, 'job on port 9100 was cut short']]);
    expect(listed).toEqual([ME, { from: ME, error, pulsesDropped: 0 }]);
    await send(LINE);
    expect([listed.length, counters.bytes]).toEqual([2, LINE.length]);
  });

  it('prints nothing of what was read behind the bytes that it did not take', async () => {
    const { cable, counters, dial } = await startOutlet();
    const { send } = dial();
    cable.shut();
    await send(LINE);
    await send(Buffer.alloc(65_536, 'x'));
    await send('y');
    cable.failAfter(0);
    cable.open();
    await send('');
    expect([cable.sent(), counters.bytes]).toEqual(['', LINE.length + 65_536]);
  });

  it('and goes behind the first byte may have printed it, also where its client went before', async () => {
    const { cable, listed, dial } = await startOutlet();
    const { send, go } = dial();
    cable.shut();
    await send('x');
    await send(LINE);
    await go();
    cable.outlet.close();
    cable.open();
    await send('');
    expect([cable.sent(), listed[1]]).toMatchObject([hex('x'), { error: 'write_failed' }]);
  });

  it('and is gone has printed nothing of who waits for it', async () => {
    const { cable, counters, listed, dial } = await startOutlet();
    const { wire, send } = dial();
    cable.outlet.close();
    await send(LINE);
    expect([wire.did, counters.refused]).toEqual([['reset'], 1]);
    expect(listed[1]).toMatchObject({ error: 'no_printer' });
  });
});
