/** Hubs: the operating system drives them, so this codec translates nothing; a recipe row gives a hub its name. */
import { defineCodec } from './codec.ts';

/** Codec `usb-hub`, without recipe options. */
export const usbHub = defineCodec({ name: 'usb-hub', kind: 'hub', options: {} });
