/** What a device is called by its strings. */
import { describe, expect, it } from 'vitest';
import { usbIdentity } from '../../runtime/bindings/usb-identity.ts';

const NOTHING = new Uint8Array(0);

describe('a serial number', () => {
  it('is what the device says, trimmed', () => {
    expect(usbIdentity(NOTHING, { serial: ' S1 ' }, '1-1').serial).toBe('S1');
  });

  it.each([undefined, '', '    ', '\u0001\u0001'])('of nothing to be seen is none: %j', (serial) => {
    expect(usbIdentity(NOTHING, { serial }, '1-1')).not.toHaveProperty('serial');
  });
});
