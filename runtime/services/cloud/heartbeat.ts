/** Heartbeats: regular requests that report the node's state. Only the HTTP status of the response is used. */
import { defined } from '../../base/defined.ts';
import type { BootBinding } from '../../bindings/boot.ts';
import type { Outbound } from '../../http/outbound.ts';
import { under } from '../../http/urls.ts';
import type { Hooks } from '../../kernel/hooks.ts';
import type { Node } from '../../kernel/node.ts';
import { ERASED } from '../../kernel/settings.ts';
import type { HeartbeatMessage } from './contract.ts';
import { cloudOf, fieldsFor } from './settings.ts';

/** Time for an answer. */
export const DEADLINE_MS = 10_000;

/** What a heartbeat needs of the node. */
export type HeartbeatNode = Pick<
  Node,
  'deviceId' | 'settings' | 'image' | 'startedAt' | 'endpoints' | 'status' | 'offered' | 'event'
> & {
  readonly recipes: Pick<Node['recipes'], 'codecNames'>;
  readonly bindings: { readonly boot: Pick<BootBinding, 'slot'> };
  readonly hooks: { readonly heartbeat: Pick<Hooks['heartbeat'], 'call'> };
};

/** Sends heartbeats with a sequence number since the start. */
export class Heartbeat {
  readonly #node: HeartbeatNode;
  readonly #outbound: Pick<Outbound, 'post'>;
  readonly #deadlineMs: number;
  #seq = 0;

  constructor(node: HeartbeatNode, outbound: Pick<Outbound, 'post'>, deadlineMs = DEADLINE_MS) {
    this.#node = node;
    this.#outbound = outbound;
    this.#deadlineMs = deadlineMs;
  }

  /** Interval; undefined without a receiver. */
  everyMs(): number | undefined {
    const { url, heartbeatUrl, heartbeatSeconds } = cloudOf(this.#node.settings);
    return url === '' && heartbeatUrl === '' ? undefined : heartbeatSeconds * 1000;
  }

  /** Sends one heartbeat and emits its event. Rejects unless the response has a status of 200 to 299. */
  async beat(signal: AbortSignal): Promise<void> {
    const { deviceId: node, settings, image } = this.#node;
    const { url, heartbeatUrl, token } = cloudOf(settings);
    this.#seq = (this.#seq + 1) >>> 0;
    const seq = this.#seq;
    const sent = this.#outbound.post({
      url: heartbeatUrl === '' ? under(url, 'heartbeat') : heartbeatUrl,
      headers: { ...fieldsFor(token, image), 'Content-Type': 'application/json' },
      body: JSON.stringify(this.#message(node, seq)),
      deadlineMs: this.#deadlineMs,
      signal,
    });
    const status = await sent.catch(() => -1);
    if (!signal.aborted) this.#node.event({ type: 'heartbeat', seq, status });
    await sent;
    if (status < 200 || status > 299) throw new Error(`the receiver answered ${status}`);
  }

  #message(node: string, seq: number): HeartbeatMessage {
    const { image, bindings, startedAt, recipes } = this.#node;
    const { printers = [], webhook } = this.#node.status() as {
      printers?: HeartbeatMessage['printers'];
      webhook?: { dropped: number };
    };
    const { receipts = 0, failed = 0, kicks = 0, scans = 0 } = this.#node.offered('jobs')?.sinceStart ?? {};
    const policy = this.#node.offered('update')?.policy;
    const name = this.#node.settings.read('name');
    const told: Record<string, unknown> = {};
    this.#node.hooks.heartbeat.call(told);
    return {
      node,
      seq,
      ...told,
      uptimeSeconds: Math.floor((performance.now() - startedAt) / 1000),
      ...(name && { name }),
      variant: image.variant,
      firmwareVersion: image.version,
      slot: bindings.boot.slot,
      peripherals: this.#node
        .endpoints()
        .map(({ declaration: { id, kind }, condition }) => ({ endpoint: id, kind, condition })),
      printers,
      codecs: recipes.codecNames,
      counters: { prints: receipts, printsFailed: failed, kicks, scans, webhookDropped: webhook?.dropped ?? 0 },
      ...(this.#node.settings.read(ERASED) === true && { custodyHold: true }),
      ...defined({ updatePolicy: policy }),
    };
  }
}
