/** When a system that is tried is a good one: its node answers, and the printers are there that were there before. */
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const ASK_MS = 10_000;
const PAUSE_MS = 2000;

/** systemd-boot counted this start (Boot Loader Interface); it is a trial until systemd-bless-boot says that it is good. */
const COUNTED = '/sys/firmware/efi/efivars/LoaderBootCountPath-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f';
/** It is there when the system that is tried was found to be good. */
export const GOOD = '/run/tillnode/good';

interface Status {
  readonly peripherals: readonly { readonly endpoint: string; readonly kind: string; readonly condition: string }[];
}

/** Whether U-Boot counted this start: its script gives the kernel a word then. */
export const isTriedByUBoot = (): boolean =>
  /(?:^| )tillnode\.trial(?: |$)/m.test(readFileSync('/proc/cmdline', 'utf8'));

/** Whether the system that runs is on trial. */
export const onTrial = (): boolean => (existsSync(COUNTED) || isTriedByUBoot()) && !existsSync(GOOD);

/** Endpoints of the printers that the node at this address has bound; undefined if it does not answer. */
export async function boundPrinters(node: string): Promise<string[] | undefined> {
  try {
    const response = await fetch(`${node}/status`, { signal: AbortSignal.timeout(ASK_MS) });
    if (!response.ok) return undefined;
    const { peripherals } = (await response.json()) as Status;
    return peripherals
      .filter(({ kind, condition }) => kind === 'printer' && condition === 'bound')
      .map(({ endpoint }) => endpoint);
  } catch {
    return undefined;
  }
}

/**
 * Resolves when the node at this address answers, and has these printers bound; asks for as long as it takes. `pauseMs`:
 * between two questions.
 */
export async function works(node: string, printers: readonly string[], pauseMs = PAUSE_MS): Promise<void> {
  for (;;) {
    const bound = await boundPrinters(node);
    if (bound !== undefined && printers.every((endpoint) => bound.includes(endpoint))) return;
    await delay(pauseMs);
  }
}
