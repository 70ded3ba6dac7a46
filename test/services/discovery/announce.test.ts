import { describe, expect, it } from 'vitest';
import { createResponder, find, HOST, HTTP, IDENTITY, LAN, list, NAME, PDL, settled, WLAN, wait } from './responder.ts';

const goodbyes = (sent: readonly { answers: readonly unknown[] }[]) =>
  sent
    .flatMap(({ answers }) => answers as { name: string; type: string; ttl: number }[])
    .filter(({ ttl }) => ttl === 0);

describe('a responder that starts', () => {
  it('probes three times a quarter of a second apart, then announces at least twice a second apart', async () => {
    const { wire, responder } = createResponder();
    await responder.use([LAN]);
    void responder.show(IDENTITY);
    await wait(4000);
    const sent = wire.take();
    for (const name of [HOST, HTTP, PDL]) {
      const probes = sent.filter(({ response, questions }) => !response && questions[0]?.name === name);
      const [first = 0, second = 0, third = 0] = probes.map(({ at }) => at);
      expect(probes).toHaveLength(3);
      expect([second - first, third - second]).toEqual([250, 250]);
      expect(probes[0]?.questions).toEqual([{ name, type: 'ANY', unicast: true }]);
      // The cache-flush bit has no place in a claim (RFC 6762, 10.2).
      expect(probes[0]?.authorities.every((claim) => claim.name === name && !('flush' in claim && claim.flush))).toBe(
        true,
      );
      const announced = sent.filter(({ response, answers }) => response && answers.some((own) => own.name === name));
      const [one = 0, two = 0] = announced.map(({ at }) => at);
      // A service waits until the addresses of its host may go with it.
      expect(one - third).toBeGreaterThanOrEqual(250);
      expect(one - third).toBeLessThanOrEqual(500);
      expect(announced.length).toBeGreaterThanOrEqual(2);
      expect(announced.at(-1)!.at - one).toBeGreaterThanOrEqual(1000);
      expect(two - one).toBeLessThanOrEqual(1000);
    }
  });

  it('asks no later than a quarter of a second after the link is there, and answers nothing before its names are its own', async () => {
    const { wire, responder } = createResponder();
    await responder.use([LAN]);
    void responder.show(IDENTITY);
    await wait(250);
    expect(wire.take()).toHaveLength(1);
    wire.ask(HOST, 'A');
    wire.ask('_http._tcp.local', 'PTR');
    await wait(200);
    expect(wire.take().filter(({ response }) => response)).toEqual([]);
  });

  it('says of each link the addresses of that link alone', async () => {
    const { wire, responder } = createResponder();
    await responder.use([LAN, WLAN]);
    await wait(2000);
    const sent = wire.take();
    const addresses = (link: string) => [
      ...new Set(
        sent
          .filter((one) => one.link === link && one.response)
          .flatMap(({ answers }) => answers)
          .flatMap((own) => (own.type === 'A' || own.type === 'AAAA' ? [own.data] : [])),
      ),
    ];
    expect(addresses('lan0')).toEqual(['192.0.2.2', 'fe80::2']);
    expect(addresses('wlan0')).toEqual(['198.51.100.2']);
  });

  it('gives host names 120 seconds and the rest 4500, and the cache-flush bit to what is its alone', async () => {
    const { wire, responder } = createResponder();
    await responder.use([LAN]);
    void responder.show(IDENTITY);
    await wait(4000);
    const sent = wire.take();
    expect(find(sent, 'A', HOST)).toMatchObject({ ttl: 120, flush: true });
    expect(find(sent, 'SRV', HTTP)).toMatchObject({ ttl: 120, flush: true, data: { port: 80, target: HOST } });
    expect(find(sent, 'TXT', PDL)).toMatchObject({ ttl: 4500, flush: true });
    expect(find(sent, 'PTR', '2.2.0.192.in-addr.arpa')).toMatchObject({ ttl: 120, flush: true, data: HOST });
    expect(find(sent, 'PTR', '_http._tcp.local')).toMatchObject({ ttl: 4500, flush: false, data: HTTP });
    expect(find(sent, 'PTR', '_services._dns-sd._udp.local')).toMatchObject({ ttl: 4500, flush: false });
  });

  it('announces services together, and the addresses of their host with them', async () => {
    const { wire, responder } = createResponder();
    await responder.use([LAN]);
    void responder.show(IDENTITY);
    await wait(4000);
    const announced = wire
      .take()
      .filter(({ response, answers }) => response && answers.some(({ type }) => type === 'SRV'));
    expect(announced).toHaveLength(2);
    for (const { answers, additionals } of announced) {
      expect(answers.filter(({ type }) => type === 'SRV').map(({ name }) => name)).toEqual([HTTP, PDL]);
      expect(additionals.map((own) => 'data' in own && own.data)).toEqual(['192.0.2.2', 'fe80::2']);
    }
  });

  it('sends nothing larger than an Ethernet frame', async () => {
    const { wire, responder } = createResponder();
    await responder.use([LAN]);
    const txt = Array.from({ length: 8 }, (_, index) => `k${index}=${'x'.repeat(110)}`);
    void responder.show({ instance: NAME, offers: IDENTITY.offers.map((offer) => ({ ...offer, txt })) });
    await wait(4000);
    wire.ask('_http._tcp.local', 'PTR');
    await wait(200);
    expect(Math.max(...wire.sent.map(({ bytes }) => bytes.length))).toBeLessThanOrEqual(1440);
  });
});

