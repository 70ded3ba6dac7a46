/** `tillnode/virtual`: what a virtual USB device is written with. */
export * from '../bindings/virtual/acm-device.ts';
export * from '../bindings/virtual/device.ts';
