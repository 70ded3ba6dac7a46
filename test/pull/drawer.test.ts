/** Pulses that come in pieces: none opens a drawer that is not allowed, however they are spread. */
import { beforeEach, describe, expect, it } from 'vitest';
import { keptShut } from '../../runtime/pull/drawer.ts';
import { type PrintingNode, startPrintingNode, until } from '../node.ts';
import { randomFrom } from '../random.ts';
import { startPull } from './pulling.ts';
import { type OdooServer, odooServer } from './servers.ts';

const hex = (digits: string) => Buffer.from(digits.replace(/\s/g, ''), 'hex');

describe('bytes of a server that may not open the drawer', () => {
  it.each([
    ['a pulse', '1b70 0019fa'],
    ['a pulse around a command that printers take out of the stream', '1b 100401 70 0019fa'],
    ['a real-time pulse', '1014 010001'],
    ['BEL', '4107'],
    ['a macro', '1d3a 41 1d3a'],
    ['a macro that is run', '1d5e 010001'],
    ['another language of the printer', '1f1b1f fc 010203 33'],
  ])('are refused: %s', (_, digits) => {
    expect(keptShut(hex(digits))).toHaveProperty('fault', expect.stringContaining('not allowed'));
  });

  it.each([
    ['ESC', '1b'],
    ['DLE', '10'],
    ['GS', '1d'],
    ['the head of an image', '1d763000 ff00 ff00'],
    ['a part of a symbol', '1d286b 0300 31'],
    ['page mode', '1b4c 41'],
    ['a printer that is deselected', '1b3d02'],
  ])('are refused where they leave open %s', (_, digits) => {
    expect(keptShut(hex(digits))).toHaveProperty('fault', expect.stringContaining('leaves open'));
  });

  it.each([
    ['feed of 16 lines', '1b6410'],
    ['spacing of 27 dots', '1b331b'],
    ['a command that nobody knows', '1b78'],
  ])('end with NULs where a printer may expect more: %s', (_, digits) => {
    const shut = keptShut(hex(digits));
    expect('bytes' in shut && Buffer.from(shut.bytes).toString('hex')).toBe(`${digits}0000000000000000`);
  });

  it('are sent as they are where they are whole', () => {
    for (const digits of ['1b40 3c613e0a', '1d5600', '1d763000 0100 0200 0711'])
      expect(keptShut(hex(digits))).toEqual({ bytes: hex(digits) });
  });
});

describe('the drawer of a printer', () => {
  let node: PrintingNode;
  let server: OdooServer;
  beforeEach(async () => {
    node = await startPrintingNode();
    server = await odooServer();
    return async () => {
      await server.close();
      await node.stop();
    };
  });

  const PULSES = ['1b700019fa', '1b7001ffff', '1014010001', '10140201', '10140801031401060208', '07', '1b07'];
  const BEFORE = [
    '',
    '',
    '1b40',
    '41',
    '1d3a',
    '1b3d00',
    '1d76300001000100',
    '1b4c',
    '1b331b',
    '1b6410',
    '1f1b1f',
    '1b78',
  ];
  const BEHIND = ['', '', '0a', '1d3a1d5e010001', '1b3d01', '0c'];
  const BETWEEN = ['', '', '<text></text>', '<text>p0abc&#10;</text>', '<feed/>', '<cut/>'];
  const SEED = 35;

  it(`stays shut, whatever splices of pulses come in whatever number of elements and jobs, seed ${SEED}`, async () => {
    const random = randomFrom(SEED);
    const any = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
    const jobs = new Set(Array.from({ length: 4 }, (_, n) => `plain-${n}`));
    for (let run = 0; run < 100; run += 1) {
      let left = `${any(BEFORE)}${any(PULSES)}${any(BEHIND)}`;
      let body = '';
      for (let job = 0; left !== ''; ) {
        const bytes = 2 * (1 + Math.floor(random() * 3));
        body += `<command>${left.slice(0, bytes)}</command>${any(BETWEEN)}`;
        left = left.slice(bytes);
        if (left !== '' && random() < 0.6) continue;
        const id = `${run}-${job}`;
        job += 1;
        jobs.add(id);
        server.queue.push({ id, body });
        body = '';
      }
    }
    for (const id of jobs) if (id.startsWith('plain')) server.queue.push({ id, body: '<text>plain&#10;</text>' });
    await startPull({ server: server.url, node: node.url, protocol: 'sdp' });
    await until(() => server.heard.length === jobs.size);
    expect([node.printer.state.drawer, node.printer.pulses]).toEqual(['closed', []]);
    const printed = server.heard.filter(({ success }) => success);
    expect(printed.filter(({ id }) => id?.startsWith('plain'))).toHaveLength(4);
    // Some of them are whole, and printed.
    expect(printed.length).toBeGreaterThan(10);
  });

  it.each([
    ['two elements of a job', ['<command>1b</command><command>700019fa</command>']],
    ['two jobs', ['<command>1b</command>', '<command>700019fa</command>']],
    [
      'a macro of another job',
      ['<command>1d3a1b1d3a</command>', '<command>1d5e010001</command><command>700019fa</command>'],
    ],
  ])('stays shut where a pulse comes in %s', async (_, bodies) => {
    for (const [n, body] of bodies.entries()) server.queue.push({ id: `${n}`, body });
    await startPull({ server: server.url, node: node.url, protocol: 'sdp' });
    await until(() => server.heard.length === bodies.length);
    expect([node.printer.state.drawer, node.printer.pulses]).toEqual(['closed', []]);
    expect(server.heard[0]).toMatchObject({
      success: false,
      code: 'SchemaError',
      detail: expect.stringMatching(/^command: /),
    });
  });
});
