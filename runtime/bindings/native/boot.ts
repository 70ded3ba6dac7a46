/**
 * What started this image. Under the launcher (runtime/boot) the two speak over the channel of child_process.fork(): the
 * launcher alone writes the boot state, the image alone writes the incoming slot. Without a launcher the image runs as
 * the factory image, and cannot be replaced.
 */
import {
  ALIVE_INTERVAL_MS,
  BOOT_FACTS,
  type BootFacts,
  type FromLauncher,
  type ToLauncher,
} from '../../boot/messages.ts';
import type { BootBinding } from '../bindings.ts';
import { IncomingSlot } from './boot-slot.ts';

/** The launcher answers after one durable write. */
const ANSWER_MS = 30_000;
/** An event loop that turns later than this makes no progress. */
const LAG_MS = 1000;

/** A message to the launcher before it has its id. */
type Question =
  Extract<ToLauncher, { readonly id: number }> extends infer M
    ? M extends { readonly id: number }
      ? Omit<M, 'id'>
      : never
    : never;

/** Without a launcher a restart is another run in the same process. */
let runs = 0;

/** `restart` is what the process was given to end itself with. */
export function createBoot(restart: () => void): BootBinding {
  const facts = process.env[BOOT_FACTS];
  if (facts === undefined || process.send === undefined) {
    runs += 1;
    return { slot: 'factory', reason: runs > 1 ? 'restart' : 'power_on', markGood: () => {}, restart };
  }
  const { slot, reason, previous, superseded, failed, incoming } = JSON.parse(facts) as BootFacts;
  const launcher = new LauncherChannel();
  let open: IncomingSlot | undefined;
  return {
    slot,
    reason,
    ...(previous && { previous }),
    ...(superseded && { superseded }),
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
    // The channel alone is no reason to go on.
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

  /** Resolves when the launcher has done it, durably; rejects with what it says, or when it says nothing. */
  async ask(question: Question): Promise<void> {
    this.#ids += 1;
    const id = this.#ids;
    try {
      const error = await new Promise<string | undefined>((resolve) => {
        const deadline = setTimeout(() => resolve('the launcher does not answer'), ANSWER_MS);
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

/** A launcher that has gone ends the process by itself; see main. */
const send = (message: ToLauncher): void => {
  if (process.connected) process.send?.(message);
};
