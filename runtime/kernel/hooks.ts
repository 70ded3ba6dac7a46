/**
 * Every extension point, in one frozen object. What a return value means stands beside each hook.
 * Hooks are built once per kernel: tapable has no untap, so a plugin is never reloaded, only restarted with its node.
 */
import type { IncomingMessage } from 'node:http';
import { AsyncParallelHook, AsyncSeriesBailHook, AsyncSeriesHook, HookMap, SyncBailHook, SyncHook } from 'tapable';
import type { UsbDevice, UsbFault, UsbIdentity, UsbSetup } from '../bindings/bindings.ts';
import type { Command, CommandResult } from './command.ts';
import type { Bound, Candidate, Refusal } from './device.ts';
import type { Resolution } from './recipes.ts';
import type { ConfigKeys, NodeEvent } from './registry.ts';
import type { Reply } from './reply.ts';

/** One transfer seen on a channel, for whoever records traffic. `in` is towards the node. */
export interface TransferRecord {
  readonly channel: string;
  readonly direction: 'in' | 'out';
  readonly endpoint?: string;
  /** Valid during the call only: whoever keeps it makes a copy. */
  readonly data: Uint8Array;
  /** Of a USB transfer: the device, and the pipe's address or, on the control pipe, the request. */
  readonly device?: UsbIdentity;
  readonly pipe?: number;
  readonly setup?: UsbSetup;
  /** How the transfer failed; `data` is then what went over before. */
  readonly fault?: UsbFault;
}

/** One key of a patch, told apart by `key`. */
export type ConfigChange<Key extends keyof ConfigKeys = keyof ConfigKeys> = {
  [Each in Key]: {
    readonly key: Each;
    readonly value: ConfigKeys[Each];
    readonly previous: ConfigKeys[Each];
    /** The whole configuration as it would become: for a room whose keys only mean something together. */
    readonly next: Readonly<ConfigKeys>;
  };
}[Key];

/** One hook for each config key. */
interface ConfigureHooks {
  for<Key extends keyof ConfigKeys>(key: Key): AsyncSeriesHook<[ConfigChange<Key>]>;
  get(key: string): AsyncSeriesHook<[ConfigChange]> | undefined;
}

