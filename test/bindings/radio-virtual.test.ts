import { describe, expect, it } from 'vitest';
import { RadioError } from '../../runtime/bindings/network.ts';
import { VirtualRadio } from '../../runtime/bindings/virtual/radio.ts';
import { keeps } from '../keeps.ts';
import { radioConformance } from './radio-conformance.ts';

const SHOP = { ssid: 'Shop', password: 'correct horse', band: '2.4', signalDbm: -51 } as const;
const CREDENTIALS = { ssid: SHOP.ssid, password: SHOP.password, band: 'auto' } as const;
const GATEWAY = '192.168.1.1';

function counted(radio: VirtualRadio) {
  const seen = { changes: 0 };
  radio.watch(() => {
    seen.changes += 1;
  });
  return seen;
}

describe('a virtual radio', () => {
  radioConformance(keeps, async () => {
    const radio = new VirtualRadio([SHOP]);
    radio.hosts.add(GATEWAY);
    return {
      radio,
      shop: CREDENTIALS,
      gateway: GATEWAY,
      phoneJoins: (credentials) =>
        radio.phoneJoins(credentials).then(
          () => true,
          () => false,
        ),
      dispose: async () => {},
    };
  });

  it('loses a network that vanishes, and tells so', async () => {
    const radio = new VirtualRadio([SHOP]);
    await radio.join(CREDENTIALS);
    const seen = counted(radio);
    radio.networks = [];
    expect([(await radio.read()).mode, seen.changes]).toEqual(['offline', 1]);
    await expect(radio.join(CREDENTIALS)).rejects.toMatchObject({ fault: 'no_network' });
  });

  it('gets no address where nobody gives one, but keeps one of its own', async () => {
    const radio = new VirtualRadio([{ ...SHOP, dhcp: false }]);
    await expect(radio.join(CREDENTIALS)).rejects.toMatchObject({ fault: 'no_address' });
    await radio.join(CREDENTIALS, { address: '10.0.0.9', netmask: '255.0.0.0' });
    expect((await radio.read()).ipv4).toEqual({ method: 'static', address: '10.0.0.9', netmask: '255.0.0.0' });
  });

  it('joins on the band asked for, or where it is loudest', async () => {
    const radio = new VirtualRadio([SHOP, { ...SHOP, band: '5', signalDbm: -40 }]);
    await radio.join(CREDENTIALS);
    expect((await radio.read()).band).toBe('5');
    await radio.join({ ...CREDENTIALS, band: '2.4' });
    expect((await radio.read()).band).toBe('2.4');
  });

  it('goes by the cable while one is plugged in', async () => {
    const radio = new VirtualRadio([SHOP]);
    await radio.wire({ address: '10.0.0.9', netmask: '255.0.0.0' });
    radio.cable = true;
    expect(await radio.read()).toMatchObject({ mode: 'ethernet', ipv4: { method: 'static', address: '10.0.0.9' } });
    radio.cable = false;
    expect((await radio.read()).mode).toBe('offline');
  });

  it('fails as it is told to', async () => {
    const radio = new VirtualRadio([SHOP]);
    radio.fault = new RadioError('no_radio');
    await expect(radio.openSetup(SHOP)).rejects.toMatchObject({ fault: 'no_radio' });
    expect((await radio.read()).mode).toBe('offline');
  });
});
