/** Cameras on the virtual bus: pictures come from the virtual device, one every 40 ms. */
import { type VideoBinding, VideoError, type VideoPictures, type VideoRequest } from '../video.ts';
import type { VirtualDevice } from './device.ts';
import type { VirtualUsb } from './usb.ts';

/** What a virtual device implements to be a camera. */
export interface PictureSource {
  /** The next JPEG; undefined while the camera sends nothing. Throws a VideoError if it cannot fulfil the request. */
  picture(request: VideoRequest): Uint8Array | undefined;
}

const PICTURE_MS = 40;

/** The cameras among the devices of a virtual bus. `open` rejects with `no_device` if the device has no pictures. */
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
