import type { LinksBinding, NetworkLink } from '../network.ts';

/** Network interfaces that a test sets. */
export class VirtualLinks implements LinksBinding {
  #links: readonly NetworkLink[] = [];
  readonly #watchers = new Set<() => void>();

  list(): readonly NetworkLink[] {
    return this.#links;
  }

  set(links: readonly NetworkLink[]): void {
    this.#links = links;
    for (const changed of this.#watchers) changed();
  }

  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }
}
