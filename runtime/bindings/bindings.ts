/**
 * The interface between the node and the machine that it runs on. There is a native and a virtual implementation, which
 * pass the same conformance suites (test/bindings); code above this file does not know which one it uses.
 */
import type { ButtonsBinding, HostBinding, LedBinding } from './board.ts';
import type { BootBinding } from './boot.ts';
import type { LinksBinding, RadioBinding } from './network.ts';
import type { StorageBinding } from './storage.ts';
import type { UsbBinding } from './usb.ts';
import type { VideoBinding } from './video.ts';

/** All parts of the machine. */
export interface Bindings {
  readonly usb: UsbBinding;
  readonly storage: StorageBinding;
  readonly host: HostBinding;
  readonly boot: BootBinding;
  readonly links: LinksBinding;
  /** Absent if this machine cannot have cameras. */
  readonly video?: VideoBinding;
  readonly radio?: RadioBinding;
  readonly buttons?: ButtonsBinding;
  readonly led?: LedBinding;
}
