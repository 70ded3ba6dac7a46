/** The cable and static addresses through NetworkManager. */
import { describe, expect, it } from 'vitest';
import { CABLE, CREDENTIALS, machine, READY, WIFI } from './nmcli-machine.ts';

describe('the cable', () => {
  it('gets a static address, at once where it is plugged in', async () => {
    const { radio, calls } = machine({ ...READY, 'device show': { out: CABLE } });
    await radio.wire({ address: '172.16.5.10', netmask: '255.255.0.0' });
    const words = calls().map((call) => call.words);
    expect(words).toContain('connection delete uuid dd-4');
    expect(words.at(-1)).toMatch(/connection up/);
  });

  it('waits for its address while it is not plugged in', async () => {
    const out = CABLE.replace('100 (connected)', '20 (unavailable)');
    const { radio, calls } = machine({ ...READY, 'device show': { out } });
    await radio.wire({ address: '172.16.5.10', netmask: '255.255.0.0' });
    expect(calls().at(-1)?.words).toMatch(/connection add/);
  });

  it('is left to the machine otherwise', async () => {
    const { radio, calls } = machine({ ...READY, 'device show': { out: CABLE } });
    await radio.wire(undefined);
    expect(calls().some(({ words }) => /connection (add|up)/.test(words))).toBe(false);
  });
});

describe('a static address', () => {
  const FIXED = { address: '172.16.5.10', netmask: '255.255.0.0' };
  const taken = { err: 'Error: Connection activation failed: IP configuration could not be reserved (...)\n', code: 4 };

  it.each(['wire', 'join'] as const)('is probed before it is used: %s', async (how) => {
    const { radio, calls } = machine({ ...READY, 'device show': { out: `${WIFI}\n${CABLE}` } });
    await (how === 'wire' ? radio.wire(FIXED) : radio.join(CREDENTIALS, FIXED));
    expect(calls().find(({ words }) => words.startsWith('connection add'))?.words).toContain('ipv4.dad-timeout 3000');
  });

  it('that another host has is refused, and no connection has it then', async () => {
    const { radio, calls } = machine({ ...READY, 'device show': { out: CABLE }, 'connection up': taken });
    await expect(radio.wire(FIXED)).rejects.toMatchObject({ fault: 'address_taken' });
    expect(calls().at(-1)?.words).toBe('connection delete uuid dd-4');
    const wifi = machine({ ...READY, 'connection up': taken });
    await expect(wifi.radio.join(CREDENTIALS, FIXED)).rejects.toMatchObject({ fault: 'address_taken' });
  });
});

describe('a neighbour', () => {
  it('is nobody who is not on a link', async () => {
    expect(await machine().radio.answers('127.0.0.2')).toBe(false);
  });
});
