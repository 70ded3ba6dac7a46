/** Hubs: the machine's own driver runs them, so there are no bytes to translate; a row gives them their name. */
import { defineCodec } from './codec.ts';

export const usbHub = defineCodec({ name: 'usb-hub', kind: 'hub', options: {} });
