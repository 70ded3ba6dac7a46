import { describe, expect, it } from 'vitest';
import { find, HOST, HTTP, LAN, list, NAME, PDL, settled, WLAN, wait } from './responder.ts';

const TC = 1 << 9;
const pointer = { name: '_http._tcp.local', type: 'PTR', data: HTTP } as const;

describe('a question', () => {
  it.each([
    [HOST, 'A', [`${HOST} A`]],
    [HOST.toUpperCase(), 'AAAA', [`${HOST} AAAA`]],
    [HOST, 'ANY', [`${HOST} A`, `${HOST} AAAA`]],
    ['2.2.0.192.in-addr.arpa', 'PTR', ['2.2.0.192.in-addr.arpa PTR']],
    [
      `2.${'0.'.repeat(28)}8.e.f.ip6.arpa`.replace('0.8.e.f', '0.8.e.f'),
      'PTR',
      [`2.${'0.'.repeat(28)}8.e.f.ip6.arpa PTR`],
    ],
    [PDL, 'SRV', [`${PDL} SRV`]],
    [PDL, 'TXT', [`${PDL} TXT`]],
    // That a name of its own has no such record is an answer too.
    [HOST, 'HINFO', [`${HOST} NSEC`]],
    [PDL, 'A', [`${PDL} NSEC`]],
    ['other.local', 'A', []],
    ['_ipp._tcp.local', 'PTR', []],
  ])('for %s %s is answered with %j', async (name, type, expected) => {
    const { wire } = await settled();
    wire.ask(name, type);
    await wait(11);
    const sent = wire.take();
    expect(sent.flatMap(({ answers }) => list(answers))).toEqual(expected);
    expect(sent.every(({ to, id, questions }) => to === undefined && id === 0 && questions.length === 0)).toBe(true);
  });

  it('that comes together with others is answered with them, in one packet that has the addresses', async () => {
    const { wire } = await settled();
    for (const type of ['SRV', 'TXT', 'ANY']) wire.ask(PDL, type);
    await wait(2000);
    const [sent, ...rest] = wire.take();
    expect(rest).toEqual([]);
    expect(list(sent!.answers)).toEqual([`${PDL} SRV`, `${PDL} TXT`]);
    expect(sent!.additionals.map(({ type }) => type)).toEqual(['A', 'AAAA', 'NSEC']);
  });

  it('for a type of service that comes together with those for others is answered with them, too', async () => {
    const { wire } = await settled();
    for (let turn = 0; turn < 10; turn++) {
      for (const type of ['_http._tcp.local', '_pdl-datastream._tcp.local']) wire.ask(type, 'PTR');
      await wait(2000);
      const [sent, ...rest] = wire.take();
      expect(rest).toEqual([]);
      expect(list(sent!.answers)).toEqual(['_http._tcp.local PTR', '_pdl-datastream._tcp.local PTR']);
      expect(sent!.additionals.map(({ type }) => type)).toContain('A');
    }
  });

  it('for what others may have too is answered after 20 to 120 milliseconds, with what the asker needs next', async () => {
    const { wire } = await settled();
    wire.ask('_http._tcp.local', 'PTR');
    const asked = performance.now();
    await wait(19);
    expect(wire.sent).toEqual([]);
    await wait(102);
    const [answer] = wire.take();
    expect(answer!.at - asked).toBeLessThanOrEqual(121);
    expect(list(answer!.answers)).toEqual(['_http._tcp.local PTR']);
    expect(list(answer!.additionals)).toEqual([
      `${HTTP} SRV`,
      `${HTTP} TXT`,
      `${HOST} A`,
      `${HOST} AAAA`,
      `${HOST} NSEC`,
    ]);
  });

  it('for all types of service is answered with each', async () => {
    const { wire } = await settled();
    wire.ask('_services._dns-sd._udp.local', 'PTR');
    await wait(200);
    const types = wire.take().flatMap(({ answers }) => answers.map((own) => (own.type === 'PTR' ? own.data : '')));
    expect(types).toEqual(['_http._tcp.local', '_pdl-datastream._tcp.local']);
  });

  it('is answered on the link it came over, with that link’s address', async () => {
    const { wire } = await settled([LAN, WLAN]);
    wire.ask(HOST, 'A', { from: { address: '198.51.100.9', port: 5353 } });
    await wait(11);
    const sent = wire.take();
    expect(sent.map(({ link }) => link)).toEqual(['wlan0']);
    expect(find(sent, 'A')?.data).toBe('198.51.100.2');
  });

  it.each(['203.0.113.9', '192.0.3.9', '2001:db8::9', 'fe80::9%eth7'])(
    'from %s, which is on no link, is not answered',
    async (address) => {
      const { wire } = await settled([LAN, WLAN]);
      for (const port of [5353, 40_000]) {
        wire.ask(HOST, 'A', { from: { address, port } });
        wire.ask(HOST, 'A', { from: { address, port }, unicast: true });
      }
      await wait(2000);
      expect(wire.take()).toEqual([]);
    },
  );

  it('from a link-local address is answered on the link of its zone', async () => {
    const { wire } = await settled([LAN, WLAN]);
    wire.ask(HOST, 'AAAA', { from: { address: 'fe80::9%lan0', port: 5353 } });
    await wait(11);
    expect(wire.take().map(({ link }) => link)).toEqual(['lan0']);
  });
});

