import { describe, expect, it } from 'vitest';
import profiles from '../../../recipes/profiles.json' with { type: 'json' };
import { createAjv } from '../../../runtime/base/ajv.ts';
import { servedLinks } from '../../../runtime/bindings/served-links.ts';
import { ProfileRow } from '../../../runtime/services/discovery/contract.ts';
import { identitiesOf, type Presence } from '../../../runtime/services/discovery/identity.ts';
import { dataOf } from '../../../runtime/services/discovery/packet.ts';
import { serviceRecords, serviceZone } from '../../../runtime/services/discovery/records.ts';
import vectors from '../../spec/mdns.json' with { type: 'json' };
import { LAN, WLAN } from './responder.ts';

const presence = (more: Partial<Presence> = {}): Presence => ({
  profile: 'generic',
  customProfile: {},
  deviceId: '<id>',
  note: undefined,
  hostName: 'node-<id>.local',
  httpPort: 80,
  printers: [{ endpoint: 'receipt', port: 9100 }],
  ...more,
});
/** The identity of the node and its first printer. */
const identityOf = (from: Presence) => identitiesOf(from)[0]!;
const wire = (profile: string) => {
  const { instance, offers } = identityOf(presence({ profile }));
  const [, txt] = serviceRecords({ ...offers[0]!, name: instance }, 'node.local');
  return dataOf(txt!)!.toString('hex');
};

describe('a profile', () => {
  it.each(vectors)(
    '$profile has the name, services and TXT record of its printer',
    ({ profile, instance, services, txtWire }) => {
      const identity = identityOf(presence({ profile }));
      expect(identity.instance).toBe(instance);
      expect(identity.offers.map(({ type, port }) => ({ type, port }))).toEqual(services);
      expect(wire(profile)).toBe(txtWire.replaceAll(' ', ''));
    },
  );

  it.each(Object.entries(profiles))('%s is a row of its shape, whose TXT strings fit', (name, row) => {
    expect(createAjv().validate(ProfileRow, row)).toBe(true);
    expect(name).toMatch(/^[a-z0-9-]+$/);
    const { instance, offers } = identityOf(presence({ profile: name, deviceId: '1a2b3c4d' }));
    expect(Buffer.byteLength(instance)).toBeLessThanOrEqual(63);
    for (const text of offers.flatMap(({ txt }) => txt)) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(255);
    expect(offers[0]?.txt[0]).toBe('txtvers=1');
  });

  it('custom says what it is told, within the bounds of a label and without what a label cannot hold', () => {
    const customProfile = {
      make: 'ACME',
      model: 'X',
      ty: `a.b\u0007${'é'.repeat(40)}`,
      product: '(X80)',
      pdl: 'text/plain',
    };
    const { instance, offers } = identityOf(
      presence({ profile: 'custom', customProfile, note: 'Bar', httpPort: 8080 }),
    );
    expect(instance).toBe(`a-b ${'é'.repeat(29)}`);
    expect(offers[0]?.txt).toEqual([
      ...['txtvers=1', 'qtotal=1', 'rp=', `ty=${customProfile.ty}`, 'product=(X80)', 'note=Bar', 'priority=50'],
      ...['pdl=text/plain', 'adminurl=http://node-<id>.local:8080/', 'usb_MFG=ACME', 'usb_MDL=X', 'usb_CMD=ESC/POS'],
    ]);
  });

  it('offers no printer where port 9100 is shut, and no page where there is none', () => {
    const printers = [{ endpoint: 'receipt', port: undefined }];
    expect(identityOf(presence({ printers })).offers.map(({ type }) => type)).toEqual(['_http._tcp']);
    expect(identityOf(presence({ printers: [] })).offers.map(({ type }) => type)).toEqual(['_http._tcp']);
    expect(identityOf(presence({ httpPort: undefined, printers })).offers).toEqual([]);
  });
});

