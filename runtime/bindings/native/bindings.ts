/** The machine's own parts. */
import type { Bindings } from '../bindings.ts';
import { createHost } from './host.ts';
import { createStorage } from './storage.ts';
import { createUsbBinding } from './usb.ts';
import { createVideoBinding } from './video.ts';

export const openBindings = async (stateDirectory: string): Promise<Bindings> => ({
  usb: createUsbBinding(),
  storage: await createStorage(stateDirectory),
  host: createHost(),
  video: createVideoBinding(),
});
