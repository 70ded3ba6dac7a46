/** One run of a simulated node: the code with which a real one sends, on a machine that is not there. */
import { randomBytes } from 'node:crypto';
import { createAjv } from '../../../runtime/base/ajv.ts';
import { Delivery } from '../../../runtime/http/delivery.ts';
import type { Outgoing } from '../../../runtime/http/outbound.ts';
import type { Updates } from '../../../runtime/image/updates.ts';
import type { CommandResult } from '../../../runtime/kernel/command.ts';
import type { EndpointState } from '../../../runtime/kernel/device.ts';
import type { StatusDraft } from '../../../runtime/kernel/hooks.ts';
import { silentLogger } from '../../../runtime/kernel/log.ts';
import type { StoredSettings } from '../../../runtime/kernel/registry.ts';
import { ERASED } from '../../../runtime/kernel/settings.ts';
import { type CompiledValidator, Contract } from '../../../runtime/kernel/validator.ts';
import { FirmwareOffer, type HeartbeatMessage } from '../../../runtime/services/cloud/contract.ts';
import { Firmware, type FirmwareNode } from '../../../runtime/services/cloud/firmware.ts';
import { Heartbeat, type HeartbeatNode } from '../../../runtime/services/cloud/heartbeat.ts';
import { HEARTBEAT_RETRY_MS, Recurring, SLOWEST_HEARTBEAT_MS } from '../../../runtime/services/cloud/recurring.ts';
import type { Ledger } from './ledger.ts';

const HEARTBEAT_MS = 60_000;
/** The variant of all simulated nodes. */
export const VARIANT = 'wifi';
/** A node asks every six hours; here more often, so that a rollout can be watched. */
const UPDATE_MS = 300_000;

const contract = new Contract({ FirmwareOffer: createAjv().compile(FirmwareOffer) as CompiledValidator });

/** The fleet, as a node is told of it. */
export interface Fleet {
  readonly url: string;
  /** The token of this node. */
  readonly token: string;
}

/** What a run needs. */
export interface BootParts {
  readonly node: string;
  readonly version: string;
  readonly fleet: Fleet;
  readonly speed: number;
  readonly ledger: Ledger;
  /** Whether a heartbeat comes twice, as a proxy sends it again. */
  readonly twice: () => boolean;
  /** The link to the fleet is there. */
  readonly isLinked: () => boolean;
  readonly isPaperOut: () => boolean;
  /** Whether it is in custody hold. */
  readonly isHeld: boolean;
  readonly crash: HeartbeatMessage['crash'];
  /** Versions that were rolled back. */
  readonly rolledBack: readonly string[];
  readonly install: Updates['install'];
}

/** Sends heartbeats, events and update checks from its start until it is stopped. */
export class Boot {
  readonly id = randomBytes(4).toString('hex');
  readonly startedAt = performance.now();
  readonly #counts = { receipts: 0, cuts: 0, kicks: 0, scans: 0, failed: 0 };
  readonly #recurring: readonly Recurring[];
  readonly #delivery: Delivery;

  /** `delayMs`: until its first heartbeat; update checks begin at a random moment of their interval. */
  constructor(parts: BootParts, delayMs: number) {
    const { node, fleet, speed, ledger, rolledBack, install } = parts;
    const way = <Answer>(send: () => Promise<Answer>): Promise<Answer> =>
      parts.isLinked() ? send() : Promise.reject(new Error('no way to the fleet'));
    this.#delivery = new Delivery({
      webhook: () => ({ url: `${fleet.url}/events`, secret: fleet.token, events: ['command_result'] }),
      node,
      uptimeMs: () => performance.now() - this.startedAt,
      outbound: { post: (outgoing: Outgoing) => way(() => ledger.webhook(outgoing)), close: () => {} },
      log: silentLogger,
    });
    const seen = this.#seenBy(parts);
    const heartbeat = new Heartbeat(seen, {
      post: (outgoing) => way(() => ledger.beat(node, outgoing, parts.twice())),
    });
    const firmware = new Firmware(
      { ...seen, contract, log: silentLogger, bindings: { boot: { slots: { failed: rolledBack } } } },
      {
        read: (_, outgoing, limit) => way(() => ledger.check(outgoing, limit)),
        open: (_, outgoing) => way(() => ledger.image(outgoing)),
      },
      { policy: 'auto', install },
    );
    const heartbeats = new Recurring({
      name: 'heartbeat',
      everyMs: () => HEARTBEAT_MS / speed,
      retryMs: HEARTBEAT_RETRY_MS / speed,
      slowestMs: SLOWEST_HEARTBEAT_MS / speed,
      work: (signal) => heartbeat.beat(signal),
      log: silentLogger,
    });
    const updates = new Recurring({
      name: 'update check',
      everyMs: () => UPDATE_MS / speed,
      work: (signal) => firmware.follow(signal),
      log: silentLogger,
    });
    this.#recurring = [heartbeats, updates];
    heartbeats.start(delayMs);
    updates.start((Math.random() * UPDATE_MS) / speed);
  }

  /** Says what came of a command. */
  tell(result: CommandResult): void {
    if (result.ok) this.#counts.receipts += 1;
    else this.#counts.failed += 1;
    this.#delivery.offer(result);
  }

  /** Ends at once; what was under way is not waited for. */
  stop(): void {
    for (const each of this.#recurring) each.stop();
    void this.#delivery.stop(0);
  }

  /** The node, as its rooms see it. */
  #seenBy({
    node,
    version,
    fleet,
    crash,
    isPaperOut,
    isHeld,
  }: BootParts): HeartbeatNode & Omit<FirmwareNode, 'bindings' | 'contract' | 'log'> {
    const settings = {
      cloud: { url: fleet.url, token: fleet.token },
      ...(isHeld && { [ERASED]: true }),
    } as Partial<StoredSettings>;
    const told: StatusDraft = { bootId: this.id, ...(crash && { crash }) };
    return {
      deviceId: node,
      startedAt: this.startedAt,
      image: {
        variant: VARIANT,
        version,
        usbChannels: 8,
        hardware: {},
        trustedKeys: [],
        securityFloor: 1,
        scripts: [],
      },
      recipes: { codecNames: [] },
      settings: {
        read: (section) => settings[section],
        update: () => Promise.reject(new Error('nothing is stored here')),
      },
      bindings: { boot: { slot: 'a' } },
      hooks: { heartbeat: { call: (draft) => void Object.assign(draft, told) } },
      endpoints: () => ENDPOINTS,
      status: () => ({
        printers: [printerOf(isPaperOut())],
        webhook: this.#delivery.status(),
      }),
      offered: (plugin) => (plugin === 'jobs' ? ({ sinceStart: this.#counts } as never) : undefined),
      event: () => {},
    };
  }
}

const ENDPOINTS = [
  { id: 'receipt', kind: 'printer' },
  { id: 'scanner', kind: 'scanner' },
].map((declaration) => ({ declaration, condition: 'bound' })) as unknown as readonly EndpointState[];

/** As the room `printer` tells it. */
const printerOf = (paperOut: boolean) => ({
  type: 'printer_status',
  endpoint: 'receipt',
  known: true,
  online: !paperOut,
  paperOut,
  coverOpen: false,
  drawerOpen: false,
  paperLow: paperOut,
  condition: 'bound',
  columns: 48,
  layoutColumns: 48,
  languages: ['escpos'],
  rawPort: 9100,
});
