/** No byte sent to port 9100 opens the till: what left the node, as the printer took it. */
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type PrintingNode, startPrintingNode, until } from '../../../node.ts';

let node: PrintingNode;
afterEach(() => node.stop());

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const taken = () => Buffer.from(node.printer.paperBytes());
/** Where a drawer would open on some printer: ESC p, DLE DC4 1, 2 and 8, wherever they stand. */
const triggers = () =>
  taken()
    .toString('hex')
    .match(/(..)*?(1b70|1014(01|02|08))/g) ?? [];
const kick = () => node.send('POST', '/drawer/kick', { type: 'drawer_kick', id: 'k', endpoint: 'receipt' });

async function start(): Promise<void> {
  node = await startPrintingNode();
  node.printer.tearOff();
}

async function job(hex: string): Promise<void> {
  const socket = await node.dial();
  // One that ends inside a command is reset.
  socket.on('error', () => {});
  socket.resume();
  socket.end(bytes(hex));
  await new Promise((resolve) => socket.once('close', resolve));
}

/** A connection that holds the printer with this, and is idle until it yields. */
async function idleHolder(hex: string): Promise<Socket> {
  const socket = await node.dial();
  socket.on('error', () => {});
  socket.write(bytes(hex));
  return socket;
}

describe('DLE EOT of ink printers', () => {
  it.each([
    ['whose fourth byte would be the start of a pulse', '41 1004071b700019fa 0a', '410a'],
    ['whose fourth byte would be the start of a real-time pulse', '41 1004071014010001 0a', '410a'],
    ['before BEL', '41 10040701 0a', '410a'],
    ['with a number nobody has', '41 10040942 0a', '41420a'],
  ])('%s is taken out whole, and nothing after it', async (_, sent, left) => {
    await start();
    await job(sent);
    expect(taken().toString('hex')).toBe(left);
  });
});

describe('a header that some printers do not take', () => {
  it.each([
    ['ESC & of two bytes a column', '1b26 02 4142 05 1b700019fa0041424344'],
    ['ESC * of a density that a model lacks', '1b2a 21 0200 1b700019faff'],
    ['GS v 0 over the size a model takes', `1d7630 00 0500 0108 1b700019fa${'00'.repeat(5 * 2048)}`],
    ['FS g behind text', '41 1c6731 00 00000000 0500 1b700019fa'],
  ])('%s hides no pulse in what it counts', async (_, sent) => {
    await start();
    await job(`${sent} 0a`);
    expect(triggers()).toEqual([]);
    expect(taken().length).toBeGreaterThanOrEqual(bytes(sent).length);
  });
});

describe('a holder that yields', () => {
  it.each([
    ['inside a command', '1b2110', '14010001'],
    ['inside a character', '81', '1b211b700019fa'],
    ['after an unknown command', '1b99', '1b211b700019fa'],
  ])(
    '%s leaves nothing for the next one to complete',
    async (_, first, second) => {
      await start();
      await node.idleAfter(0.1);
      const holder = await idleHolder(`410a ${first}`);
      await until(() => taken().includes('A\n'));
      await job(`${second} 0a`);
      expect(triggers()).toEqual([]);
      holder.destroy();
    },
    20_000,
  );
});

describe('commands and counts that printers do not share:', () => {
  it('ESC Z of POS80B takes its payload with it', async () => {
    await start();
    await job('1b5a0503030200 1b21 1b700019fa 0a');
    expect(taken().toString('hex')).toBe('1b5a05030302001b210a');
  });

  it.each([
    ['UTF-8', 'f041 1b211b700019fa'],
    ['GB18030', '8130 1b211b700019fa'],
  ])('a printer that counts characters of %s sees no pulse', async (_, sent) => {
    await start();
    await job(`${sent} 0a`);
    expect(triggers()).toEqual([]);
  });

  it('a kick of the node gets into no macro', async () => {
    await start();
    await job('1d3a');
    await kick();
    await job('1d3a 811d3a 1d5e010000');
    expect(taken().toString('hex')).toMatch(/^1b7000....1d3a810000001d3a1d5e0100000a$/);
    expect(node.printer.pulses).toHaveLength(1);
  });

  it('a macro longer than a printer can keep is none', async () => {
    await start();
    await job(`1d3a ${'41'.repeat(2049)} 1d3a 1d5e010000 0a`);
    expect(taken().includes(bytes('1d5e'))).toBe(false);
  });
});

describe('parameters that spell a pulse', () => {
  it.each([
    ['GS !', '1d21 1b70 0019fa'],
    ['ESC D', '1b44 1b70 00'],
    ['a dropped pulse, then ESC !', '1b 1b700019fa 1b21 1b70'],
    ['a payload that ends in ESC before text', '1d284b0100 1b 70 0019fa'],
    ['a real-time command between ESC and p', '1d21 1b 1005 02 70 0019fa'],
    ['the size of an image', '1d7630 00 1000 1401'],
    ['the size of another image', '1d7630 00 1014 0100'],
  ])('open no drawer: %s', async (_, sent) => {
    await start();
    await job(`${sent} 0a`);
    expect(triggers()).toEqual([]);
    // A printer that takes real-time commands out of what it reads.
    expect(taken().toString('hex').replace('100502', '')).not.toContain('1b70');
  });

  it('two connections do not make one together, nor a connection and a raw command', async () => {
    await start();
    await job('1d211b');
    await node.send('POST', '/raw', {
      type: 'raw',
      id: 'r',
      endpoint: 'receipt',
      data: bytes('7000').toString('base64'),
    });
    await job('1d211b');
    await job('700019fa');
    expect(triggers()).toEqual([]);
  });
});

describe('the last line of a job', () => {
  it('gets the LF it forgot, so that the next job does not wipe it', async () => {
    await start();
    await job(Buffer.from('TOTAL 5.00').toString('hex'));
    await job('1b40 41 0a');
    expect(node.printer.paperText()).toContain('TOTAL 5.00');
  });

  it.each(['410a', '41 0d0a', '1b4c 41 0c', '1d7630 00 0100 0100 ff', '41 0a 1d5600', '41 1b6403'])(
    'that is empty, or of a page that was printed, stays as it is: %s',
    async (sent) => {
      await start();
      await job(sent);
      expect(taken()).toEqual(bytes(sent));
    },
  );

  it('of a page that nobody printed goes with the job: the next one is not kept in it', async () => {
    await start();
    await job('1b4c 41');
    expect(taken()).toEqual(bytes('1b4c 41 1b53'));
  });
});
