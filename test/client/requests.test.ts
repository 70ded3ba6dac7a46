import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { NodeClient, NodeError } from '../../runtime/client/client.ts';
import { compose } from '../../runtime/kernel/composition.ts';
import { CORE_ERRORS } from '../../runtime/kernel/core-errors.ts';
import { twinPlugins } from '../plugins.ts';
import { type Printing, printsOnce, refused } from './refusals.ts';
import { collectGarbage, nowhere, serve } from './server.ts';

const command = { id: '1', endpoint: 'receipt' } as const;
/** Every call of the printer's room that makes it do something. */
const printing: Printing = {
  print: (client) => client.print({ ...command, type: 'print', lines: [{ type: 'cut' }] }),
  raw: (client) => client.raw({ ...command, type: 'raw', data: 'AA==' }),
  kickDrawer: (client) => client.kickDrawer({ ...command, type: 'drawer_kick' }),
};

describe('what prints', () => {
  printsOnce(printing);

  it('has not printed where nobody was there to be asked', async () => {
    const error = await refused(printing['print']!(new NodeClient({ url: await nowhere() })));
    expect([error.code, error.retry, error.mayHavePrinted]).toEqual(['unreachable', 'yes', false]);
  });

  it('is sent by POST: what is read of the same path is no result of a command', async () => {
    const server = await serve((_, response) => response.end('{"known":true}'));
    const client = new NodeClient({ url: server.url });
    expect(await client.request('GET', '/print')).toEqual({ known: true });
    expect((await refused(client.request('POST', '/print', {}))).code).toBe('bad_answer');
    const broken = await serve((request) => request.socket.destroy());
    const error = await refused(new NodeClient({ url: broken.url }).request('GET', '/print'));
    expect([error.retry, error.mayHavePrinted]).toEqual(['yes', false]);
  });

  it("may have printed where the answer breaks off, or is not a node's", async () => {
    const half = await serve((_, response) => {
      response.writeHead(200, { 'Content-Length': 100 }).write('{"ok":');
      setImmediate(() => response.destroy());
    });
    const cut = await refused(printing['print']!(new NodeClient({ url: half.url })));
    expect([cut.code, cut.mayHavePrinted]).toEqual(['unreachable', true]);
    const portal = await serve((_, response) => response.end('<html>Log in</html>'));
    const page = await refused(printing['print']!(new NodeClient({ url: portal.url })));
    expect([page.code, page.status, page.mayHavePrinted]).toEqual(['bad_answer', 200, true]);
    for (const body of ['{}', 'null', '[]', '{"ok":"yes"}']) {
      const stranger = await serve((_, response) => response.end(body));
      const answer = await refused(printing['print']!(new NodeClient({ url: stranger.url })));
      expect([body, answer.code, answer.mayHavePrinted]).toEqual([body, 'bad_answer', true]);
    }
  });
});

describe('a read', () => {
  it('is made again after a break and after a refusal that passes, a few times', async () => {
    let left = 2;
    const server = await serve((request, response) => {
      left -= 1;
      if (left === 1) request.socket.destroy();
      else if (left === 0) response.writeHead(500).end('{"ok":false,"error":"record_alloc_failed"}');
      else response.end('{"devices":[]}');
    });
    expect(await new NodeClient({ url: server.url }).unknownDevices()).toEqual({ devices: [] });
    expect(server.requests).toHaveLength(3);
  });

  it('is given up after three times', async () => {
    const server = await serve((request) => request.socket.destroy());
    expect((await refused(new NodeClient({ url: server.url }).status())).code).toBe('unreachable');
    expect(server.requests).toHaveLength(3);
  });

  it('ends when it is aborted in the middle of its answer, also after what fetch had in memory was collected', async () => {
    const half = await serve((_, response) => response.writeHead(200, { 'Content-Length': 100 }).write('{"ok":'));
    const controller = new AbortController();
    let begins = () => {};
    const begun = new Promise<void>((resolve) => {
      begins = resolve;
    });
    const get: typeof fetch = (...call) => fetch(...call).finally(begins);
    const status = new NodeClient({ url: half.url, fetch: get }).status({ signal: controller.signal });
    await begun;
    await collectGarbage();
    controller.abort(new Error('enough'));
    await expect(status).rejects.toThrow('enough');
  });

  it('is made once where the error table says no, and never outlives its time', async () => {
    const no = await serve((_, response) => response.writeHead(409).end('{"ok":false,"error":"no_printer"}'));
    expect((await refused(new NodeClient({ url: no.url }).status())).code).toBe('no_printer');
    expect(no.requests).toHaveLength(1);
    const silent = await serve(() => {});
    // Its time may be over before the server has heard of it.
    let made = 0;
    const get: typeof fetch = (...call) => {
      made += 1;
      return fetch(...call);
    };
    const client = new NodeClient({ url: silent.url, timeoutMs: 50, fetch: get });
    expect([(await refused(client.status())).detail, made]).toEqual([expect.stringMatching(/within 50 ms/), 1]);
  });

  it('is made once where it would write, and breaks', async () => {
    const server = await serve((request) => request.socket.destroy());
    await refused(new NodeClient({ url: server.url }).rename('Till 1'));
    expect(server.requests).toHaveLength(1);
  });
});