describe('an answer', () => {
  it('that the asker knows for at least half its time is left out', async () => {
    const { wire } = await settled();
    wire.ask(pointer.name, 'PTR', { known: [{ ...pointer, ttl: 2250 }] });
    await wait(200);
    expect(wire.take()).toEqual([]);
    wire.ask(pointer.name, 'PTR', { known: [{ ...pointer, ttl: 2249 }] });
    await wait(200);
    expect(wire.take()).toHaveLength(1);
  });

  it('waits for the rest of a list of known answers that did not fit one packet', async () => {
    const { wire } = await settled();
    wire.ask(pointer.name, 'PTR', { flags: TC });
    await wait(300);
    wire.say({ type: 'query', answers: [{ ...pointer, ttl: 4500 }] });
    await wait(1000);
    expect(wire.take()).toEqual([]);
    wire.ask(pointer.name, 'PTR', { flags: TC });
    await wait(399);
    expect(wire.take()).toEqual([]);
    await wait(300);
    expect(wire.take()).toHaveLength(1);
  });

  it('is multicast at most once a second a link, and put off rather than lost', async () => {
    const { wire } = await settled();
    for (let index = 0; index < 50; index += 1) {
      wire.ask(HOST, 'A');
      await wait(50);
    }
    await wait(1000);
    const times = wire
      .take()
      .filter(({ answers }) => answers.some(({ type }) => type === 'A'))
      .map(({ at }) => at);
    expect(times.length).toBeGreaterThanOrEqual(3);
    for (const [index, at] of times.slice(1).entries()) expect(at - times[index]!).toBeGreaterThanOrEqual(1000);
  });

  it('goes to the asker alone where it asks for that and all have heard it lately, else to all', async () => {
    const { wire } = await settled();
    wire.ask(HOST, 'A', { unicast: true });
    await wait(11);
    expect(wire.take().map(({ to }) => to)).toEqual([{ address: '192.0.2.9', port: 5353 }]);
    await wait(31_000);
    wire.ask(HOST, 'A', { unicast: true });
    await wait(11);
    expect(wire.take().map(({ to }) => to)).toEqual([undefined]);
  });

  it('to a resolver that knows no multicast DNS repeats id and question, and is short-lived', async () => {
    const { wire } = await settled();
    const from = { address: '192.0.2.9', port: 40_000 };
    wire.ask(HOST, 'A', { from });
    wire.ask(HOST, 'HINFO', { from });
    const sent = wire.take();
    expect(sent).toMatchObject([{ to: from, id: 7, questions: [{ name: HOST, type: 'A' }] }]);
    expect(find(sent, 'A')).toMatchObject({ ttl: 10, flush: false, data: '192.0.2.2' });
  });

  it('to single hosts is given a hundred times a second and no more', async () => {
    const { wire } = await settled();
    for (let index = 0; index < 300; index += 1) wire.ask(HOST, 'A', { from: { address: '192.0.2.9', port: 40_000 } });
    expect(wire.take()).toHaveLength(100);
    await wait(1000);
    wire.ask(HOST, 'A', { from: { address: '192.0.2.9', port: 40_000 } });
    expect(wire.take()).toHaveLength(1);
  });

  it('comes within a quarter of a second to every probe for a name that is taken', async () => {
    const { wire } = await settled();
    for (let probe = 0; probe < 3; probe += 1) {
      wire.say({
        type: 'query',
        questions: [{ name: PDL, type: 'ANY' as 'A' }],
        authorities: [{ name: PDL, type: 'SRV', ttl: 120, data: { port: 1, target: 'thief.local' } }],
      });
      await wait(251);
    }
    expect(wire.take().map(({ answers }) => list(answers))).toEqual(Array(3).fill([`${PDL} SRV`, `${PDL} TXT`]));
    expect(NAME).not.toContain('(2)');
  });
});
