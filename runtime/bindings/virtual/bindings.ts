/**
 * The bindings of the twin: virtual USB bus, radio, buttons and cameras, but the machine's own disk and network links.
 */
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

/** Functions that create virtual devices, by the name of the device's room. */
export type VirtualFactories = Readonly<Record<string, () => VirtualDevice>>;

/**
 * What a test or the twin's control page moves: virtual bus, devices (by the name of their room), buttons and radio.
 */
export interface VirtualBench {
  readonly usb: VirtualUsb;
  readonly devices: ReadonlyMap<string, VirtualDevice>;
  readonly buttons: VirtualButtons;
  /** In range of three example networks; joined to none. */
  readonly radio: VirtualRadio;
}

declare module '../bindings.ts' {
  interface Bindings {
    /** The virtual bus and its devices; absent if the bindings are native. Only the room `twin` uses it. */
    readonly bench?: VirtualBench;
  }
}

const IN_REACH: readonly VirtualNetwork[] = [
  { ssid: 'Corner Café', password: 'flat white please', band: '2.4', signalDbm: -48 },
  { ssid: 'Corner Café', password: 'flat white please', band: '5', signalDbm: -61 },
  { ssid: 'Guests', password: '', band: '2.4', signalDbm: -74 },
];

/**
 * The bindings of a twin. Devices of `plugged` are connected at once, those of `atHand` are only created. State is
 * stored in `stateDirectory`; `restart` stops the node in order and ends its process. Never rejects for lack of a disk.
 */
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

/** Creates every device and a bus with those of `plugged` on it; those of `atHand` can be plugged in later. */
export function createBench(plugged: VirtualFactories, atHand: VirtualFactories = {}): VirtualBench {
  const usb = new VirtualUsb();
  const devices = new Map<string, VirtualDevice>();
  for (const [name, create] of Object.entries({ ...plugged, ...atHand })) {
    const device = create();
    devices.set(name, device);
    if (name in plugged) usb.plug(device);
  }
  const radio = new VirtualRadio(IN_REACH);
  radio.hosts.add(LEASE.gateway);
  return { usb, devices, buttons: new VirtualButtons(), radio };
}
