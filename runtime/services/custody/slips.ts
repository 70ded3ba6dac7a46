/**
 * Printed notices about access to this node: printed after every change of a key or the mode, so that the people at the
 * counter know. They never contain a key.
 */
import type { ConfigChange } from '../../kernel/hooks.ts';
import type { Node } from '../../kernel/node.ts';

/** Shortest interval between two notices, so that repeated changes cannot use up the paper roll. */
const INTERVAL_MS = 60_000;

type Words = (change: ConfigChange) => string;

const MODES: Readonly<Record<string, string>> = {
  open: 'anybody on this network may set up this node and print on it.',
  admin: 'setting up this node needs the API key, printing does not.',
  strict: 'setting up this node and printing over the API need the API key.',
};

/** The texts of notices, by configuration key. */
const WATCHED: Readonly<Record<string, Words>> = {
  apiMode: ({ value }) => `The mode is now "${String(value)}": ${MODES[String(value)] ?? ''}`,
  apiKey: ({ value, previous }) => {
    if (value === '') return 'The API key was removed.';
    return previous === '' ? 'An API key was set.' : 'The API key was replaced.';
  },
};

interface Untold {
  readonly words: string;
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
    const words = WATCHED[change.key];
    if (words === undefined || change.value === change.previous) return;
    const times = (this.#untold.get(change.key)?.times ?? 0) + 1;
    this.#untold.set(change.key, { words: words(change), times });
    this.schedule();
  }

  /** Prints pending changes when the interval has passed. To call also when a printer was connected. */
  schedule(): void {
    if (this.#untold.size === 0 || this.#over || this.#timer !== undefined) return;
    const wait = Math.max(0, this.#notBefore - performance.now());
    this.#timer = setTimeout(() => void this.#printUntold(), wait).unref();
  }

  /** Prints a notice at once, instead of all pending ones. Resolves with false if it could not be printed. */
  say(title: string, ...paragraphs: readonly string[]): Promise<boolean> {
    this.#untold.clear();
    return this.#print(title, paragraphs);
  }

  /** Prints nothing any more. */
  stop(): void {
    this.#over = true;
    clearTimeout(this.#timer);
  }

  async #printUntold(): Promise<void> {
    const told = [...this.#untold];
    const changes = told.map(([, { words, times }]) =>
      times === 1 ? words : `${words} Changed ${times} times since the last slip.`,
    );
    const printed = told.length > 0 && (await this.#print('ACCESS CHANGED', [...changes, NOT_YOU]));
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

  async #print(title: string, paragraphs: readonly string[]): Promise<boolean> {
    this.#notBefore = performance.now() + this.#intervalMs;
    const printed = await this.#node.hooks.notice.promise([
      { type: 'text', value: title, bold: true, align: 'center', size: '1x2' },
      ...paragraphs.flatMap((value) => [
        { type: 'feed', lines: 1 },
        { type: 'text', value },
      ]),
    ]);
    if (!printed) this.#notBefore = 0;
    return printed === true;
  }
}

const NOT_YOU =
  'If this was not you: hold the B button on the box for 15 seconds. That erases the API key and the update key and ' +
  'opens the node again.';
