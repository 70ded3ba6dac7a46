/** Services that are to be announced: together, and not before the addresses of their host may go with them. */
import type { Service } from './records.ts';

/** What announcing does. */
export interface AnnouncingSteps {
  /** Milliseconds until the addresses may be multicast again (RFC 6762, 6). */
  waitMs(): number;
  /** Multicasts the services with the addresses of their host (RFC 6763, 12.2). */
  send(services: readonly Service[]): Promise<void>;
}

/** The services that wait. */
export class Announcing {
  readonly #steps: AnnouncingSteps;
  readonly #waiting = new Map<string, Service>();
  #sent: Promise<void> | undefined;

  constructor(steps: AnnouncingSteps) {
    this.#steps = steps;
  }

  /** Resolves when the service is announced. Rejects as `send`. */
  add(service: Service): Promise<void> {
    this.#waiting.set(service.name, service);
    this.#sent ??= this.#wait().then(() => {
      const services = [...this.#waiting.values()];
      this.#waiting.clear();
      this.#sent = undefined;
      return this.#steps.send(services);
    });
    return this.#sent;
  }

  /** The service is withdrawn: it is announced no more. */
  drop({ name }: Service): void {
    this.#waiting.delete(name);
  }

  async #wait(): Promise<void> {
    const waitMs = this.#steps.waitMs();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}
