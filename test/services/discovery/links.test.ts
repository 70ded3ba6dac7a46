/** Links that hear each other: two on one network, and a reflector between or behind them (RFC 6762, 8.2, 9 and 14). */
import { describe, expect, it } from 'vitest';
import type { NetworkLink } from '../../../runtime/bindings/network.ts';
import { createResponder, type FakeWire, HOST, IDENTITY, LAN, NAME, PEER, settled, WLAN, wait } from './responder.ts';

/** On the network of LAN. */
const SECOND: NetworkLink = {
  name: 'lan1',
  mac: '02:00:00:00:00:03',
  addresses: [
    { family: 4, address: '192.0.2.3', prefix: 24 },
    { family: 6, address: 'fe80::3', prefix: 64, scope: 3 },
  ],
};
const MDNS = 5353;

/** What goes out is heard again, from the sources that these give for its link. */
function heardAgain(wire: FakeWire, sources: (link: string) => readonly string[]): void {
  const keep = wire.sent.push.bind(wire.sent);
  wire.sent.push = (...sent) => {
    for (const { link, bytes } of sent) {
      for (const address of sources(link)) queueMicrotask(() => wire.hear(bytes, { address, port: MDNS }));
    }
    return keep(...sent);
  };
}

const claim = (data: string) => ({
  type: 'query' as const,
  questions: [{ name: HOST, type: 'ANY' as 'A' }],
  authorities: [{ name: HOST, type: 'A', ttl: 120, data } as const],
});

describe('a node that hears itself', () => {
  it.each([
    [
      'over the other of two links on one network',
      [LAN, SECOND],
      (link: string) => (link === 'lan0' ? ['192.0.2.2', 'fe80::2%lan1'] : ['192.0.2.3', 'fe80::3%lan0']),
    ],
    [
      'through a reflector between two networks',
      [LAN, WLAN],
      (link: string) => (link === 'lan0' ? ['198.51.100.1'] : ['192.0.2.1']),
    ],
    ['through a reflector that sends back where it heard', [LAN], () => ['192.0.2.1', 'fe80::1%lan0']],
  ] as const)('%s keeps its names', async (_what, links, sources) => {
    const { wire, responder, names } = createResponder();
    heardAgain(wire, sources);
    await responder.use(links);
    let shown = false;
    void responder.show(IDENTITY).then(() => {
      shown = true;
    });
    await wait(2500);
    expect(names).toEqual([HOST]);
    expect(shown).toBe(true);
    expect(responder.standing).toMatchObject({ state: 'announced', name: HOST, instances: [NAME] });
  });

  it('in parts, as a reflector may put them, keeps its names', async () => {
    const { wire, responder, names } = createResponder();
    await responder.use([LAN, SECOND]);
    await wait(300);
    for (const data of ['192.0.2.3', '192.0.2.2']) wire.say(claim(data), { address: '192.0.2.1', port: MDNS });
    await wait(1000);
    expect(names).toEqual([HOST]);
  });

  it('from before an address changed probes anew and keeps its name', async () => {
    const { wire, responder, names } = await settled([LAN, WLAN]);
    heardAgain(wire, (link) => (link === 'lan0' ? ['198.51.100.1'] : ['192.0.2.1']));
    await responder.use([{ ...LAN, addresses: [{ family: 4, address: '192.0.2.77', prefix: 24 }] }, WLAN]);
    await wait(5000);
    expect(names.at(-1)).toBe(HOST);
    expect(responder.standing.state).toBe('announced');
  });
});

describe('a rival on one of two links', () => {
  it('who claims something later than both has the name first', async () => {
    const { wire, responder, names } = createResponder();
    await responder.use([LAN, SECOND]);
    await wait(300);
    wire.take();
    wire.say(claim('192.0.2.200'));
    wire.say({ ...claim('192.0.2.200'), authorities: [{ name: HOST, type: 'AAAA', ttl: 120, data: 'fe80::9' }] });
    await wait(700);
    expect(names).toEqual([]);
    expect(wire.take()).toEqual([]);
  });

  it('who claims something earlier than one of them goes last', async () => {
    const { wire, responder, names } = createResponder();
    await responder.use([WLAN, LAN]);
    await wait(300);
    // Later than 192.0.2.2, earlier than 198.51.100.2.
    wire.say(claim('192.0.2.200'));
    await wait(1000);
    expect(names).toEqual([HOST]);
  });

  it('who has the name already keeps it, and the node takes the next on both', async () => {
    const { wire, responder, names } = createResponder();
    await responder.use([WLAN, LAN]);
    await wait(300);
    wire.say({ type: 'response', answers: [{ name: HOST, type: 'A', ttl: 120, data: '192.0.2.9' }] }, PEER);
    await wait(3000);
    expect(names).toEqual(['node-1a2b3c4d-2.local']);
    const said = wire.take().flatMap(({ answers }) => answers);
    expect(said.filter(({ name }) => name === HOST)).toEqual([]);
  });
});
