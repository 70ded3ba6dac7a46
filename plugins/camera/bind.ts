/** From a USB device to a bound camera: nothing is opened or claimed, the kernel's driver keeps it (USB Video Class 1.5). */
import { mjpeg } from '../../codecs/mjpeg.ts';
import type { UsbIdentity, VideoBinding } from '../../runtime/bindings/bindings.ts';
import { derivedRecipe } from '../../runtime/kernel/derived.ts';
import type { Candidate, Refusal } from '../../runtime/kernel/device.ts';
import type { Resolution } from '../../runtime/kernel/recipes.ts';
import { Camera } from './camera.ts';
import type { CameraSettings } from './contract.ts';

const VIDEO = 0x0e;
const STREAMING = 0x02;

/** By its streaming interface; a recipe row for this very product goes first. */
export function classify({ interfaces }: UsbIdentity, recipe: Resolution | undefined): 'camera' | undefined {
  if (recipe !== undefined && recipe.row.kind !== 'camera' && recipe.row.productId !== '*') return undefined;
  return interfaces.some((each) => each.class === VIDEO && each.subclass === STREAMING) ? 'camera' : undefined;
}

export function bind(
  { device: { identity }, recipe }: Candidate,
  video: VideoBinding | undefined,
  settings: () => CameraSettings,
): Camera | Refusal {
  if (video === undefined) return { reason: 'no_codec', detail: 'this machine takes no pictures' };
  const own = recipe?.row.kind === 'camera' ? recipe : undefined;
  return new Camera({ identity, recipe: own ?? derivedRecipe(identity, mjpeg), video, settings });
}