describe('a call', () => {
  it('that is aborted ends at once with the reason of its signal', async () => {
    const server = await serve(() => controller.abort(new Error('enough')));
    const controller = new AbortController();
    const { signal } = controller;
    const client = new NodeClient({ url: server.url });
    await expect(client.print({ ...command, type: 'print', lines: [{ type: 'cut' }] }, { signal })).rejects.toThrow(
      'enough',
    );
    await expect(client.status({ signal })).rejects.toThrow('enough');
    expect(server.requests).toHaveLength(1);
  });

  it('shows the API key, and no other key that it has', async () => {
    const server = await serve((_, response) => response.end('{"ok":true}'));
    const client = new NodeClient({ url: `${server.url}/`, apiKey: 'the api key', updateKey: 'the update key' });
    await client.status();
    expect(server.requests.map(({ url, headers }) => [url, headers['x-node-api-key'], headers.authorization])).toEqual([
      ['/status', 'the api key', undefined],
    ]);
  });

  it('follows no redirection, so that no key goes elsewhere', async () => {
    const other = await serve((_, response) => response.end('{}'));
    const server = await serve((_, response) => response.writeHead(307, { Location: `${other.url}/status` }).end());
    await refused(new NodeClient({ url: server.url, apiKey: 'the api key' }).rename('x'));
    expect(other.requests).toEqual([]);
  });

  it('keeps its keys out of every error', async () => {
    expect(() => new NodeClient({ url: 'http://node', apiKey: 'secret\nkey' })).toThrow(/^a key contains characters/);
    const error = await refused(
      new NodeClient({ url: await nowhere(), apiKey: 'secret', updateKey: 'secret' }).rename('x'),
    );
    expect(`${error.stack}${JSON.stringify(error)}`).not.toContain('secret');
  });

  it('refuses an answer without an end', async () => {
    const server = await serve((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(1024 * 1024)));
        response.once('drain', more);
      };
      more();
    });
    const error = await refused(new NodeClient({ url: server.url }).twin.paper());
    expect([error.code, error.detail]).toEqual(['bad_answer', 'over 33554432 bytes']);
  });
});

describe('a NodeError', () => {
  it('says of every code of the twin what the error table says', () => {
    const { errors } = compose(twinPlugins, CORE_ERRORS);
    expect(errors.size).toBeGreaterThan(40);
    for (const { code, status, retry, meaning } of errors.values()) {
      expect(new NodeError(code, status)).toMatchObject({ retry, meaning });
    }
  });

  it('advises against repeating what it does not know', () => {
    expect(new NodeError('of_tomorrow', 418)).toMatchObject({ retry: 'no', meaning: undefined, mayHavePrinted: false });
  });
});

describe('a fetch that is not the platform’s', () => {
  const answered = {
    ok: true,
    type: 'command_result',
    commandId: '1',
    endpoint: 'receipt',
    outcome: 'accepted',
    bytes: 1,
  };

  /** What React Native gives: the whole body, and none as it arrives. */
  const withoutStreams: typeof fetch = async (...args) => {
    const response = await fetch(...args);
    const text = await response.text();
    const { ok, status, headers } = response;
    const whole = { ok, status, headers, text: async () => text, blob: async () => new Blob([text]) };
    return whole as unknown as Response;
  };
  /** What node-fetch gives: a stream of Node. */
  const withStreamsOfNode: typeof fetch = async (...args) => {
    const { ok, status, headers, body } = await fetch(...args);
    return { ok, status, headers, body: body === null ? null : Readable.fromWeb(body as never) } as unknown as Response;
  };

  it.each([
    ['gives bodies whole', withoutStreams],
    ['gives streams of Node', withStreamsOfNode],
  ])('prints, reads and is refused as any other: %s', async (_, own) => {
    const server = await serve((request, response) => {
      if (request.url === '/status') response.end('{"ok":true}');
      else if (request.url === '/print') response.end(JSON.stringify(answered));
      else response.writeHead(422).end('{"ok":false,"error":"unknown_endpoint"}');
    });
    const client = new NodeClient({ url: server.url, fetch: own });
    expect(await printing['print']!(client)).toEqual(answered);
    expect(await client.status()).toEqual({ ok: true });
    const error = await refused(printing['raw']!(client));
    expect([error.code, error.mayHavePrinted]).toEqual(['unknown_endpoint', false]);
  });

  it('cannot follow events where it gives no body as it arrives, and says so', async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end('retry: 3000\n');
    });
    const events = new NodeClient({ url: server.url, fetch: withoutStreams }).events();
    expect((await refused(events.next())).detail).toBe('this fetch gives no body as it arrives');
  });
});