describe('a change', () => {
  it('of TXT values is announced, twice, without a goodbye', async () => {
    const { wire, responder } = await settled();
    const [http, pdl] = IDENTITY.offers;
    await responder.show({ instance: NAME, offers: [http!, { ...pdl!, txt: ['txtvers=1', 'ty=Other'] }] });
    await wait(1500);
    const sent = wire.take();
    expect(find(sent, 'TXT', PDL)?.data).toEqual([Buffer.from('txtvers=1'), Buffer.from('ty=Other')]);
    expect(sent).toHaveLength(2);
    expect(goodbyes(sent)).toEqual([]);
  });

  it('of the instance name says goodbye to the old one, then probes and announces the new', async () => {
    const { wire, responder } = await settled();
    const shown = responder.show({ ...IDENTITY, instance: 'EPSON TM-T88V node-1a2b3c4d' });
    await wait(3000);
    await shown;
    const sent = wire.take();
    expect(list(goodbyes(sent) as never)).toEqual([
      '_http._tcp.local PTR',
      `${HTTP} SRV`,
      `${HTTP} TXT`,
      '_pdl-datastream._tcp.local PTR',
      `${PDL} SRV`,
      `${PDL} TXT`,
    ]);
    const probe = sent.findIndex(({ response }) => !response);
    const announced = sent.findIndex(({ answers }) => answers.some(({ name }) => name.startsWith('EPSON')));
    expect(goodbyes(sent.slice(0, probe))).toHaveLength(6);
    expect(announced).toBeGreaterThan(probe);
    wire.ask(PDL, 'SRV');
    await wait(2000);
    expect(wire.take()).toEqual([]);
  });

  it('of what is offered withdraws one service and leaves the other', async () => {
    const { wire, responder } = await settled();
    await responder.show({ instance: NAME, offers: IDENTITY.offers.slice(0, 1) });
    expect(list(goodbyes(wire.take()) as never)).toEqual([
      '_pdl-datastream._tcp.local PTR',
      `${PDL} SRV`,
      `${PDL} TXT`,
    ]);
    wire.ask('_http._tcp.local', 'PTR');
    wire.ask('_pdl-datastream._tcp.local', 'PTR');
    await wait(200);
    expect(wire.take().flatMap(({ answers }) => list(answers))).toEqual(['_http._tcp.local PTR']);
  });

  it('while a name is still being probed leaves nothing of it behind', async () => {
    const { wire, responder } = await settled();
    void responder.show({ ...IDENTITY, instance: 'Never' });
    await wait(300);
    const shown = responder.show({ ...IDENTITY, instance: 'Lasting' });
    await wait(5000);
    await shown;
    expect(
      wire
        .take()
        .flatMap(({ answers }) => answers)
        .filter(({ name }) => name.startsWith('Never')),
    ).toEqual([]);
  });
});

describe('links', () => {
  it('that are new are probed on before anything is said', async () => {
    const { wire, responder } = await settled();
    await responder.use([LAN, WLAN]);
    await wait(5000);
    const sent = wire.take().filter(({ link }) => link === 'wlan0');
    const said = sent.findIndex(({ answers }) => answers.length > 0);
    expect(sent.slice(0, said).filter(({ response }) => !response).length).toBeGreaterThanOrEqual(3);
    expect(find(sent, 'A')?.data).toBe('198.51.100.2');
    expect(find(sent, 'SRV', PDL)).toBeDefined();
  });

  it('whose address changed are told of the new one, and that the old one is gone', async () => {
    const { wire, responder } = await settled();
    const addresses = [{ family: 4, address: '192.0.2.77', prefix: 24 } as const];
    await responder.use([{ ...LAN, addresses }]);
    await wait(5000);
    const sent = wire.take();
    expect(goodbyes(sent)).toMatchObject([
      { data: '192.0.2.2' },
      { data: 'fe80::2' },
      { type: 'PTR' },
      { type: 'PTR' },
    ]);
    wire.ask(HOST, 'A');
    await wait(11);
    expect(find(wire.take(), 'A')?.data).toBe('192.0.2.77');
  });

  it('that are all gone leave it without a host name, and its return is an ordinary start', async () => {
    const { wire, responder, names } = await settled();
    await responder.use([]);
    expect(names.at(-1)).toBeUndefined();
    await responder.show({ ...IDENTITY, instance: 'Elsewhere' });
    await wait(5000);
    expect(wire.take()).toEqual([]);
    await responder.use([LAN]);
    await wait(5000);
    expect(names.at(-1)).toBe(HOST);
    expect(find(wire.take(), 'PTR', '_http._tcp.local')?.data).toBe('Elsewhere._http._tcp.local');
  });

  it('that stay as they are cause nothing', async () => {
    const { wire, responder } = await settled();
    await responder.use([{ ...LAN }]);
    await wait(2000);
    expect(wire.take()).toEqual([]);
  });
});

describe('a responder that stops', () => {
  it('says goodbye to every name and is silent from then on', async () => {
    const { wire, responder } = await settled();
    await responder.stop();
    const gone = list(goodbyes(wire.take()) as never);
    for (const record of [`${HOST} A`, `${HOST} AAAA`, `${HTTP} SRV`, `${PDL} TXT`, '_http._tcp.local PTR']) {
      expect(gone).toContain(record);
    }
    expect(wire.closed).toBe(true);
    wire.ask(HOST, 'A');
    await wait(10_000);
    expect(wire.take()).toEqual([]);
  });
});
