/** Tokens: one for all nodes and operators, and one for each node, which follows from it. */
import { createHmac } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import { closed } from '../../base/schema.ts';
import { signatureOf } from '../../http/delivery.ts';
import { bearerOf, isSameSecret } from '../../http/secrets.ts';
import type { Queries, Transactions } from '../database/database.ts';
import { isNodeId, NodeId } from '../http/contract.ts';
import { Refusal } from '../http/errors.ts';
import { isAmong, readMessageTokens } from './api-tokens.ts';
import type { RoleNow } from './openid.ts';

/**
 * The token of one node: HMAC-SHA256 (RFC 2104) of its id with the master token as the key, as base64url (43 characters).
 * Once it was renewed, of the id, a space and how often that was: no id has a space in it.
 */
export const tokenOf = (master: string, node: string, generation = 0): string =>
  createHmac('sha256', master)
    .update(generation === 0 ? node : `${node} ${generation}`)
    .digest('base64url');

/** Whether this may be a signature at all. */
export const mayBeSignature = (shown: string): boolean => /^sha256=[0-9a-f]{64}$/.test(shown);

/** The query of a request that a node makes: which node it is, where it says so. */
export const NodeQuery = closed(
  {
    node: Type.Optional({ ...NodeId, description: 'id of the node, whose own token is then taken, too' }),
  },
  { $id: 'NodeQuery' },
);

/** How old the news of renewed and revoked tokens may be. */
const FRESH_MS = 1000;
/** Time after which every process has looked: that age, and by how much a timer may be early. */
const SPREAD_MS = 1050;
/** Clocks and transactions: what was written so long before the last look may not have been seen by it. */
const LATE = "interval '10 seconds'";

/** What nodes show: the master token, their own, or a token for messages. */
export class NodeTokens {
  readonly #masters: readonly string[];
  readonly #database: Transactions;
  readonly #roleNow: RoleNow;
  /** Nodes whose token was renewed, and how often. */
  readonly #generations = new Map<string, number>();
  #digests: ReadonlySet<string> = new Set();
  #seen: Date | undefined;
  #looked = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;
  #changes = 0;

  /** `masters`: the master token, and while it is rotated the one before; `roleNow`: of who made a token for messages. */
  constructor(masters: readonly string[], database: Transactions, roleNow: RoleNow) {
    this.#masters = masters;
    this.#roleNow = roleNow;
    this.#database = database;
  }

  /** Whether this may be a token at all, of whichever node: what shows another is refused before its body is read. */
  mayBe(shown: string): boolean {
    return /^([\w-]{43}|[0-9a-f]{64})$/.test(shown) || this.#masters.some((master) => isSameSecret(shown, master));
  }

  /** Whether this is a token that this node may show; '' is a node that does not say its id. */
  async isOfNode(node: string, shown: string): Promise<boolean> {
    await this.#look();
    const own = this.#ownOf(node);
    return [...this.#mastersOf(node), ...own, ...own.map(inHex)].some((secret) => isSameSecret(shown, secret));
  }

  /** Whether this is a token that was made for messages of any node. */
  async isForMessages(shown: string): Promise<boolean> {
    await this.#look();
    return isAmong(this.#digests, shown);
  }

  /** Whether `signature` (`sha256=<hex>`) is that of the body with a token that this node may show as the secret. */
  async isSigned(node: string, body: Uint8Array, signature: string): Promise<boolean> {
    await this.#look();
    const secrets = [...this.#mastersOf(node), ...this.#ownOf(node)];
    return secrets.some((secret) => isSameSecret(signature, signatureOf(body, secret)));
  }

  /** Throws the Refusal `unauthorized` unless the request has a token that this node may show. */
  async mustBeNode(node: string, authorization: string): Promise<void> {
    if (!(await this.isOfNode(node, bearerOf(authorization)))) throw new Refusal('unauthorized');
  }

  /** Another token for a node, which from now on shows this one alone: neither the one before nor the master token. */
  async renew(on: Queries, node: string): Promise<{ readonly token: string; readonly times: number }> {
    const [row] = await on.query<{ generation: number }>(
      `INSERT INTO node_token AS token (node, generation) VALUES ($1, 1)
       ON CONFLICT (node) DO UPDATE SET generation = token.generation + 1, at = clock_timestamp() RETURNING generation`,
      [node],
    );
    const times = row?.generation ?? 1;
    return { token: tokenOf(this.#masters[0] ?? '', node, times), times };
  }

  /**
   * Something was renewed or revoked here: looks again before the next answer. Resolves when every other process on this
   * database has looked, too, so that whoever is told of it is told the truth.
   */
  async lookAgain(): Promise<void> {
    this.#looked = Number.NEGATIVE_INFINITY;
    this.#changes += 1;
    const others = await this.#database
      .transaction((on) => on.query('SELECT name FROM listener OFFSET 1 LIMIT 1'))
      .catch(() => ['unknown']);
    if (others.length > 0) await setTimeout(SPREAD_MS);
  }

  /** The master tokens, where this node, or one that does not say its id, may show them. */
  #mastersOf(node: string): readonly string[] {
    return (node === '' || isNodeId(node)) && !this.#generations.has(node) ? this.#masters : [];
  }

  /** The node's own token, of each master token. */
  #ownOf(node: string): readonly string[] {
    const generation = this.#generations.get(node) ?? 0;
    return isNodeId(node) ? this.#masters.map((master) => tokenOf(master, node, generation)) : [];
  }

  /** One question a second, whatever comes; again where something changed here while it was under way. */
  async #look(): Promise<void> {
    const oldest = performance.now() - FRESH_MS;
    while (this.#looked < oldest) {
      this.#looking ??= this.#read();
      await this.#looking;
    }
  }

  async #read(): Promise<void> {
    const asked = this.#changes;
    const begun = performance.now();
    try {
      await this.#database.transaction(async (on) => {
        const [{ now } = { now: new Date(0) }] = await on.query<{ now: Date }>('SELECT clock_timestamp() AS now');
        const renewed = await on.query<{ node: string; generation: number }>(
          `SELECT node, generation FROM node_token WHERE at > $1::timestamptz - ${LATE}`,
          [(this.#seen ?? new Date(0)).toISOString()],
        );
        for (const { node, generation } of renewed) this.#generations.set(node, generation);
        this.#digests = await readMessageTokens(on, this.#roleNow);
        this.#seen = now;
      });
      if (asked === this.#changes) this.#looked = begun;
    } finally {
      this.#looking = undefined;
    }
  }
}

const inHex = (secret: string): string => Buffer.from(secret, 'base64url').toString('hex');
