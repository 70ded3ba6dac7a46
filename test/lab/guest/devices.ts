/** The counter's devices. The kernel makes four printers and four HID devices at most, so the suites share them. */
import { TM_T20III } from './epson.ts';
import { GadgetPrinter } from './gadget.ts';
import { GadgetHid } from './gadget-hid.ts';
import { SCALE, WEDGE } from './hid-devices.ts';

function shared<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

export const epsonGadget = shared(() => GadgetPrinter.create({ ...TM_T20III, port: 1, serial: 'X7XX000002' }));
export const wedgeGadget = shared(() => GadgetHid.create(WEDGE));
export const scaleGadget = shared(() => GadgetHid.create(SCALE));
