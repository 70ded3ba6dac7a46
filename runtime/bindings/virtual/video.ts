/** Cameras on the virtual bus: their pictures come from the virtual device, at the pace of a slow camera. */
import { type VideoBinding, VideoError, type VideoPictures, type VideoRequest } from '../bindings.ts';
import type { VirtualDevice } from './device.ts';
import type { VirtualUsb } from './usb.ts';

/** What a virtual camera is beside a USB device. */
export interface PictureSource {
  /** The next JPEG; undefined while the camera sends nothing. Throws a VideoError where it cannot do what is asked. */
  picture(request: VideoRequest): Uint8Array | undefined;
}

const PICTURE_MS = 40;

export class VirtualVideo implements VideoBinding {
  readonly #usb: VirtualUsb;

  constructor(usb: VirtualUsb) {
    this.#usb = usb;
  }

  async open(request: VideoRequest): Promise<VideoPictures> {
    const camera = this.#usb.deviceAt(request.device.port);
    if (camera === undefined || !isCamera(camera)) throw new VideoError('no_device');
    return new VirtualPictures(() => {
      if (!this.#usb.isPlugged(camera)) throw new VideoError('ended', 'the camera was unplugged');
      return camera.picture(request);
    });
  }
}

const isCamera = (device: VirtualDevice): device is VirtualDevice & PictureSource => 'picture' in device;

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
