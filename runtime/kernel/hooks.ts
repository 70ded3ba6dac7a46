/**
 * The extension points of the node (tapable hooks), in one frozen object. The comment of each hook says when it is
 * called and what its return value means. A tap that throws is named, and skipped unless its hook says more. Hooks are made once per kernel: tapable cannot remove a tap, so a plugin is
 * never reloaded, only restarted with its node.
 */
import type { IncomingMessage } from 'node:http';
import { AsyncParallelHook, AsyncSeriesBailHook, AsyncSeriesHook, HookMap, SyncBailHook, SyncHook } from 'tapable';
import type { UsbDevice, UsbFault, UsbIdentity, UsbSetup } from '../bindings/usb.ts';
import type { Resolution } from '../recipes/table.ts';
import type { Command, CommandResult } from './command.ts';
import type { Bound, Candidate, Refusal } from './device.ts';
import type { Commands, ConfigKeys, NodeEvent } from './registry.ts';
import type { Reply } from './reply.ts';
import type { Rooms } from './rooms.ts';
import { type Tapped, watch } from './taps.ts';

/** One transfer on a channel, for recording. `in` is towards the node. */
export interface TransferRecord {
  readonly channel: string;
  readonly direction: 'in' | 'out';
  readonly endpoint?: string;
  /** Valid during the call only: copy it to keep it. */
  readonly data: Uint8Array;
  /** For a USB transfer: the device, and the address of the pipe (bEndpointAddress) or the control request. */
  readonly device?: UsbIdentity;
  readonly pipe?: number;
  readonly setup?: UsbSetup;
  /** How the transfer failed; `data` is then what was transferred before. */
  readonly fault?: UsbFault;
}

/** The change of one configuration key; the union is discriminated by `key`. */
export type ConfigChange<Key extends keyof ConfigKeys = keyof ConfigKeys> = {
  [Each in Key]: {
    readonly key: Each;
    readonly value: ConfigKeys[Each];
    readonly previous: ConfigKeys[Each];
    /** The whole configuration after the patch, for rooms that use several keys together. */
    readonly next: Readonly<ConfigKeys>;
  };
}[Key];

/** One hook for each config key. */
interface ConfigureHooks {
  for<Key extends keyof ConfigKeys>(key: Key): AsyncSeriesHook<[ConfigChange<Key>]>;
  get(key: string): AsyncSeriesHook<[ConfigChange]> | undefined;
}

/** One hook for each type of command. */
interface CommandHooks {
  for<Type extends keyof Commands>(type: Type): AsyncSeriesBailHook<[Commands[Type]], CommandResult | undefined>;
  get(type: string): AsyncSeriesBailHook<[Command], CommandResult | undefined> | undefined;
}

/** The body of GET /status while it is being filled; every room adds its own properties. */
export type StatusDraft = Record<string, unknown>;

/** A device whose kind is known, and the recipe that its ids give. */
type Outranking = Pick<Candidate, 'device' | 'kind' | 'recipe'>;

const NO_SUCH_HOOK: object = new Proxy(Object.prototype, {
  get(prototype, name) {
    // Whoever awaits, prints or serializes an object asks for these.
    if (typeof name !== 'string' || name in prototype || name === 'then' || name === 'toJSON')
      return Reflect.get(prototype, name);
    throw new Error(`this node has no hook ${name}: the plugin is made for another release`);
  },
});

