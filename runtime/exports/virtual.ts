/** `tillnode/virtual`: everything that a virtual USB device imports. */
export type { UsbSetup } from '../bindings/usb.ts';
export * from '../bindings/virtual/acm-device.ts';
export * from '../bindings/virtual/device.ts';
export * from '../bindings/virtual/hid-device.ts';
