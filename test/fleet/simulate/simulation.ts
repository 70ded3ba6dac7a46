/** Many simulated nodes, and the comparison of what they were answered with what the fleet has stored. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { Rollout, RolloutStart } from '../../../runtime/fleet/rollouts/contract.ts';
import { tokenOf } from '../../../runtime/fleet/sign-in/node-tokens.ts';
import { Outbound } from '../../../runtime/http/outbound.ts';
import { rawPublicKey } from '../../../runtime/image/format.ts';
import { pack } from '../../../runtime/image/pack.ts';
import { VARIANT } from './boot.ts';
import { Clock } from './clock.ts';
import { FAULTS, type Faults } from './faults.ts';
import { Ledger } from './ledger.ts';
import { SimulatedNode } from './node.ts';
import { Operator } from './operator.ts';

const IMAGE_BYTES = 100_000;

/** What a simulation is. */
export interface SimulationOptions {
  /** Base URL of the fleet. */
  readonly url: string;
  /** The master token of the fleet. */
  readonly token: string;
  readonly nodes: number;
  /** How many times faster than real nodes they do things. */
  readonly speed: number;
  /** The version that they run at first. */
  readonly version?: string;
  readonly faults?: Faults;
}

/** Heartbeats that were answered, beside those that are stored. */
export interface Comparison {
  /** Different ones that were sent; a node that was sent nothing is not counted anywhere here. */
  readonly sent: number;
  readonly answered: number;
  readonly stored: number;
  /** Nodes with fewer stored than answered: some were lost. */
  readonly lost: readonly string[];
  /** Nodes with more stored than sent: some were counted twice. */
  readonly twice: readonly string[];
}

/** Nodes that are switched on until they are stopped. */
export class Simulation {
  readonly nodes: readonly SimulatedNode[];
  readonly ledger: Ledger;
  readonly #clock: Clock;
  readonly #outbound = new Outbound({ refuses: () => false });
  readonly #operator: Operator;

  constructor({ url, token, nodes, speed, version = '0.1.0', faults = FAULTS }: SimulationOptions) {
    this.ledger = new Ledger(this.#outbound);
    this.#clock = new Clock(speed);
    this.#operator = new Operator(url, token);
    const world = { clock: this.#clock, faults, ledger: this.ledger };
    this.nodes = Array.from({ length: nodes }, (_, index) => {
      const id = idOf(index);
      return new SimulatedNode(id, version, { url, token: tokenOf(token, id) }, world);
    });
  }

  /** Switches all nodes on. */
  start(): void {
    for (const node of this.nodes) node.start();
  }

  /** Switches all nodes off; what is under way ends by itself. */
  stop(): void {
    this.#clock.stop();
    for (const node of this.nodes) node.stop();
  }

  /**
   * Uploads a release on which the spoiled nodes crash, and begins its rollout; nodes that have been heard of are in it.
   * Resolves with the rollout.
   */
  async rollOut(version: string, plan: Omit<RolloutStart, 'variant' | 'version'>): Promise<Rollout> {
    // Simulated nodes check its digest, and trust any key; the fleet is told this one.
    const { privateKey } = generateKeyPairSync('ed25519');
    const content = [{ name: 'main.js', bytes: randomBytes(IMAGE_BYTES) }];
    await this.#operator.trust(rawPublicKey(privateKey));
    await this.#operator.upload(pack({ variant: VARIANT, version, floor: 1 }, content, privateKey));
    return this.#operator.startRollout({ variant: VARIANT, version, ...plan });
  }

  /** The newest rollout. */
  rollout(): Promise<Rollout | undefined> {
    return this.#operator.rollout();
  }

  /** Compares the accounts of the nodes with what the fleet has stored of them; of a fleet that was empty before. */
  async compare(): Promise<Comparison> {
    const stored = new Map((await this.#operator.nodes()).map(({ id, heartbeats }) => [id, heartbeats]));
    const accounts = [...this.ledger.accounts].map(([id, account]) => ({
      id,
      ...account,
      stored: stored.get(id) ?? 0,
    }));
    const sum = (of: 'sent' | 'answered' | 'stored') => accounts.reduce((total, each) => total + each[of], 0);
    return {
      sent: sum('sent'),
      answered: sum('answered'),
      stored: sum('stored'),
      lost: accounts.filter((each) => each.stored < each.answered).map(({ id }) => id),
      twice: accounts.filter((each) => each.stored > each.sent).map(({ id }) => id),
    };
  }

  /** Closes its connections. */
  close(): void {
    this.#outbound.close();
  }
}

/** Eight hexadecimal digits, as nodes have; the same in each simulation, and scattered as random ones are. */
const idOf = (index: number): string => (Math.imul(index + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0');
