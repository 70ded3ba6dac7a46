/** A simulated node: it is started, prints, loses its link, crashes and takes updates. */
import { createHash } from 'node:crypto';
import type { IncomingImage, InstalledImage } from '../../../runtime/image/updates.ts';
import { failed, succeeded } from '../../../runtime/kernel/command.ts';
import type { HeartbeatMessage } from '../../../runtime/services/cloud/contract.ts';
import { Boot, type Fleet } from './boot.ts';
import type { Clock } from './clock.ts';
import type { Faults } from './faults.ts';
import type { Ledger } from './ledger.ts';

const HEARTBEAT_MS = 60_000;

/** What all nodes of a simulation have in common. */
export interface World {
  readonly clock: Clock;
  readonly faults: Faults;
  readonly ledger: Ledger;
}

/** A node in a shop. */
export class SimulatedNode {
  readonly id: string;
  /** There is no paper in its printer. */
  paperOut = false;
  readonly #fleet: Fleet;
  readonly #world: World;
  /** Whether it is in custody hold. */
  readonly isHeld: boolean;
  /** The new release crashes here. */
  readonly #isSpoiled: boolean;
  /** How far its clock is ahead. */
  readonly #skewMs: number;
  /** The versions that it has run. */
  readonly #versions: string[];
  readonly #rolledBack: string[] = [];
  #isLinked = true;
  #boot: Boot | undefined;
  #crash: HeartbeatMessage['crash'];
  #stopped = false;
  #jobs = 0;

  constructor(id: string, version: string, fleet: Fleet, world: World) {
    const { faults } = world;
    this.id = id;
    this.#versions = [version];
    this.#fleet = fleet;
    this.#world = world;
    this.isHeld = Math.random() < faults.held;
    // Ids are spread evenly (`Simulation`): exactly that share, and the same nodes each time.
    this.#isSpoiled = Number.parseInt(id, 16) < faults.spoiled * 2 ** 32;
    this.#skewMs = Math.random() < faults.skewed ? (2 * Math.random() - 1) * faults.skew : 0;
  }

  /** Whether it has ever run this version. */
  hasRun(version: string): boolean {
    return this.#versions.includes(version);
  }

  /** Switches it on; its first heartbeat is sent at a random moment of the interval. */
  start(): void {
    const { clock, faults } = this.#world;
    this.#begin((Math.random() * HEARTBEAT_MS) / clock.speed);
    clock.nowAndThen(faults.jobEvery, () => this.#print());
    clock.nowAndThen(faults.crashEvery, () => this.#end('crash'));
    clock.nowAndThen(faults.paperEvery, () => {
      this.paperOut = true;
      clock.after(faults.paperTakes, () => {
        this.paperOut = false;
      });
    });
    if (Math.random() < faults.flapping) this.#flap();
  }

  /** Switches it off. */
  stop(): void {
    this.#stopped = true;
    this.#boot?.stop();
  }

  get #version(): string {
    return this.#versions.at(-1) ?? '';
  }

  #begin(delayMs = 0): void {
    if (this.#stopped) return;
    const { clock, faults, ledger } = this.#world;
    const version = this.#version;
    const boot = new Boot(
      {
        node: this.id,
        version,
        fleet: this.#fleet,
        speed: clock.speed,
        ledger,
        twice: () => Math.random() < faults.twice,
        isLinked: () => this.#isLinked,
        isPaperOut: () => this.paperOut,
        isHeld: this.isHeld,
        crash: this.#crash,
        rolledBack: this.#rolledBack,
        install: (image) => this.#install(image),
      },
      delayMs,
    );
    this.#boot = boot;
    if (this.#isSpoiled && version !== this.#versions[0])
      clock.after(faults.spoiledAfter, () => {
        if (this.#boot === boot) this.#end('rollback');
      });
  }

  /** Ends its run, and begins the next one. `rollback`: the launcher goes back to the version before. */
  #end(reason: 'crash' | 'rollback'): void {
    const { clock, faults } = this.#world;
    const boot = this.#boot;
    if (boot === undefined) return;
    boot.stop();
    this.#boot = undefined;
    this.#crash = {
      ...(reason === 'crash' && { bootId: boot.id }),
      reason,
      time: new Date(Date.now() + this.#skewMs).toISOString(),
      uptimeSeconds: Math.floor((performance.now() - boot.startedAt) / 1000),
    };
    if (reason === 'rollback') {
      const [first = ''] = this.#versions;
      this.#rolledBack.push(this.#version);
      this.#versions.push(first);
    }
    clock.after(faults.startTakes, () => this.#begin());
  }

  async #install({ version = '', sha256, chunks }: IncomingImage): Promise<InstalledImage> {
    const hash = createHash('sha256');
    for await (const chunk of chunks) hash.update(chunk);
    if (hash.digest('hex') !== sha256) throw new Error('the image has another digest');
    const { clock, faults } = this.#world;
    this.#boot?.stop();
    this.#boot = undefined;
    this.#versions.push(version);
    clock.after(faults.startTakes, () => this.#begin());
    return { version, variant: 'wifi' };
  }

  #print(): void {
    this.#jobs += 1;
    const command = { type: 'print', id: `job-${this.#jobs}`, endpoint: 'receipt' } as const;
    this.#boot?.tell(this.paperOut ? failed(command, 'write_failed') : succeeded(command, 'confirmed', 900));
  }

  #flap(): void {
    const { clock, faults } = this.#world;
    clock.around(this.#isLinked ? faults.linkUp : faults.linkDown, () => {
      this.#isLinked = !this.#isLinked;
      this.#flap();
    });
  }
}
