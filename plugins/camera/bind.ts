/** Binds a USB camera (USB Video Class 1.5). Nothing is opened or claimed: the driver of the operating system keeps it. */
import { mjpeg } from '../../codecs/mjpeg.ts';
import { streamFormats } from '../../codecs/uvc.ts';
import type { UsbIdentity } from '../../runtime/bindings/usb.ts';
import type { VideoBinding } from '../../runtime/bindings/video.ts';
import { derivedRecipe } from '../../runtime/kernel/derived.ts';
import type { Candidate, Refusal } from '../../runtime/kernel/device.ts';
import type { Resolution } from '../../runtime/recipes/table.ts';
import { Camera } from './camera.ts';
import type { CameraSettings } from './contract.ts';

/** bInterfaceClass of USB video devices. */
export const VIDEO = 0x0e;
const STREAMING = 0x02;

/** `camera` where it has a video streaming interface, unless a recipe row for this product has another kind. */
export function classify({ interfaces }: UsbIdentity, recipe: Resolution | undefined): 'camera' | undefined {
  if (recipe !== undefined && recipe.row.kind !== 'camera' && recipe.row.productId !== '*') return undefined;
  return interfaces.some(isStreaming) ? 'camera' : undefined;
}

const isStreaming = ({ class: code, subclass }: UsbIdentity['interfaces'][number]) =>
  code === VIDEO && subclass === STREAMING;

/** The bound camera. The capture device of the operating system is found by USB port path. */
export function bind(
  { device: { identity }, recipe }: Candidate,
  video: VideoBinding | undefined,
  settings: () => CameraSettings,
): Camera | Refusal {
  if (video === undefined) return { reason: 'no_codec', detail: 'this machine takes no pictures' };
  const formats = identity.interfaces.filter(isStreaming).flatMap(({ extra }) => [...streamFormats(extra)]);
  if (formats.length > 0 && formats.every((format) => format === 'other'))
    return { reason: 'no_codec', detail: 'it sends neither Motion JPEG nor raw pictures (H.264 alone, for example)' };
  const own = recipe?.row.kind === 'camera' ? recipe : undefined;
  return new Camera({ identity, recipe: own ?? derivedRecipe(identity, mjpeg), video, settings });
}
