/** Cameras on the virtual bus: their pictures come from the virtual device, at the pace of a slow camera. */
import {
  type UsbIdentity,
  type VideoBinding,
  type VideoCamera,
  VideoError,
  type VideoPictures,
  type VideoRequest,
} from '../bindings.ts';
import { usbIdentity } from '../usb-identity.ts';
import type { VirtualBench } from './bindings.ts';
import type { VirtualDevice } from './device.ts';

/** What a virtual camera is beside a USB device. */
export interface PictureSource {
  /** The next JPEG; undefined while the camera sends nothing. Throws a VideoError where it cannot do what is asked. */
  picture(request: VideoRequest): Uint8Array | undefined;
}

const PICTURE_MS = 40;

export class VirtualVideo implements VideoBinding {
  readonly #bench: Pick<VirtualBench, 'usb' | 'devices'>;

  constructor(bench: Pick<VirtualBench, 'usb' | 'devices'>) {
    this.#bench = bench;
  }

  async list(): Promise<readonly VideoCamera[]> {
    return this.#cameras().map((camera, number) => {
      const { vendorId, productId } = usbIdentity(camera.descriptors, camera.strings, '');
      return { path: `virtual:${number}`, vendorId, productId, port: '' };
    });
  }

  async open(request: VideoRequest): Promise<VideoPictures> {
    const camera = this.#cameras().find((each) => isSame(each, request.device));
    if (camera === undefined) throw new VideoError('no_device');
    return new VirtualPictures(() => {
      if (!this.#bench.usb.isPlugged(camera)) throw new VideoError('ended', 'the camera was unplugged');
      return camera.picture(request);
    });
  }

  #cameras(): (VirtualDevice & PictureSource)[] {
    return [...this.#bench.devices.values()].filter(isCamera).filter((device) => this.#bench.usb.isPlugged(device));
  }
}

const isCamera = (device: VirtualDevice): device is VirtualDevice & PictureSource => 'picture' in device;

/** The virtual bus does not tell where a device is plugged in: two of one make without serial numbers look the same. */
function isSame({ descriptors, strings }: VirtualDevice, { vendorId, productId, serial, port }: UsbIdentity): boolean {
  const own = usbIdentity(descriptors, strings, port);
  return own.vendorId === vendorId && own.productId === productId && own.serial === serial;
}

class VirtualPictures implements VideoPictures {
  readonly #take: () => Uint8Array | undefined;
  readonly #closing = new AbortController();

  constructor(take: () => Uint8Array | undefined) {
    this.#take = take;
  }

  next({ timeoutMs }: { readonly timeoutMs: number }): Promise<Uint8Array> {
    const { signal } = this.#closing;
    return new Promise((resolve, reject) => {
      const look = () => {
        try {
          const picture = this.#take();
          if (picture !== undefined) end(() => resolve(picture));
        } catch (error) {
          end(() => reject(error));
        }
      };
      const closed = () => end(() => reject(new VideoError('closed')));
      const clock = setInterval(look, PICTURE_MS);
      const deadline = setTimeout(() => end(() => reject(new VideoError('timeout'))), timeoutMs);
      const end = (settle: () => void) => {
        clearInterval(clock);
        clearTimeout(deadline);
        signal.removeEventListener('abort', closed);
        settle();
      };
      if (signal.aborted) closed();
      else signal.addEventListener('abort', closed, { once: true });
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
  }
}
