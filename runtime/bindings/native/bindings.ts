/** Puts together the native implementations of all bindings. */
import type { Bindings } from '../bindings.ts';
import { createBoot } from './boot.ts';
import { createButtons } from './buttons.ts';
import { createHost } from './host.ts';
import { createLed } from './led.ts';
import { createLinks } from './links.ts';
import { createRadio } from './radio.ts';
import { openStorage } from './storage.ts';
import { createUsbBinding } from './usb.ts';
import { createVideoBinding } from './video.ts';

/**
 * The bindings of this machine. `stateDirectory` is where durable blobs are stored; `restart` stops the node in order
 * and ends its process. Never rejects: what the machine lacks is reported by the binding concerned.
 */
export const openBindings = async (stateDirectory: string, restart: () => void): Promise<Bindings> => ({
  usb: createUsbBinding(),
  storage: await openStorage(stateDirectory),
  host: createHost(),
  boot: createBoot(restart),
  links: createLinks(),
  video: createVideoBinding(),
  buttons: createButtons(),
  led: createLed(),
  radio: createRadio(),
});
