import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Brake, givesWay } from '../../../runtime/services/discovery/conflict.ts';
import { createResponder, find, HOST, HTTP, IDENTITY, LAN, NAME, PDL, PEER, settled, WLAN, wait } from './responder.ts';

const theirHost = (data = '192.0.2.9') => ({ name: HOST, type: 'A', ttl: 120, flush: true, data }) as const;
const theirService = (name: string, port = 515) =>
  ({ name, type: 'SRV', ttl: 120, flush: true, data: { port, target: 'other.local' } }) as const;
const claim = (name: string, ...authorities: never[]) => ({
  type: 'query' as const,
  questions: [{ name, type: 'ANY' as 'A' }],
  authorities,
});

async function started() {
  const made = createResponder();
  await made.responder.use([LAN]);
  const shown = made.responder.show(IDENTITY);
  return { ...made, shown };
}

describe('a name that is somebody else’s', () => {
  it('of the host is left to it: node-<id>-2, then -3', async () => {
    const { wire, names } = await started();
    for (const name of [HOST, 'node-1a2b3c4d-2.local']) {
      await wait(400);
      wire.say({ type: 'response', answers: [{ ...theirHost(), name: name.toUpperCase() }] });
    }
    await wait(10_000);
    expect(names).toEqual(['node-1a2b3c4d-3.local']);
    const sent = wire.take().filter(({ response }) => response);
    expect(sent.flatMap(({ answers }) => answers).filter(({ name }) => name === HOST)).toEqual([]);
    expect(find(sent, 'SRV', HTTP)?.data).toMatchObject({ target: 'node-1a2b3c4d-3.local' });
  });

  it('of one service is left to it by all: they stay one name, with a number', async () => {
    const { wire, shown } = await started();
    await wait(1400);
    wire.say({ type: 'response', answers: [theirService(PDL)] });
    await wait(10_000);
    await shown;
    const sent = wire.take();
    expect(find(sent, 'SRV', `${NAME} (2)._pdl-datastream._tcp.local`)).toBeDefined();
    expect(find(sent, 'SRV', `${NAME} (2)._http._tcp.local`)).toBeDefined();
    expect(find(sent, 'SRV', PDL)).toBeUndefined();
    expect(find(sent, 'SRV', HTTP)).toBeUndefined();
  });

  it('a second time gets the next number, at the end of a name cut to 63 bytes', async () => {
    const { wire, responder } = createResponder();
    await responder.use([LAN]);
    const instance = 'é'.repeat(31);
    void responder.show({ ...IDENTITY, instance });
    await wait(1400);
    wire.say({ type: 'response', answers: [theirService(`${instance}._http._tcp.local`)] });
    await wait(1000);
    wire.say({ type: 'response', answers: [theirService(`${'é'.repeat(29)} (2)._http._tcp.local`)] });
    await wait(5000);
    expect(find(wire.take(), 'SRV', `${'é'.repeat(29)} (3)._http._tcp.local`)).toBeDefined();
  });

  it('is given up after fifteen of them in ten seconds for five seconds at a time', async () => {
    const { wire } = await started();
    let last = 0;
    const gaps: number[] = [];
    for (let conflict = 0; conflict < 18; ) {
      await wait(10);
      const [probe] = wire.take();
      if (probe === undefined) continue;
      gaps.push(probe.at - last);
      last = probe.at;
      conflict += 1;
      wire.say({ type: 'response', answers: [{ ...theirHost(), name: probe.questions[0]!.name }] });
    }
    expect(gaps[5]).toBeLessThan(300);
    expect(Math.min(...gaps.slice(15, 17))).toBeGreaterThanOrEqual(5000);
  });
});

describe('where two nodes claim one name at the same time,', () => {
  it('their records tell them apart: the later one has it', async () => {
    const { wire, names } = await started();
    await wait(300);
    wire.take();
    wire.say(claim(HOST, theirHost('192.0.2.1') as never));
    await wait(2000);
    expect(names).toEqual([HOST]);
  });

  it('the earlier one asks again a second later, and goes elsewhere once the other has answered', async () => {
    const { wire, names } = await started();
    await wait(300);
    wire.take();
    wire.say(claim(HOST, theirHost('192.0.2.200') as never, { ...theirHost('192.0.2.201'), name: HOST } as never));
    const lost = performance.now();
    await wait(999);
    expect(wire.take()).toEqual([]);
    await wait(1);
    expect(wire.take()).toMatchObject([{ at: lost + 1000, questions: [{ name: HOST }] }]);
    wire.say({ type: 'response', answers: [theirHost()] });
    await wait(3000);
    expect(names).toEqual(['node-1a2b3c4d-2.local']);
  });

  it('a service that loses does so too', async () => {
    const { wire } = await started();
    await wait(1400);
    wire.take();
    wire.say(claim(PDL, theirService(PDL, 65_535) as never));
    await wait(900);
    const sent = wire.take();
    expect(sent.flatMap(({ questions }) => questions)).toEqual([]);
    expect(find(sent, 'SRV', PDL)).toBeUndefined();
    await wait(10_000);
    expect(find(wire.take(), 'SRV', PDL)).toBeDefined();
  });

  it('the own claim of a node, heard over another link, is nobody else’s', async () => {
    const { wire, names } = await started();
    await wait(300);
    const [probe] = wire.take();
    wire.hear(probe!.bytes, PEER);
    await wait(1000);
    expect(names).toEqual([HOST]);
  });
});

