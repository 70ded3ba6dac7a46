/** `tillnode find`: nodes that are heard may not be reached, or not by name. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sentencesAbout, withReach } from '../../../runtime/services/peers/reach.ts';

const heard = (id: string, address: string, port: number) => ({ id, address, url: `http://${address}:${port}` });

describe('tillnode find', () => {
  it('asks each node by its address', async () => {
    const server = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port: gone } = closed.address() as AddressInfo;
    closed.close();
    const nodes = await withReach([heard('0000000a', '127.0.0.1', port), heard('0000000b', '127.0.0.1', gone)]);
    expect(nodes.map(({ reached, nameWorks }) => [reached, nameWorks])).toEqual([
      [true, false],
      [false, false],
    ]);
  });

  it.each([
    [[], /^no node was heard.* keeps its devices apart/],
    [
      [{ ...heard('0000000a', '192.168.1.5', 80), reached: false, nameWorks: false }],
      /does not answer at 192\.168\.1\.5: .*guest/,
    ],
    [
      [{ ...heard('0000000a', '192.168.1.5', 80), reached: true, nameWorks: false }],
      /^names do not work here: use the address$/,
    ],
  ])('says what stands in the way: %j', (nodes, words) => {
    expect(sentencesAbout(nodes)).toEqual([expect.stringMatching(words)]);
  });

  it('says nothing where all is well, and tells of one id at two addresses', () => {
    const fine = { reached: true, nameWorks: true };
    expect(sentencesAbout([{ ...heard('0000000a', '192.168.1.5', 80), ...fine }])).toEqual([]);
    const two = ['192.168.1.5', '192.168.1.6'].map((address) => ({ ...heard('0000000a', address, 80), ...fine }));
    expect(sentencesAbout(two)).toEqual([expect.stringContaining('at 192.168.1.5 and 192.168.1.6')]);
  });
});
