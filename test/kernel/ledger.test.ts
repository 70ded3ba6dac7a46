/** What is remembered of devices that were plugged in: how many, and which of them goes for the next one. */
import { describe, expect, it } from 'vitest';
import type { UsbIdentity } from '../../runtime/bindings/usb.ts';
import { Ledger } from '../../runtime/kernel/ledger.ts';

const MOST = 64;
const device = (n: number, vendorId = '1234') => ({ port: `1-${n}`, vendorId, productId: '0001' }) as UsbIdentity;
const portsIn = (ledger: Ledger) => [...ledger.devices].map(({ identity }) => identity.port);
const ports = (...numbers: readonly number[]) => numbers.map((n) => `1-${n}`);
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

/** As many devices as there is room for, all of them plugged in, in this order. */
function full(): Ledger {
  const ledger = new Ledger();
  for (const n of numbers(1, MOST)) ledger.met(device(n), n);
  return ledger;
}

describe('the ledger', () => {
  it('has 64 devices, and forgets the oldest for one more where all are plugged in', () => {
    const ledger = full();
    expect(portsIn(ledger)).toEqual(ports(...numbers(1, MOST)));
    ledger.met(device(65), 65);
    expect(portsIn(ledger)).toEqual(ports(...numbers(2, 65)));
  });

  it('forgets the oldest of those that are unplugged before any that is plugged in', () => {
    const ledger = full();
    ledger.gone(device(20), 70);
    ledger.gone(device(10), 71);
    ledger.met(device(65), 72);
    expect(portsIn(ledger)).toEqual(ports(...numbers(1, 9), ...numbers(11, 65)));
    ledger.met(device(66), 73);
    expect(portsIn(ledger)).toEqual(ports(...numbers(1, 9), ...numbers(11, 19), ...numbers(21, 66)));
  });

  it('forgets nothing for a device that comes again, which is the newest then', () => {
    const ledger = full();
    ledger.gone(device(1), 70);
    ledger.met(device(1), 71);
    expect(portsIn(ledger)).toEqual(ports(...numbers(2, MOST), 1));
  });

  it('says when a device was seen for the first time, and for the last time: when it came, or when it went', () => {
    const ledger = new Ledger();
    ledger.met(device(1), 5);
    ledger.gone(device(1), 7);
    expect(ledger.entry(device(1))).toMatchObject({ firstSeenAt: 5, lastSeenAt: 7, connected: false });
    ledger.met(device(1), 9);
    expect(ledger.entry(device(1))).toMatchObject({ firstSeenAt: 5, lastSeenAt: 9, connected: true });
    ledger.met(device(1, '4321'), 11);
    expect([...ledger.devices].map(({ firstSeenAt }) => firstSeenAt)).toEqual([5, 11]);
  });

  it('takes no notice where a device goes that it has forgotten', () => {
    const ledger = full();
    ledger.met(device(65), 65);
    ledger.gone(device(1), 66);
    expect(ledger.entry(device(1))).toBeUndefined();
  });

  it('has 16 refusals, newest first, and drops the oldest that stands no more before any that stands', () => {
    const ledger = new Ledger();
    const refuse = (n: number) => {
      const identity = device(n);
      Object.assign(ledger.met(identity, n), { state: 'refused', reason: 'no_codec' });
      ledger.reject({ identity, kind: 'unknown', reason: 'no_codec', at: n });
    };
    const refused = () => ledger.rejections.map(({ at }) => at);
    for (const n of numbers(1, 16)) refuse(n);
    expect(refused()).toEqual(numbers(1, 16).toReversed());
    for (const n of [5, 3]) ledger.gone([...ledger.devices][n - 1]?.identity ?? expect.fail(), 20);
    for (const n of [17, 18, 19]) refuse(n);
    expect(refused().toReversed()).toEqual([2, 4, ...numbers(6, 19)]);
  });
});
