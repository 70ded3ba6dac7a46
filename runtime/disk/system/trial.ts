/**
 * When a system that is tried is a good one: its node answers, in a network if it was in one, with the printers of before.
 * Going back from one that is not is left to the boot loader, whose tries install.ts sets: systemd-boot, or U-Boot by
 * raspberry-pi/boot.txt.
 */
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Longer than one call of nmcli may take. */
const ASK_MS = 40_000;
const PAUSE_MS = 2000;

/** systemd-boot counted this start (Boot Loader Interface); it is a trial until systemd-bless-boot says that it is good. */
const COUNTED = '/sys/firmware/efi/efivars/LoaderBootCountPath-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f';
/** It is there when the system that is tried was found to be good. */
export const GOOD = '/run/tillnode/good';

interface Network {
  readonly mode: string;
}
interface Status {
  readonly peripherals: readonly { readonly endpoint: string; readonly kind: string; readonly condition: string }[];
}

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

/** Of the node at this address; undefined if it does not answer. */
export async function standingOf(node: string): Promise<Standing | undefined> {
  const ask = async (path: string) => {
    const response = await fetch(`${node}${path}`, { signal: AbortSignal.timeout(ASK_MS) });
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return response.json() as Promise<unknown>;
  };
  try {
    const { peripherals } = (await ask('/status')) as Status;
    const { mode } = (await ask('/network')) as Network;
    const bound = peripherals.filter(({ kind, condition }) => kind === 'printer' && condition === 'bound');
    return { printers: bound.map(({ endpoint }) => endpoint), linked: mode === 'station' || mode === 'ethernet' };
  } catch {
    return undefined;
  }
}

/**
 * Resolves when the node at this address answers and has what it had `before`; asks for as long as it takes. `pauseMs`:
 * between two questions.
 */
export async function works(node: string, before: Standing, pauseMs = PAUSE_MS): Promise<void> {
  for (;;) {
    const now = await standingOf(node);
    if (now !== undefined && before.printers.every((endpoint) => now.printers.includes(endpoint)))
      if (now.linked || !before.linked) return;
    await delay(pauseMs);
  }
}
