/** The cameras of the machine. */
import type { UsbIdentity } from './usb.ts';

/** Parameters of a camera. Sizes in pixels, before rotation. */
export interface VideoRequest {
  /** The camera as the USB bus shows it. */
  readonly device: UsbIdentity;
  readonly width: number;
  readonly height: number;
  /** JPEG quality from 1 (smallest file) to 100; null: as the camera compresses. */
  readonly quality: number | null;
  /** Degrees clockwise. */
  readonly rotate: 0 | 90 | 180 | 270;
}

/** `no_program`: ffmpeg is missing. `ended`: the camera or the program that reads it stopped. `closed`: by `close`. */
export type VideoFault = 'no_program' | 'no_device' | 'timeout' | 'ended' | 'closed';

/** The only error a video call rejects with. */
export class VideoError extends Error {
  readonly fault: VideoFault;
  constructor(fault: VideoFault, detail?: string) {
    super(detail ? `${fault}: ${detail}` : fault);
    this.name = 'VideoError';
    this.fault = fault;
  }
}

/**
 * A camera that is running. Every implementation guarantees:
 * - `next` resolves with the first complete JPEG that arrives after the call, the same for all pending calls; pictures
 *   without a pending call are dropped. It rejects at its deadline, and at once when the camera stops or is closed;
 * - `close` resolves when the camera is released; closing twice does nothing. Both end in bounded time.
 */
export interface VideoPictures {
  next(options: { readonly timeoutMs: number }): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Cameras, used through the operating system's driver: their USB interfaces are not claimed. */
export interface VideoBinding {
  /** Starts a camera. Rejects with a VideoError; a missing program may be reported by the first `next` instead. */
  open(request: VideoRequest): Promise<VideoPictures>;
}
