import { describe, expect, it } from 'vitest';
import profiles from '../../../recipes/profiles.json' with { type: 'json' };
import { servedLinks } from '../../../runtime/bindings/served-links.ts';
import { createAjv } from '../../../runtime/kernel/ajv.ts';
import { ProfileRow } from '../../../runtime/services/discovery/contract.ts';
import { identityOf, type Presence } from '../../../runtime/services/discovery/identity.ts';
import { dataOf } from '../../../runtime/services/discovery/packet.ts';
import { serviceRecords } from '../../../runtime/services/discovery/records.ts';
import vectors from '../../spec/mdns.json' with { type: 'json' };
import { LAN, WLAN } from './responder.ts';

const presence = (more: Partial<Presence> = {}): Presence => ({
  profile: 'generic',
  customProfile: {},
  deviceId: '<id>',
  note: undefined,
  hostName: 'node-<id>.local',
  httpPort: 80,
  rawPort: 9100,
  ...more,
});
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
    expect(identityOf(presence({ rawPort: undefined })).offers.map(({ type }) => type)).toEqual(['_http._tcp']);
    expect(identityOf(presence({ httpPort: undefined, rawPort: undefined })).offers).toEqual([]);
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
