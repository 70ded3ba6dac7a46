import type { UsbSetup } from '../../runtime/bindings/usb.ts';
import { VirtualDevice } from '../../runtime/bindings/virtual/device.ts';

export interface VirtualHubOptions {
  readonly vendorId?: number;
  readonly productId?: number;
  readonly make?: string;
  readonly model?: string;
  readonly selfPowered?: boolean;
  readonly ports?: number;
}

const STATUS_CHANGE = 0x81;
const DEVICE_TO_HOST = 0x80;
const CLASS_DEVICE_TO_HOST = 0xa0;
const GET_STATUS = 0;
const GET_DESCRIPTOR = 6;
const HUB_DESCRIPTOR = 0x29;

/**
 * A virtual high-speed hub with one transaction translator (USB 2.0, 11.23). A device is behind it where its port path begins
 * with that of the hub.
 */
export class VirtualHub extends VirtualDevice {
  readonly #ports: number;
  readonly #selfPowered: boolean;

  constructor(options: VirtualHubOptions = {}) {
    const { vendorId = 0x05e3, productId = 0x0608, make = 'Genesys Logic', model = 'USB2.0 Hub' } = options;
    const { selfPowered = true, ports = 4 } = options;
    const pipes = [{ address: STATUS_CHANGE, type: 'interrupt', maxPacketSize: 1 }] as const;
    super({
      ...{ vendorId, productId, make, model, selfPowered, class: 0x09 },
      interfaces: [{ class: 0x09, subclass: 0, protocol: 0, pipes }],
    });
    this.#ports = ports;
    this.#selfPowered = selfPowered;
  }

  protected control({ requestType, request, value }: UsbSetup): Uint8Array | 'stall' {
    if (requestType === DEVICE_TO_HOST && request === GET_STATUS) return Uint8Array.of(Number(this.#selfPowered), 0);
    if (requestType !== CLASS_DEVICE_TO_HOST || request !== GET_DESCRIPTOR || value >> 8 !== HUB_DESCRIPTOR)
      return 'stall';
    // Each port is removable and has its own power switch; power is good after 100 ms; the hub takes 100 mA (11.23.2.1).
    const portBits = Math.ceil((this.#ports + 1) / 8);
    const masks = [...new Uint8Array(portBits), ...new Uint8Array(portBits).fill(0xff)];
    return Uint8Array.of(7 + masks.length, HUB_DESCRIPTOR, this.#ports, 0x09, 0, 50, 100, ...masks);
  }

  protected receive(): number {
    return 0;
  }
}

/** The hub of the twin, with its own power supply. */
export const createVirtualDevice = (): VirtualHub => new VirtualHub();
