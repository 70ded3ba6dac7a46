/** What the printer answers to a client of port 9100: the client that asked gets it, and no other one. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PrintingNode, startPrintingNode, until } from '../../../node.ts';

let node: PrintingNode;
beforeEach(async () => {
  node = await startPrintingNode();
  node.printer.tearOff();
});
afterEach(() => node.stop());

/** GS I 67: the model, as 5F text 00. */
const WHO = '\x1dIC';
const onPaper = (words: string) => until(() => Buffer.from(node.printer.paperBytes()).includes(words, 'latin1'));
/** All that a client reads until the node ends the connection. */
const read = (socket: Socket) => buffer(socket).then((bytes) => bytes.toString('latin1'));

describe('answers', () => {
  it.each([
    ['GS I', `\x1b@${WHO}line\n`, /^_[\w -]+\0$/],
    ['GS r', '\x1b@\x1dr\x01line\n', /^.$/s],
  ])('to %s are read by a client that has ended its side with the last byte', async (_, job, answered) => {
    for (let time = 0; time < 5; time += 1) {
      const socket = await node.dial();
      const answers = read(socket);
      socket.end(job, 'latin1');
      expect(await answers).toMatch(answered);
    }
  });

  it('go to the client that asked, and none to the one that waited behind it', async () => {
    for (let time = 0; time < 3; time += 1) {
      const asking = await node.dial();
      const asked = read(asking);
      asking.write('first\n');
      await onPaper('first\n');
      const waiting = await node.dial('127.0.0.2');
      const heard = read(waiting);
      waiting.write('second\n');
      await new Promise(setImmediate);
      asking.end(WHO.repeat(3), 'latin1');
      expect((await asked).split('\0')).toHaveLength(4);
      await onPaper('second\n');
      waiting.end();
      expect(await heard).toBe('');
      node.printer.tearOff();
    }
  });

  it('that come by themselves go to a client that has switched them on, and to no other one', async () => {
    const asking = await node.dial();
    asking.write('\x1da\xff', 'latin1');
    await once(asking, 'data');
    asking.end();
    const other = await node.dial('127.0.0.2');
    const heard = read(other);
    other.write('second\n');
    await onPaper('second\n');
    node.printer.set({ drawer: 'open' });
    // What it asks itself comes behind that.
    other.end(WHO, 'latin1');
    expect(await heard).toMatch(/^_[\w -]+\0$/);
  });

  it.each([
    ['GS a, until it switches them off', '\x1da\xff', '\x1da\0'],
    ['DLE DC4 7', '\x10\x14\x07\x01', ''],
  ])('that are of the automatic status reach who asked by %s', async (_, ask, last) => {
    const socket = await node.dial();
    const heard: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => heard.push(chunk));
    socket.write(`\x1b@line\n${ask}`, 'latin1');
    await until(() => Buffer.concat(heard).length === 4);
    socket.end(last, 'latin1');
    await until(() => socket.closed);
  });

  it.each([
    ['GS I', '\x1dI\x01'],
    ['DLE EOT', '\x10\x04\x01'],
  ])('to %s cost a client that closes its socket without reading them nothing of its receipt', async (_, question) => {
    node.printer.set({ slow: 500_000 });
    const picture = `\x1dv0\0\x48\0\x18\0${'\x55'.repeat(72 * 24)}`;
    const socket = await node.dial();
    // What it has not read makes its system answer with a reset.
    socket.pause();
    await new Promise((sent) => socket.write(`\x1b@${question}${picture.repeat(400)}tail\n`, 'latin1', sent));
    socket.destroy();
    await onPaper('tail\n');
  });
});
