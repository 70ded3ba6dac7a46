/**
 * The virtual device: a serial device (CDC-ACM) that sends its readings once the host has raised DTR. One with reports instead
 * of a line extends `VirtualHidDevice`, one with pipes of its own `VirtualDevice`.
 */
import { VirtualAcmDevice } from 'tillnode/virtual';

/** The device; `say` sends a reading. */
export class VirtualSample extends VirtualAcmDevice {
  /** What a hand can do with it: buttons on the page of the twin, and POST /twin/action. */
  override readonly actions = {
    reading: { argument: { name: 'value', default: '42' }, act: (value: string) => this.say(value) },
  };
  /** What stands on the button and beside the field of its argument; other languages as `de: { … }`. */
  override readonly words = { en: { reading: 'Send a reading', value: 'Reading' } };
  #said = 0;
  #told = '';

  constructor() {
    // Test ids of pid.codes: put your device's here and in recipes/.
    super({ vendorId: 0x1209, productId: 0x0003, make: 'Example', model: 'Example device' });
  }

  /** State of the device in GET /twin/devices; `told`: the last line that it got. */
  get state() {
    return { ready: this.hostIsThere, said: this.#said, told: this.#told.split('\r\n').at(-2) ?? '' };
  }

  /** Sends a reading; does nothing before the host has raised DTR. */
  say(value: string): void {
    if (!this.hostIsThere) return;
    this.#said += 1;
    this.write(`${value}\r\n`);
  }

  /** Sends a first reading, so that the twin shows one at once. */
  protected override hostCame(): void {
    this.say('hello');
  }

  protected override receive(_pipe: number, bytes: Uint8Array): number {
    this.#told = `${this.#told}${Buffer.from(bytes).toString()}`.slice(-256);
    return bytes.length;
  }
}

/** Called by the twin for each virtual device of the room. */
export const createVirtualDevice = (): VirtualSample => new VirtualSample();
