/** A camera on the virtual bus: a white bar that moves over grey steps. */
import { greyJpeg } from '../../codecs/jpeg-encoder.ts';
import type { UsbSetup } from '../../runtime/bindings/usb.ts';
import { VideoError, type VideoRequest } from '../../runtime/bindings/video.ts';
import { VirtualDevice } from '../../runtime/bindings/virtual/device.ts';
import type { PictureSource } from '../../runtime/bindings/virtual/video.ts';

const VIDEO = 0x0e;
const STATUS_IN = 0x81;
const STREAM_IN = 0x82;
const SIZES: readonly (readonly [width: number, height: number])[] = [
  [160, 120],
  [320, 240],
  [640, 480],
];
const WHITE = 255;
const STEP_GREY = 24;

export interface VirtualCameraOptions {
  /** Pictures without Huffman tables, as many cameras send them. */
  readonly bare?: boolean;
  /** Has a button, which the control interface reports. */
  readonly button?: boolean;
}

/** A virtual Motion JPEG camera. */
export class VirtualCamera extends VirtualDevice implements PictureSource {
  /** `failing`: every picture is broken off; `hung`: it sends none. */
  condition: 'working' | 'failing' | 'hung' = 'working';
  readonly #bare: boolean;
  #pictures = 0;

  constructor({ bare = false, button = false }: VirtualCameraOptions = {}) {
    const pipes = [{ address: STREAM_IN, type: 'bulk', maxPacketSize: 512 }] as const;
    const status = [{ address: STATUS_IN, type: 'interrupt', maxPacketSize: 16 }] as const;
    super({
      // Miscellaneous class, as interface association descriptors ask for.
      ...{ vendorId: 0x046d, productId: 0x0825, make: 'Logitech', model: 'Webcam C270', class: 0xef },
      interfaces: [
        { class: VIDEO, subclass: 1, protocol: 0, pipes: button ? status : [] },
        { class: VIDEO, subclass: 2, protocol: 0, pipes },
      ],
    });
    this.#bare = bare;
  }

  /** How many pictures were taken. */
  get pictures(): number {
    return this.#pictures;
  }

  picture({ width, height, quality, rotate }: VideoRequest): Uint8Array | undefined {
    if (!SIZES.some(([x, y]) => x === width && y === height))
      throw new VideoError('ended', `no size ${width}x${height}`);
    if (this.condition === 'failing') throw new VideoError('ended', 'the camera gave up');
    if (this.condition === 'hung') return undefined;
    this.#pictures += 1;
    const [columns, rows] = [width / 8, height / 8];
    const bar = this.#pictures % columns;
    /** The column before the picture is rotated. */
    const upright = (column: number, row: number): number =>
      ({ 0: column, 90: row, 180: columns - 1 - column, 270: columns - 1 - row })[rotate];
    return greyJpeg({
      ...(rotate % 180 === 0 ? { width, height } : { width: rows * 8, height: columns * 8 }),
      grey: (column, row) => {
        const x = upright(column, row);
        return x === bar ? WHITE : (x * STEP_GREY) % WHITE;
      },
      step: quality === null ? 1 : Math.max(1, Math.round((100 - quality) * 0.31)),
      huffmanTables: !this.#bare,
    });
  }

  protected receive(): number {
    return 0;
  }

  protected control(_setup: UsbSetup): 'stall' {
    return 'stall';
  }
}

/** The camera of the twin. */
export const createVirtualDevice = (): VirtualCamera => new VirtualCamera();
