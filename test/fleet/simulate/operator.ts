/** The calls of an operator's program that a simulation makes. */
import { setTimeout as pause } from 'node:timers/promises';
import type { NodeList, NodeSummary } from '../../../runtime/fleet/nodes/contract.ts';
import type { Rollout, RolloutStart } from '../../../runtime/fleet/rollouts/contract.ts';
import type { SettingsView } from '../../../runtime/fleet/settings/contract.ts';

const PAGE = 1000;
/** How often a call is tried where the fleet is busy or takes no connection. */
const ATTEMPTS = 10;
const NOT_SENT = ['ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT'];

/** A client of the fleet's `/api`, with the master token. Calls reject unless they are answered with success. */
export class Operator {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  /** All nodes. */
  async nodes(): Promise<NodeSummary[]> {
    const found: NodeSummary[] = [];
    for (let after = ''; ; ) {
      const { nodes } = await this.#call<NodeList>(
        'GET',
        `/api/nodes?${new URLSearchParams({ limit: `${PAGE}`, after })}`,
      );
      found.push(...nodes);
      if (nodes.length < PAGE) return found;
      after = nodes.at(-1)?.id ?? '';
    }
  }

  /** Has images taken that are signed with this key, beside those that were before. */
  async trust(key: string): Promise<void> {
    const { firmware } = await this.#call<SettingsView>('GET', '/api/settings');
    const keys = [...new Set([...firmware.keys, key])];
    await this.#call('PUT', '/api/settings', JSON.stringify({ firmware: { keys } }));
  }

  /** Uploads an image. */
  async upload(image: Uint8Array): Promise<void> {
    await this.#call('POST', '/api/releases', image);
  }

  /** Begins a rollout. */
  startRollout(plan: RolloutStart): Promise<Rollout> {
    return this.#call('POST', '/api/rollouts', JSON.stringify(plan));
  }

  /** The newest rollout. */
  async rollout(): Promise<Rollout | undefined> {
    return (await this.#call<{ rollouts: Rollout[] }>('GET', '/api/rollouts')).rollouts[0];
  }

  async #call<Answer>(method: string, path: string, body?: string | Uint8Array): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.#send(method, path, body).catch((error: Error) => {
        if (attempt === ATTEMPTS || !NOT_SENT.includes((error.cause as { code?: string })?.code ?? '')) throw error;
      });
      if (response?.ok) return (await response.json()) as Answer;
      if (response !== undefined && (response.status !== 503 || attempt === ATTEMPTS))
        throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      await pause(1000 * Number(response?.headers.get('retry-after') ?? 1));
    }
  }

  #send(method: string, path: string, body?: string | Uint8Array): Promise<Response> {
    return fetch(`${this.#url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.#token}` },
      ...(body !== undefined && { body: body as NonNullable<RequestInit['body']> }),
    });
  }
}
