/** What a call of the client is refused with, and the sentences that hold for every call that prints. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { NodeClient, NodeError } from '../../runtime/client/client.ts';
import { serve } from './server.ts';

/** What `answer` is rejected with; fails where it is answered, or rejected with something else. */
export const refused = async (answer: Promise<unknown>): Promise<NodeError> => {
  const error = await answer.then(
    () => expect.fail('was answered'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(NodeError);
  return error as NodeError;
};

/** Calls that make the printer do something, by their name. */
export type Printing = Readonly<Record<string, (client: NodeClient) => Promise<unknown>>>;

/** Declares the tests of `printing`; each room whose calls print runs them for its own. */
export function printsOnce(printing: Printing): void {
  it.each(Object.entries(printing))(
    '%s is sent once when the connection breaks, and may have printed',
    async (_, call) => {
      const server = await serve((request) => request.socket.destroy());
      const error = await refused(call(new NodeClient({ url: server.url })));
      expect([error.code, error.status, error.retry, error.mayHavePrinted]).toEqual(['unreachable', 0, 'no', true]);
      expect(server.requests).toHaveLength(1);
    },
  );

  it.each(Object.entries(printing))('%s is sent once when no answer comes in time', async (_, call) => {
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const server = await serve(({ url }, response) => (url === '/behind' ? response.end() : arrive()));
    /** How many have come: what was sent before a request of the test's own is there before it. */
    const sent = async () => {
      await (await fetch(`${server.url}/behind`)).text();
      return server.requests.filter(({ url }) => url !== '/behind').length;
    };
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const answer = refused(call(new NodeClient({ url: server.url, timeoutMs: 100 })));
    await arrived;
    expect(await sent()).toBe(1);
    vi.advanceTimersByTime(100);
    const error = await answer;
    expect([error.code, error.mayHavePrinted]).toEqual(['unreachable', true]);
    expect(await sent()).toBe(1);
  });

  it('is sent once when the node says that it is about to restart, and did not print', async () => {
    const server = await serve((_, response) => response.writeHead(503).end('{"ok":false,"error":"restarting"}'));
    for (const call of Object.values(printing)) {
      const error = await refused(call(new NodeClient({ url: server.url })));
      expect([error.code, error.status, error.retry, error.mayHavePrinted]).toEqual(['restarting', 503, 'yes', false]);
    }
    expect(server.requests).toHaveLength(Object.keys(printing).length);
  });

  it.each([
    ['write_failed', true, {}],
    ['write_failed', true, { bytes: 1 }],
    ['write_failed', false, { bytes: 0 }],
    ['busy', false, {}],
    ['internal', false, {}],
    ['no_printer', false, {}],
  ])('may have printed after %s: %s', async (code, mayHavePrinted, rest) => {
    const server = await serve((_, response) =>
      response.writeHead(409).end(JSON.stringify({ ok: false, error: code, ...rest })),
    );
    for (const call of Object.values(printing))
      expect((await refused(call(new NodeClient({ url: server.url })))).mayHavePrinted).toBe(mayHavePrinted);
  });
}
