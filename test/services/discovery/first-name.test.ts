/** A node that had to take another name: how it is told, and its way back. */
import { describe, expect, it } from 'vitest';
import { createResponder, find, HOST, IDENTITY, LAN, NAME, PDL, PEER, settled, wait } from './responder.ts';

const SECOND_HOST = 'node-1a2b3c4d-2.local';
const MINUTE_MS = 60_000;
const theirHost = { name: HOST, type: 'A', ttl: 120, flush: true, data: '192.0.2.9' } as const;
const theirService = { name: PDL, type: 'SRV', ttl: 120, flush: true, data: { port: 515, target: 'o.local' } } as const;

async function renamed(theirs: typeof theirHost | typeof theirService, afterMs: number) {
  const made = createResponder();
  await made.responder.use([LAN]);
  void made.responder.show(IDENTITY);
  await wait(afterMs);
  made.wire.say({ type: 'response', answers: [theirs] });
  await wait(5000);
  expect(made.responder.standing.state).toBe('renamed');
  return made;
}
const renamedHost = () => renamed(theirHost, 400);
const renamedService = () => renamed(theirService, 1400);

describe('a node whose rival is gone for ten minutes', () => {
  it('takes the first host name back, with a goodbye to the second', async () => {
    const { wire, responder, names } = await renamedHost();
    wire.take();
    await wait(9 * MINUTE_MS);
    expect(names).toEqual([SECOND_HOST]);
    wire.take();
    await wait(2 * MINUTE_MS);
    expect(names).toEqual([SECOND_HOST, HOST]);
    const sent = wire.take();
    expect(find(sent, 'A', SECOND_HOST)?.ttl).toBe(0);
    expect(find(sent, 'A', HOST)?.ttl).toBe(120);
    expect(find(sent, 'SRV', PDL)?.data).toMatchObject({ target: HOST });
    expect(responder.standing).toMatchObject({ state: 'announced', name: HOST });
  });

  it('takes the first name of its services back, all of them', async () => {
    const { wire, responder } = await renamedService();
    await wait(11 * MINUTE_MS);
    const sent = wire.take();
    expect(find(sent, 'SRV', `${NAME} (2)._http._tcp.local`)).toBeDefined();
    expect(responder.standing).toMatchObject({ state: 'announced', instances: [NAME] });
    wire.ask(PDL, 'SRV');
    await wait(11);
    expect(find(wire.take(), 'SRV', PDL)?.data).toMatchObject({ port: 9100 });
  });

  it('has asked for it once a minute until then, and leaves it while it is answered', async () => {
    const { wire, names } = await renamedHost();
    wire.take();
    for (let minute = 0; minute < 30; minute += 1) {
      await wait(MINUTE_MS);
      const asked = wire.take().filter(({ questions }) => questions[0]?.name === HOST);
      expect(asked).toMatchObject([{ response: false, authorities: [] }]);
      wire.say({ type: 'response', answers: [theirHost] });
    }
    expect(names).toEqual([SECOND_HOST]);
    await wait(11 * MINUTE_MS);
    expect(names).toEqual([SECOND_HOST, HOST]);
  });

  it('leaves it again to one who came back meanwhile', async () => {
    const { wire, names } = await renamedHost();
    await wait(9 * MINUTE_MS);
    wire.take();
    while (!wire.sent.some(({ authorities }) => authorities.some(({ name }) => name === HOST))) await wait(100);
    wire.say({ type: 'response', answers: [theirHost] });
    await wait(3000);
    expect(names).toEqual([SECOND_HOST, SECOND_HOST]);
    await wait(11 * MINUTE_MS);
    expect(names.at(-1)).toBe(HOST);
  });

  it('asks for nothing more once it has it', async () => {
    const { wire } = await renamedHost();
    await wait(12 * MINUTE_MS);
    wire.take();
    await wait(20 * MINUTE_MS);
    expect(wire.take()).toEqual([]);
  });
});

describe('the state of discovery', () => {
  it('is off without a link, then probing, then announced, each since it is so', async () => {
    const { responder } = createResponder();
    expect(responder.standing).toMatchObject({ state: 'off', name: HOST });
    await responder.use([LAN]);
    const begun = performance.now();
    void responder.show(IDENTITY);
    expect(responder.standing).toMatchObject({ state: 'probing', since: begun });
    await wait(10_000);
    expect(responder.standing).toMatchObject({ state: 'announced', name: HOST, instances: [NAME] });
    const { since } = responder.standing;
    expect(since).toBeGreaterThan(begun);
    await wait(10_000);
    expect(responder.standing.since).toBe(since);
    await responder.use([]);
    expect(responder.standing).toMatchObject({ state: 'off', since: performance.now() });
  });

  it('is probing while a name that was its own is disputed', async () => {
    const { responder, wire } = await settled();
    wire.say({ type: 'response', answers: [theirHost] }, PEER);
    expect(responder.standing.state).toBe('probing');
    await wait(5000);
    expect(responder.standing.state).toBe('announced');
  });
});
