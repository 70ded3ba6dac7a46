/**
 * A bound camera. It is started for the first picture and stopped some time after the last one, because starting takes longer
 * than a picture.
 */
import { type Picture, readPicture } from '../../codecs/mjpeg.ts';
import type { UsbIdentity } from '../../runtime/bindings/usb.ts';
import { type VideoBinding, VideoError, type VideoPictures } from '../../runtime/bindings/video.ts';
import type { Bound } from '../../runtime/kernel/device.ts';
import type { Resolution } from '../../runtime/recipes/table.ts';
import type { CameraSettings } from './contract.ts';

/** Milliseconds to wait for one picture, the start of the camera included. */
const PICTURE_MS = 5000;
const IDLE_MS = 3000;

export interface CameraParts {
  readonly identity: UsbIdentity;
  readonly recipe: Resolution;
  readonly video: VideoBinding;
  /** The stored settings. */
  readonly settings: () => CameraSettings;
  readonly pictureMs?: number;
  readonly idleMs?: number;
}

/** One bound camera; the kernel keeps it for its endpoint. */
export class Camera implements Bound {
  readonly recipe: Resolution;
  readonly #parts: Required<CameraParts>;
  #running: Promise<VideoPictures> | undefined;
  /** The test of new settings that is going on; never rejects. */
  #trial: Promise<unknown> | undefined;
  #idle: NodeJS.Timeout | undefined;
  #released = false;
  #failingSince: number | undefined;
  #last: Picture | undefined;

  constructor(parts: CameraParts) {
    this.recipe = parts.recipe;
    this.#parts = { pictureMs: PICTURE_MS, idleMs: IDLE_MS, ...parts };
  }

  /** The last picture taken. */
  get last(): Picture | undefined {
    return this.#last;
  }

  /** A picture taken after the call. Rejects with a VideoError. */
  async capture(): Promise<Picture> {
    while (this.#trial !== undefined) await this.#trial;
    clearTimeout(this.#idle);
    const running = this.#start(this.#parts.settings());
    try {
      const picture = await this.#take(running);
      this.#failingSince = undefined;
      this.#taken(picture);
      return picture;
    } catch (error) {
      // The camera was stopped to test other settings: try again.
      if (error instanceof VideoError && error.fault === 'closed' && !this.#released) return this.capture();
      this.#failingSince ??= performance.now();
      if (this.#running === running) await this.#halt();
      throw error;
    }
  }

  /**
   * Takes a picture with changed settings, then calls `store`. Where either fails it rejects, and the camera continues with
   * the old settings. Tests run one after the other.
   */
  async tryOut(
    change: Partial<CameraSettings>,
    store: (settings: CameraSettings) => Promise<void>,
  ): Promise<CameraSettings> {
    while (this.#trial !== undefined) await this.#trial;
    const settings = { ...this.#parts.settings(), ...change };
    const attempt = this.#attempt(settings, () => store(settings)).finally(() => {
      this.#trial = undefined;
    });
    this.#trial = attempt.catch(() => {});
    await attempt;
    return settings;
  }

  silentSince(): number | undefined {
    return this.#failingSince;
  }

  async release(): Promise<void> {
    this.#released = true;
    await this.#halt();
  }

  async #attempt(settings: CameraSettings, store: () => Promise<void>): Promise<void> {
    await this.#halt();
    try {
      const picture = await this.#take(this.#start(settings));
      const { width, height } = turned(settings);
      if (picture.width !== width || picture.height !== height) {
        const sent = `${picture.width}x${picture.height}`;
        throw new VideoError('ended', `the camera sends ${sent} where ${width}x${height} is asked for`);
      }
      await store();
      this.#failingSince = undefined;
      this.#taken(picture);
    } catch (error) {
      await this.#halt();
      throw error;
    }
  }

  #start(settings: CameraSettings): Promise<VideoPictures> {
    if (this.#released) return Promise.reject(new VideoError('no_device', 'the camera was let go'));
    this.#running ??= this.#parts.video.open({ device: this.#parts.identity, ...settings });
    return this.#running;
  }

  async #take(running: Promise<VideoPictures>): Promise<Picture> {
    const pictures = await running;
    const picture = readPicture(await pictures.next({ timeoutMs: this.#parts.pictureMs }));
    if (!picture.ok) throw new VideoError('ended', picture.reason);
    return picture.value;
  }

  #taken(picture: Picture): void {
    this.#last = picture;
    clearTimeout(this.#idle);
    if (!this.#released) this.#idle = setTimeout(() => void this.#halt(), this.#parts.idleMs).unref();
  }

  async #halt(): Promise<void> {
    clearTimeout(this.#idle);
    const running = this.#running;
    this.#running = undefined;
    // A camera that could not be opened need not be closed.
    const pictures = await running?.catch(() => undefined);
    await pictures?.close();
  }
}

/** Width and height in dots of the picture after it is rotated. */
export const turned = ({ width, height, rotate }: CameraSettings) =>
  rotate % 180 === 0 ? { width, height } : { width: height, height: width };
