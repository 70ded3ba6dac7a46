/** What a disk of two systems says of a trial: read by the node, written by the service that installs a system. */
import { existsSync, readFileSync } from 'node:fs';

/** systemd-boot counted this start (Boot Loader Interface); it is a trial until systemd-bless-boot says that it is good. */
const COUNTED = '/sys/firmware/efi/efivars/LoaderBootCountPath-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f';
/** File that is there when the system that is tried was found to be good. */
export const GOOD = '/run/tillnode/good';

/** Whether U-Boot counted this start: its script gives the kernel a word then. */
export const isTriedByUBoot = (): boolean =>
  /(?:^| )tillnode\.trial(?: |$)/m.test(readFileSync('/proc/cmdline', 'utf8'));

/** Whether the system that runs is on trial. */
export const onTrial = (): boolean => (existsSync(COUNTED) || isTriedByUBoot()) && !existsSync(GOOD);

/** What a new system must have that the one before had. */
export interface Standing {
  /** Endpoints of the printers that are bound. */
  readonly printers: readonly string[];
  /** In the network of the shop, by Wi-Fi or cable: there it can be reached, and updated again. */
  readonly linked: boolean;
}

/** A system that was installed, and what the one before had then: the content of `TRIAL`. */
export interface Installed extends Standing {
  readonly slot: string;
  readonly version: string;
  /** The firmware was told to start it. */
  readonly isEntered: boolean;
}
/** The file that says what was installed last. */
export const TRIAL = '/data/system/trial.json';