/** RFC 6762, 8.2: its own example, and what its rules say of more than one record. */
describe('where two claim a name', () => {
  const record = (data: string) => ({ type: 'A', name: 'my-printer.local', ttl: 120, flush: true, data }) as const;
  const records = (...all: string[]) => all.map(record);
  it.each([
    ['the later first record', ['169.254.200.50'], ['169.254.99.200'], true],
    ['the earlier first record', ['169.254.99.200'], ['169.254.200.50'], false],
    ['the later second record', ['192.0.2.1', '192.0.2.9'], ['192.0.2.1', '192.0.2.2'], true],
    ['the earlier second record', ['192.0.2.1', '192.0.2.2'], ['192.0.2.1', '192.0.2.9'], false],
    ['records left over', ['192.0.2.1', '192.0.2.9'], ['192.0.2.1'], true],
    ['records too few', ['192.0.2.1'], ['192.0.2.1', '192.0.2.9'], false],
    [
      'the later record, whose others stand in another order',
      ['192.0.2.1', '192.0.2.2'],
      ['192.0.2.2', '192.0.2.0'],
      true,
    ],
    [
      'the earlier record, whose others stand in another order',
      ['192.0.2.2', '192.0.2.0'],
      ['192.0.2.1', '192.0.2.2'],
      false,
    ],
    ['the same records in another order', ['192.0.2.2', '192.0.2.1'], ['192.0.2.1', '192.0.2.2'], false],
  ])('the one with %s has the name: %j beside %j', (_, theirs, ours, theirsWins) => {
    expect(givesWay(records(...theirs), [records(...ours)])).toBe(theirsWins);
  });
});

describe('the pause after conflicts', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());
  it.each([
    ['within ten seconds is long', 9999, 5000],
    ['not within ten seconds is the usual one', 10_000, 250],
  ])('that are fifteen %s', (_, spanMs, expected) => {
    const brake = new Brake();
    for (let conflict = 0; conflict < 14; conflict += 1) expect(brake.after({ pauseMs: 250 })).toBe(250);
    vi.advanceTimersByTime(spanMs);
    expect(brake.after({ pauseMs: 250 })).toBe(expected);
  });
});

describe('a name that was its own', () => {
  it('is probed anew when somebody contradicts it, and kept if nobody answers', async () => {
    const { wire, names } = await settled();
    wire.say({ type: 'response', answers: [theirHost()] });
    wire.ask(HOST, 'A');
    await wait(300);
    expect(wire.sent.filter(({ response }) => response)).toEqual([]);
    await wait(3000);
    expect(wire.take().filter(({ questions }) => questions[0]?.name === HOST)).toHaveLength(3);
    expect(names.at(-1)).toBe(HOST);
  });

  it('is given up when somebody answers then', async () => {
    const { wire, names } = await settled();
    wire.say({ type: 'response', answers: [theirService(PDL)] });
    await wait(600);
    wire.say({ type: 'response', answers: [theirService(PDL)] });
    await wait(5000);
    expect(find(wire.take(), 'SRV', `${NAME} (2)._http._tcp.local`)).toBeDefined();
    expect(names).toEqual([HOST]);
  });

  it.each([
    ['the same said by another', { ...theirHost('192.0.2.2') }, PEER],
    ['a goodbye', { ...theirHost(), ttl: 0 }, PEER],
    ['a response from another port', theirHost(), { address: '192.0.2.9', port: 40_000 }],
    ['a response from another network', theirHost(), { address: '203.0.113.9', port: 5353 }],
    ['what this machine says', theirHost(), { address: '192.0.2.2', port: 5353 }],
    ['another type', { name: HOST, type: 'TXT', ttl: 120, data: 'x' } as const, PEER],
  ])('is not disputed by %s', async (_what, answer, from) => {
    const { wire } = await settled();
    wire.say({ type: 'response', answers: [answer] }, from);
    await wait(2000);
    expect(wire.take()).toEqual([]);
  });
});

describe('another host with the id of the node', () => {
  const NUMBERED = HOST.replace('.local', '-2.local');
  const named = (name: string, data = '192.0.2.9') => ({ ...theirHost(data), name });
  const said = (answer: ReturnType<typeof named>) => ({ type: 'response' as const, answers: [answer] });

  it('is told of by what it says and probes for, under the name of the node and with a number', async () => {
    const { wire, doubles } = await settled();
    wire.say(said(named(NUMBERED.toUpperCase())));
    wire.say({ type: 'response', answers: [], additionals: [named(HOST, '192.0.2.10')] });
    wire.say(claim(NUMBERED, named(NUMBERED, '192.0.2.11') as never));
    wire.say(said({ ...named(NUMBERED), ttl: 0 } as never));
    expect(doubles.map(({ address, isThere }) => [address, isThere])).toEqual([
      ['192.0.2.9', true],
      ['192.0.2.10', true],
      ['192.0.2.11', true],
      ['192.0.2.9', false],
    ]);
  });

  it.each([
    ['what the node said itself, through a reflector', said(named(HOST, '192.0.2.2')), PEER],
    ['what it said on its other link', said(named(HOST, '198.51.100.2')), PEER],
    ['a goodbye of another one', said({ ...named(HOST, '192.0.2.11'), ttl: 0 } as never), PEER],
    ['another id that begins so', said(named('node-1a2b3c4d5.local')), PEER],
    ['a name that is no number', said(named('node-1a2b3c4d-x.local')), PEER],
    ['a response from another port', said(named(HOST)), { address: '192.0.2.9', port: 40_000 }],
    ['a response from another network', said(named(HOST)), { address: '203.0.113.9', port: 5353 }],
    [
      'what somebody knows already',
      { type: 'query', questions: [{ name: HOST, type: 'A' }], answers: [named(HOST)] } as const,
      PEER,
    ],
  ] as const)('is not told of by %s', async (_what, packet, from) => {
    const { wire, doubles } = await settled([LAN, WLAN]);
    wire.say(packet as never, from);
    await wait(2000);
    expect(doubles).toEqual([]);
  });
});
