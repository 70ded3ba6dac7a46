/**
 * When a system that is tried is a good one: its node answers, in a network if it was in one, with the printers of before.
 * Going back from one that is not is left to the boot loader, whose tries install.ts sets: systemd-boot, or U-Boot by
 * raspberry-pi/boot.txt.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Standing } from '../../bindings/system-trial.ts';

/** Longer than one call of nmcli may take. */
const ASK_MS = 40_000;
const PAUSE_MS = 2000;

interface Network {
  readonly mode: string;
}
interface Peripheral {
  readonly endpoint: string;
  readonly kind: string;
  readonly condition: string;
}
interface Status {
  readonly peripherals: readonly Peripheral[];
}

/** Whether the node has this printer. Many answer nothing that they are asked, and print. */
export const isHeldPrinter = ({ kind, condition }: Pick<Peripheral, 'kind' | 'condition'>): boolean =>
  kind === 'printer' && (condition === 'bound' || condition === 'silent');

/** How the node at this address stands; undefined if it does not answer. */
export async function standingOf(node: string): Promise<Standing | undefined> {
  const ask = async (path: string) => {
    const response = await fetch(`${node}${path}`, { signal: AbortSignal.timeout(ASK_MS) });
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return response.json() as Promise<unknown>;
  };
  try {
    const { peripherals } = (await ask('/status')) as Status;
    const { mode } = (await ask('/network')) as Network;
    const held = peripherals.filter(isHeldPrinter);
    return { printers: held.map(({ endpoint }) => endpoint), linked: mode === 'station' || mode === 'ethernet' };
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