/** An image on its way to this node, wherever it comes from. */
export interface IncomingImage {
  /** In bytes. */
  readonly length: number;
  /** SHA-256 that it must have: 64 lower-case hexadecimal digits. */
  readonly sha256: string;
  /** One made for another variant is wanted all the same. */
  readonly anyVariant: boolean;
  /** Version that it must have; any where it is left out. */
  readonly version?: string;
  /** Throws, or ends too soon, where the image does not arrive. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** What an image says of itself. */
export interface InstalledImage {
  readonly version: string;
  readonly variant: string;
}

/** Where newer images can be had. */
export interface UpdateSource {
  /** Looks for a newer image; with `apply`, sees to it that it is installed. Resolves with its version, if there is one. */
  look(options: { readonly apply: boolean }): Promise<string | undefined>;
}

/** GET /status under construction; every room writes its own part. */
export type StatusDraft = Record<string, unknown>;

type Notify = { readonly plugin: string; readonly hook: string; readonly error: unknown };

export const createHooks = (report: (fault: Notify) => void) => {
  const hooks = {
    /** An HTTP request arrived, and nothing of it was checked. Return an answer to give in place of all routes, or undefined. */
    request: new SyncBailHook<[IncomingMessage], Reply | undefined>(['request']),
    /** Once, before the node serves. A rejection stops the start. */
    start: new AsyncSeriesHook<[]>(),
    /** Once, at the end, most recently tapped first. A rejection is reported; the rest still run. */
    stop: new AsyncSeriesHook<[]>(),
    /** A device appeared. Return its kind, or undefined to let others look. Reads descriptors only. */
    classify: new SyncBailHook<[UsbIdentity, Resolution | undefined], string | undefined>(['identity', 'recipe']),
    /** The bus is quiet and nobody classified this device. Return its kind, or undefined. May open the device. */
    probe: new AsyncSeriesBailHook<[UsbDevice], string | undefined>(['device']),
    /** A classified device wants in. Return a refusal, or undefined to let it pass. */
    admit: new SyncBailHook<[Candidate], Refusal | undefined>(['candidate']),
    /** By kind. Open, claim and drive the device: return what was bound, or why not. */
    bind: new HookMap(() => new AsyncSeriesBailHook<[Candidate], Bound | Refusal | undefined>(['candidate'])),
    /** An endpoint got its device. Notification. */
    attach: new SyncHook<[string]>(['endpoint']),
    /** An endpoint lost its device. Notification. */
    detach: new SyncHook<[string]>(['endpoint']),
    /** By gesture: somebody with the box in their hands held its button. Every tap runs; a rejection stops the rest. */
    gesture: new HookMap(() => new AsyncSeriesHook<[]>()),
    /** A restart waits. Resolve once nothing is in hand that it would cut short, after so many milliseconds at the latest. */
    quiet: new AsyncParallelHook<[number]>(['timeoutMs']),
    /** Somebody asked for a newer image. Return where it can be had, or undefined where that is not set up. */
    updateSource: new SyncBailHook<[], UpdateSource | undefined>(),
    /** A newer image was fetched. Install it, and restart at a quiet moment. */
    install: new AsyncSeriesBailHook<[IncomingImage], InstalledImage | undefined>(['image']),
    /** Something was thrown that nobody caught: the process ends when this returns. Notification. */
    crash: new SyncHook<[unknown]>(['thrown']),
    /** Bytes crossed a channel. Called while `node.recording` only. Notification. */
    transfer: new SyncHook<[TransferRecord]>(['record']),
    /** By command type. Return the result, or undefined to let a later tap answer. */
    command: new HookMap(() => new AsyncSeriesBailHook<[Command], CommandResult | undefined>(['command'])),
    /** A command ended, with this result. Notification. */
    commanded: new SyncHook<[Command, CommandResult]>(['command', 'result']),
    /** By config key, after the patch was found valid and before it is stored. A throw rolls the whole patch back. */
    configure: new HookMap(() => new AsyncSeriesHook<[ConfigChange]>(['change'])) as ConfigureHooks,
    /** A patched config key was stored, whether or not its value is another. Notification. */
    configured: new SyncHook<[ConfigChange]>(['change']),
    /** Something happened. Notification. */
    event: new SyncHook<[NodeEvent]>(['event']),
    /** What the node tells the network of itself changed: where it listens, what it is called. Notification. */
    presence: new SyncHook<[]>(),
    /** Somebody asked for the status: write your part. Notification. */
    status: new SyncHook<[StatusDraft]>(['draft']),
    /** The event `telemetry` is about to be told: write the block of the status that it repeats. Notification. */
    telemetry: new SyncHook<[StatusDraft]>(['draft']),
    /** A heartbeat is about to go out: write what it says beyond the status. Notification. */
    heartbeat: new SyncHook<[StatusDraft]>(['draft']),
  };
  guard('attach', hooks.attach, report);
  guard('detach', hooks.detach, report);
  guard('commanded', hooks.commanded, report);
  guard('configured', hooks.configured, report);
  guard('crash', hooks.crash, report);
  guard('transfer', hooks.transfer, report);
  guard('event', hooks.event, report);
  guard('presence', hooks.presence, report);
  guard('status', hooks.status, report);
  guard('telemetry', hooks.telemetry, report);
  guard('heartbeat', hooks.heartbeat, report);
  return Object.freeze(hooks);
};
export type Hooks = ReturnType<typeof createHooks>;

/** A plugin that throws in a notification is named and skipped; the others still hear it. */
function guard<T extends unknown[]>(hook: string, target: SyncHook<T>, report: (fault: Notify) => void): void {
  target.intercept({
    register: (tap) => {
      const heard = tap.fn as (...args: T) => void;
      return {
        ...tap,
        fn: (...args: T) => {
          try {
            heard(...args);
          } catch (error) {
            report({ plugin: tap.name, hook, error });
          }
        },
      };
    },
  });
}
