/**
 * The connection to the launcher (runtime/boot) that started this image. They exchange messages over the IPC channel of
 * child_process.fork(): only the launcher writes the boot state, only the image writes the inactive slot. Without a
 * launcher the image runs as the factory image and cannot be updated.
 */

import type { BootBinding } from '../boot.ts';
import { ALIVE_INTERVAL_MS, BOOT_FACTS, type BootFacts, type FromLauncher, type ToLauncher } from '../boot-messages.ts';
import { IncomingSlot } from './boot-slot.ts';
import { systemSlots } from './system-slot.ts';

/** Time limit of a request to the launcher, which responds after one durable write. */
const ANSWER_MS = 30_000;
/** A timer that fires later than this means that the event loop was blocked: no `alive` is sent then. */
const LAG_MS = 1000;

/** A request to the launcher, without the id that `ask` adds. */
type Question =
  Extract<ToLauncher, { readonly id: number }> extends infer M
    ? M extends { readonly id: number }
      ? Omit<M, 'id'>
      : never
    : never;

/** Number of runs in this process: without a launcher, a restart is another run in the same process. */
let runs = 0;

/** `restart` stops the node in order and ends the process. The other facts come from the environment (`BOOT_FACTS`). */
export function createBoot(restart: () => void): BootBinding {
  const facts = process.env[BOOT_FACTS];
  if (facts === undefined || process.send === undefined) {
    runs += 1;
    return { slot: 'factory', reason: runs > 1 ? 'restart' : 'power_on', markGood: () => {}, restart };
  }
  const { slot, reason, onTrial, previous, superseded, failed, incoming } = JSON.parse(facts) as BootFacts;
  const launcher = new LauncherChannel();
  let open: IncomingSlot | undefined;
  const system = systemSlots();
  return {
    slot,
    reason,
    ...(onTrial && { onTrial }),
    ...(previous && { previous }),
    ...(superseded && { superseded }),
    ...(system && { system }),
    restart,
    markGood: (works) => launcher.markGood(works),
    slots: {
      failed,
      begin: async () => {
        if (open?.closed === false) throw new Error('the slot is being written');
        await launcher.ask({ type: 'clear' });
        open = await IncomingSlot.open(incoming, (version, manifest) =>
          launcher.ask({ type: 'install', version, manifest }),
        );
        return open;
      },
      revert: () => launcher.ask({ type: 'revert' }),
    },
  };
}

class LauncherChannel {
  readonly #waiting = new Map<number, (error: string | undefined) => void>();
  #ids = 0;
  #pulse: NodeJS.Timeout | undefined;

  constructor() {
    process.on('message', ({ id, error }: FromLauncher) => this.#waiting.get(id)?.(error));
    // The open channel alone must not keep the process running.
    process.channel?.unref();
  }

  markGood(works: () => Promise<boolean>): void {
    let message: ToLauncher = { type: 'good' };
    let due = performance.now() + ALIVE_INTERVAL_MS;
    let asking = false;
    const beat = async () => {
      const late = performance.now() - due;
      due = performance.now() + ALIVE_INTERVAL_MS;
      if (late >= LAG_MS || asking) return;
      asking = true;
      if (await works()) {
        send(message);
        message = { type: 'alive' };
      }
      asking = false;
    };
    this.#pulse ??= setInterval(() => void beat(), ALIVE_INTERVAL_MS).unref();
    void beat();
  }

  /** Resolves when the launcher has done it, durably; rejects with the launcher's error, or after 30 seconds. */
  async ask(question: Question): Promise<void> {
    this.#ids += 1;
    const id = this.#ids;
    try {
      const error = await new Promise<string | undefined>((resolve) => {
        const deadline = setTimeout(() => resolve('the launcher does not respond'), ANSWER_MS);
        this.#waiting.set(id, (said) => {
          clearTimeout(deadline);
          resolve(said);
        });
        send({ ...question, id });
      });
      if (error !== undefined) throw new Error(error);
    } finally {
      this.#waiting.delete(id);
    }
  }
}

/** Sends nothing if the launcher has ended: runtime/main.ts then stops the node. */
const send = (message: ToLauncher): void => {
  if (process.connected) process.send?.(message);
};
