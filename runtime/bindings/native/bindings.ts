/** The machine's own parts. */
import type { Bindings } from '../bindings.ts';
import { createBoot } from './boot.ts';
import { createButtons } from './buttons.ts';
import { createHost } from './host.ts';
import { createLinks } from './links.ts';
import { createRadio } from './radio.ts';
import { openStorage } from './storage.ts';
import { createUsbBinding } from './usb.ts';
import { createVideoBinding } from './video.ts';

export const openBindings = async (stateDirectory: string, restart: () => void): Promise<Bindings> => ({
  usb: createUsbBinding(),
  storage: await openStorage(stateDirectory),
  host: createHost(),
  boot: createBoot(restart),
  links: createLinks(),
  video: createVideoBinding(),
  buttons: createButtons(),
  radio: createRadio(),
});
