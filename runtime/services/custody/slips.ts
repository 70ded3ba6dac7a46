/**
 * Printed notices about access to this node: printed after every change of a key or the mode, so that the people at the
 * counter know. They never contain a key.
 */
import { filled, languagesOfNotice } from '../../base/language.ts';
import type { ConfigChange } from '../../kernel/hooks.ts';
import type { Node } from '../../kernel/node.ts';
import { words } from './words/slip/index.ts';

/** Shortest interval between two notices, so that repeated changes cannot use up the paper roll. */
const INTERVAL_MS = 60_000;

type Words = (typeof words)['en'];
/** A sentence or two in the words of one language. */
type Said = (words: Words) => string;

/** The texts of notices, by configuration key. */
const WATCHED: Readonly<Record<string, (change: ConfigChange) => Said>> = {
  apiMode:
    ({ value }) =>
    (own) =>
      own[`mode_${String(value)}` as Extract<keyof Words, `mode_${string}`>],
  apiKey:
    ({ value, previous }) =>
    ({ keySet, keyReplaced, keyRemoved }) =>
      value === '' ? keyRemoved : previous === '' ? keySet : keyReplaced,
};

interface Untold {
  readonly said: Said;
  readonly times: number;
}

/** Prints notices, at most one per interval, and keeps those that could not be printed. */
export class Slips {
  readonly #node: Node;
  readonly #intervalMs: number;
  /** Changes that were not printed yet, by configuration key. */
  readonly #untold = new Map<string, Untold>();
  #timer: NodeJS.Timeout | undefined;
  #notBefore = 0;
  #over = false;

  constructor(node: Node, { intervalMs = INTERVAL_MS }: { readonly intervalMs?: number } = {}) {
    this.#node = node;
    this.#intervalMs = intervalMs;
  }

  /** To call when a value was stored. Changes of one request, or within the interval, are on one notice. */
  changed(change: ConfigChange): void {
    const told = WATCHED[change.key];
    if (told === undefined || change.value === change.previous) return;
    const times = (this.#untold.get(change.key)?.times ?? 0) + 1;
    this.#untold.set(change.key, { said: told(change), times });
    this.schedule();
  }

  /** Prints pending changes when the interval has passed. To call also when a printer was connected. */
  schedule(): void {
    if (this.#untold.size === 0 || this.#over || this.#timer !== undefined) return;
    const wait = Math.max(0, this.#notBefore - performance.now());
    this.#timer = setTimeout(() => void this.#printUntold(), wait).unref();
  }

  /** Prints a notice at once, instead of all pending ones: keys of its words. Resolves with false if it could not be printed. */
  say(title: keyof Words, ...paragraphs: ReadonlyArray<keyof Words>): Promise<boolean> {
    this.#untold.clear();
    return this.#print(
      title,
      paragraphs.map((key) => (own) => own[key]),
    );
  }

  /** Prints nothing any more. */
  stop(): void {
    this.#over = true;
    clearTimeout(this.#timer);
  }

  async #printUntold(): Promise<void> {
    const told = [...this.#untold];
    const changes = told.map(
      ([, { said, times }]): Said =>
        (own) =>
          times === 1 ? said(own) : filled(own.changedTimes, { words: said(own), n: times }),
    );
    const printed = told.length > 0 && (await this.#print('changed', [...changes, ({ notYou }) => notYou]));
    this.#timer = undefined;
    if (!printed) return;
    for (const [key, { times }] of told) this.#forget(key, times);
    this.schedule();
  }

  #forget(key: string, times: number): void {
    const left = this.#untold.get(key);
    if (left === undefined) return;
    if (left.times <= times) this.#untold.delete(key);
    else this.#untold.set(key, { ...left, times: left.times - times });
  }

  async #print(title: keyof Words, paragraphs: readonly Said[]): Promise<boolean> {
    this.#notBefore = performance.now() + this.#intervalMs;
    const { hooks, image } = this.#node;
    const lines = languagesOfNotice(image.language).flatMap((language) => [
      { type: 'text', value: words[language][title], bold: true, align: 'center', size: '1x2' },
      ...paragraphs.flatMap((said) => [{ type: 'feed' }, { type: 'text', value: said(words[language]) }]),
      { type: 'feed' },
    ]);
    const printed = await hooks.notice.promise(lines.slice(0, -1));
    if (!printed) this.#notBefore = 0;
    return printed === true;
  }
}
