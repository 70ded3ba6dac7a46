/** The device's side: a modem to USB (CDC-ACM) that says its readings once the host is there. */
import { VirtualAcmDevice } from 'tillnode/virtual';

export class VirtualSample extends VirtualAcmDevice {
  #said = 0;

  constructor() {
    // Test ids of pid.codes: put your device's here and in recipes/.
    super({ vendorId: 0x1209, productId: 0x0003, make: 'Example', model: 'Example device' });
  }

  /** What GET /twin/devices shows of it. */
  get state() {
    return { ready: this.hostIsThere, said: this.#said };
  }

  /** Says a reading; nothing before the host is there. */
  say(value: string): void {
    if (!this.hostIsThere) return;
    this.#said += 1;
    this.write(`${value}\r\n`);
  }

  /** So that there is something to see at once. */
  protected override hostCame(): void {
    this.say('hello');
  }
}

export const createVirtualDevice = (): VirtualSample => new VirtualSample();