it('the profile of a printer with a further service has it beside the raw port, its keys before the common ones, and its subtypes', () => {
  const ipp = { type: '_ipp._tcp', port: 631, subtypes: ['_universal', '_print'], txt: { rp: 'ipp/print', URF: 'W8' } };
  const printers = [{ endpoint: 'receipt', port: undefined, services: [ipp] }];
  const { instance, offers } = identityOf(presence({ printers }));
  expect(offers.map(({ type, port }) => [type, port])).toEqual([
    ['_ipp._tcp', 631],
    ['_printer._tcp', 0],
    ['_http._tcp', 80],
  ]);
  expect(offers[0]?.txt).toEqual(expect.arrayContaining(['txtvers=1', 'rp=ipp/print', 'URF=W8', 'usb_CMD=ESC/POS']));
  expect(offers[0]?.txt[0]).toBe('txtvers=1');
  const name = `${instance}._ipp._tcp.local`;
  const pointers = serviceZone({ ...offers[0]!, name }, 'node.local').filter(({ type }) => type === 'PTR');
  const all = ['_ipp._tcp.local', '_universal._sub._ipp._tcp.local', '_print._sub._ipp._tcp.local'];
  expect(pointers.map((own) => own.name)).toEqual([...all, '_services._dns-sd._udp.local']);
  expect(pointers.slice(0, 3).map((own) => 'data' in own && own.data)).toEqual([name, name, name]);
});

describe('several printers', () => {
  const two = (kitchen: number | undefined, endpoint = 'kitchen') => [
    { endpoint: 'receipt', port: 9100 },
    { endpoint, port: kitchen },
  ];
  const noteOf = (txt: readonly string[] = []) => txt.find((text) => text.startsWith('note='));

  it.each(vectors)('$profile: the first keeps its name and services, the second has its own', (vector) => {
    const [first, second] = identitiesOf(presence({ profile: vector.profile, printers: two(9101) }));
    expect(first?.instance).toBe(vector.instance);
    expect(first?.offers.map(({ type, port }) => ({ type, port }))).toEqual(vector.services);
    expect(second?.instance).toBe(vector.instance.replace('node-', 'kitchen node-'));
    expect(second?.offers.map(({ type, port }) => ({ type, port }))).toEqual([
      { type: '_pdl-datastream._tcp', port: 9101 },
      { type: '_printer._tcp', port: 0 },
    ]);
  });

  it('have TXT values that differ in the place that they name', () => {
    const [first, second] = identitiesOf(presence({ printers: two(9101), note: 'Bar' }));
    const [ofFirst, ofSecond] = [first?.offers[0]?.txt, second?.offers[0]?.txt];
    expect([noteOf(ofFirst), noteOf(ofSecond)]).toEqual(['note=Bar, receipt', 'note=Bar, kitchen']);
    expect(ofSecond?.filter((text) => !ofFirst?.includes(text))).toEqual(['note=Bar, kitchen']);
  });

  it('are told apart where names are as long as they may be', () => {
    const ty = 'é'.repeat(31);
    const printers = ['receipt', 'k'.repeat(24), 'k'.repeat(25), 'k'.repeat(26)].map((endpoint, n) => ({
      endpoint,
      port: 9100 + n,
    }));
    for (const profile of ['custom', 'epson-tm-t20iii']) {
      const customProfile = { make: 'ACME', model: 'X', ty };
      const names = identitiesOf(presence({ profile, customProfile, printers })).map(({ instance }) => instance);
      expect(new Set(names).size).toBe(4);
      for (const name of names) expect(Buffer.byteLength(name)).toBeLessThanOrEqual(63);
      expect(names[3]).toMatch(profile === 'custom' ? / 4$/ : / 4 node-<id>$/);
    }
  });

  it('are each offered while their own port is open, and keep their places in the order', () => {
    const [first, second] = identitiesOf(presence({ printers: two(undefined) }));
    expect(first?.offers).toHaveLength(3);
    expect(second?.offers).toEqual([]);
  });
});

describe('a node that listens on', () => {
  const names = (host: string) =>
    servedLinks(host, [LAN, WLAN]).map(({ name, addresses }) => [name, addresses.map(({ address }) => address)]);
  it.each([
    [
      '::',
      [
        ['lan0', ['192.0.2.2', 'fe80::2']],
        ['wlan0', ['198.51.100.2']],
      ],
    ],
    [
      '0.0.0.0',
      [
        ['lan0', ['192.0.2.2']],
        ['wlan0', ['198.51.100.2']],
      ],
    ],
    ['198.51.100.2', [['wlan0', ['198.51.100.2']]]],
    ['fe80::2%lan0', [['lan0', ['fe80::2']]]],
    ['127.0.0.1', []],
    ['::1', []],
    ['203.0.113.1', []],
  ])('%s is found at the addresses it takes connections on', (host, expected) => {
    expect(names(host)).toEqual(expected);
  });
});
