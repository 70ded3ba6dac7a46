/** The device's side: a modem to USB (CDC-ACM) that says its readings once the host is there. */
import type { UsbSetup } from 'tillnode/plugin';
import { VirtualDevice } from 'tillnode/virtual';

const BULK_IN = 0x81;
const BULK_OUT = 0x02;
const NOTIFICATION = 0x83;
const SET_LINE_CODING = 0x20;
const SET_CONTROL_LINE_STATE = 0x22;
/** Header, ACM and union functional descriptors: interface 0 controls interface 1 (Communications Class 1.2, 5.2.3). */
const FUNCTIONAL = Uint8Array.of(5, 0x24, 0x00, 0x20, 0x01, 4, 0x24, 0x02, 0x02, 5, 0x24, 0x06, 0, 1);

export class VirtualSample extends VirtualDevice {
  #ready = false;
  #said = 0;

  constructor() {
    super({
      // Test ids of pid.codes: put your device's here and in recipes/.
      ...{ vendorId: 0x1209, productId: 0x0003, make: 'Example', model: 'Example device', class: 0x02 },
      interfaces: [
        {
          ...{ class: 0x02, subclass: 0x02, protocol: 0x01, extra: FUNCTIONAL },
          pipes: [{ address: NOTIFICATION, type: 'interrupt', maxPacketSize: 8 }],
        },
        {
          ...{ class: 0x0a, subclass: 0, protocol: 0 },
          pipes: [
            { address: BULK_IN, type: 'bulk', maxPacketSize: 64 },
            { address: BULK_OUT, type: 'bulk', maxPacketSize: 64 },
          ],
        },
      ],
    });
  }

  /** What GET /twin/devices shows of it. */
  get state() {
    return { ready: this.#ready, said: this.#said };
  }

  /** Says a reading; nothing before the host is there. */
  say(value: string): void {
    if (!this.#ready) return;
    this.#said += 1;
    this.send(BULK_IN, Buffer.from(`${value}\r\n`));
  }

  override detach(): void {
    this.#ready = false;
    super.detach();
  }

  protected receive(_pipe: number, bytes: Uint8Array): number {
    return bytes.length;
  }

  protected control({ requestType, request, value }: UsbSetup): Uint8Array | 'stall' {
    if (requestType !== 0x21) return 'stall';
    if (request === SET_CONTROL_LINE_STATE) {
      this.#ready = (value & 1) === 1;
      // So that there is something to see at once.
      if (this.#ready) this.say('hello');
    } else if (request !== SET_LINE_CODING) return 'stall';
    return new Uint8Array(0);
  }
}

export const createVirtualDevice = (): VirtualSample => new VirtualSample();