/** Makes the hooks of one kernel. `rooms` gets what a plugin throws. */
export const createHooks = (rooms: Rooms) => {
  const each = <H extends Tapped>(name: string, make: () => H) =>
    new HookMap<H>((key: string) => watch(name, make(), rooms, `${name} ${key}`));
  const hooks = {
    /**
     * An HTTP request arrived; nothing is checked yet. Return a response to send instead of any route's, or undefined.
     */
    request: new SyncBailHook<[IncomingMessage], Reply | undefined>(['request']),
    /** Once, before the node serves. A room that rejects, or takes longer than 15 s, is off; the start stops where others require it. */
    start: new AsyncSeriesHook<[]>(),
    /** Once, at the end, most recently tapped first. A rejection is reported, as is a tap that takes longer than 2.3 s; the rest still run. */
    stop: new AsyncSeriesHook<[]>(),
    /**
     * A device was connected. Return its kind, or undefined to let other taps decide. By descriptors only, without I/O. Where
     * the image has a row for exactly this product, the tap that returns the row's kind decides; else the first that returns one.
     */
    classify: new SyncBailHook<[UsbIdentity, Resolution | undefined], string | undefined>(['identity', 'recipe']),
    /** No tap classified this device, and the bus is quiet. Return its kind, or undefined. May open the device. 30 s at most. */
    probe: new AsyncSeriesBailHook<[UsbDevice], string | undefined>(['device']),
    /** No tap of `classify` and `probe` knows the device. Return what to tell people about it, or undefined. */
    unknown: new SyncBailHook<[UsbIdentity], Refusal | undefined>(['identity']),
    /**
     * The one endpoint of this kind is taken. Return true if the device is known better than the bound one, which is then
     * let go for it; undefined to keep that.
     */
    outranks: new SyncBailHook<[Outranking, Bound], boolean | undefined>(['device', 'bound']),
    /** A classified device is about to be bound. Return a refusal, or undefined to admit it. */
    admit: new SyncBailHook<[Candidate], Refusal | undefined>(['candidate']),
    /** By kind. Open, claim and drive the device, within 30 s: return the bound device, or why it cannot be bound. */
    bind: each('bind', () => new AsyncSeriesBailHook<[Candidate], Bound | Refusal | undefined>(['candidate'])),
    /** An endpoint got its device. Notification. */
    attach: new SyncHook<[string]>(['endpoint']),
    /** An endpoint lost its device. Notification. */
    detach: new SyncHook<[string]>(['endpoint']),
    /**
     * A restart is planned. Resolve when no work is in progress that it would interrupt, at the latest after timeoutMs. The
     * commands that are under way are waited for without that, and a stop by a signal does not ask: `stop` is called alone.
     */
    quiet: new AsyncParallelHook<[number]>(['timeoutMs']),
    /** An uncaught exception: the process ends when the taps have returned. Notification. */
    crash: new SyncHook<[unknown]>(['thrown']),
    /** A transfer ended on a channel. Called only while `node.recording`, by the node for those of USB devices. Notification. */
    transfer: new SyncHook<[TransferRecord]>(['record']),
    /** A command was let in, and is about to be run. Notification. */
    began: new SyncHook<[Command]>(['command']),
    /** By command type. Return the result, within 15 min, or undefined to let a later tap answer. */
    command: each('command', () => new AsyncSeriesBailHook(['command'])) as CommandHooks,
    /** Return true for a command that waits for nobody's turn: it is let in however many others wait. */
    prompt: new SyncBailHook<[Command], true | undefined>(['command']),
    /**
     * A command is refused because too many wait. Return what they wait for, for `detail` (of a printer: who holds it, and
     * since when), or undefined to let a later tap say it.
     */
    awaited: new SyncBailHook<[Command], string | undefined>(['command']),
    /** A command ended, with this result. Notification. */
    commanded: new SyncHook<[Command, CommandResult]>(['command', 'result']),
    /**
     * There is a notice for the person at the box, as lines of the print command (specification 2.3). Show it and return
     * true; false where that failed, or undefined to let a later tap show it.
     */
    notice: new AsyncSeriesBailHook<[readonly object[]], boolean | undefined>(['lines']),
    /** By config key, after validation and before the patch is stored. A rejection rolls the whole patch back, as do 30 s. */
    configure: each('configure', () => new AsyncSeriesHook<[ConfigChange]>(['change'])) as ConfigureHooks,
    /** A patched config key was stored, also where its value is the same as before. Notification. */
    configured: new SyncHook<[ConfigChange]>(['change']),
    /** The update key was changed or erased: what runs under the old one is cut. Notification. */
    updateKeyChanged: new SyncHook<[]>(),
    /** An event of the node. Notification. */
    event: new SyncHook<[NodeEvent]>(['event']),
    /** What the node announces on the network changed: addresses it listens on, or its name. Notification. */
    presence: new SyncHook<[]>(),
    /** The status is being read: add the room's properties to the draft. Notification. */
    status: new SyncHook<[StatusDraft]>(['draft']),
    /** The event `telemetry` is being made: add the status properties that it repeats. Notification. */
    telemetry: new SyncHook<[StatusDraft]>(['draft']),
    /** A heartbeat is being made: add what it contains beyond the status. Notification. */
    heartbeat: new SyncHook<[StatusDraft]>(['draft']),
  };
  for (const [name, hook] of Object.entries(hooks)) if ('taps' in hook) watch(name, hook, rooms);
  // Behind it, as a plugin asks for hooks that it knows: another release may lack one of them.
  Object.setPrototypeOf(hooks, NO_SUCH_HOOK);
  return Object.freeze(hooks);
};
export type Hooks = ReturnType<typeof createHooks>;
