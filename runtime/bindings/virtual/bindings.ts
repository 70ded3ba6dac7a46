/** The twin's parts: a virtual bus with virtual devices on it; settings are kept on the real disk, and it is reached over the real network. */
import type { Bindings } from '../bindings.ts';
import { createBoot } from '../native/boot.ts';
import { createHost } from '../native/host.ts';
import { createLinks } from '../native/links.ts';
import { openStorage } from '../native/storage.ts';
import { VirtualButtons } from './buttons.ts';
import type { VirtualDevice } from './device.ts';
import { LEASE, type VirtualNetwork, VirtualRadio } from './radio.ts';
import { VirtualUsb } from './usb.ts';
import { VirtualVideo } from './video.ts';

export type VirtualFactories = Readonly<Record<string, () => VirtualDevice>>;

/** The virtual bus, the devices made for it by the name of their room, the buttons and the radio. For the twin's controls only. */
export interface VirtualBench {
  readonly usb: VirtualUsb;
  readonly devices: ReadonlyMap<string, VirtualDevice>;
  readonly buttons: VirtualButtons;
  /** Among the networks of a shop, on none of them yet. */
  readonly radio: VirtualRadio;
}

declare module '../bindings.ts' {
  interface Bindings {
    /** The virtual bus and its devices, where the bindings are virtual. For the twin room's controls and nobody else. */
    readonly bench?: VirtualBench;
  }
}

const IN_REACH: readonly VirtualNetwork[] = [
  { ssid: 'Corner Café', password: 'flat white please', band: '2.4', signalDbm: -48 },
  { ssid: 'Corner Café', password: 'flat white please', band: '5', signalDbm: -61 },
  { ssid: 'Guests', password: '', band: '2.4', signalDbm: -74 },
];

export async function openBindings(
  stateDirectory: string,
  restart: () => void,
  plugged: VirtualFactories,
  atHand: VirtualFactories,
): Promise<Bindings & { readonly bench: VirtualBench }> {
  const bench = createBench(plugged, atHand);
  const storage = await openStorage(stateDirectory);
  return {
    usb: bench.usb,
    storage,
    host: createHost(),
    boot: createBoot(restart),
    links: createLinks(),
    video: new VirtualVideo(bench.usb),
    buttons: bench.buttons,
    radio: bench.radio,
    bench,
  };
}

/** Every device made; those `atHand` are not plugged in. */
export function createBench(plugged: VirtualFactories, atHand: VirtualFactories = {}): VirtualBench {
  const usb = new VirtualUsb();
  const devices = new Map<string, VirtualDevice>();
  for (const [name, create] of Object.entries({ ...plugged, ...atHand })) {
    const device = create();
    devices.set(name, device);
    if (name in plugged) usb.plug(device);
  }
  const radio = new VirtualRadio(IN_REACH);
  radio.neighbours.add(LEASE.gateway);
  return { usb, devices, buttons: new VirtualButtons(), radio };
}
