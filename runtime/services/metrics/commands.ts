/** How many commands of each type ended, and how. */
import type { Metric } from '../../http/exposition.ts';
import type { CommandResult } from '../../kernel/command.ts';

/** Counts since the start; types and results are the few that the image has. */
export class CommandsCounted {
  readonly #counts = new Map<string, { readonly labels: Readonly<Record<string, string>>; value: number }>();

  count(type: string, { ok, error }: CommandResult): void {
    const result = ok ? 'ok' : (error ?? 'internal');
    const key = `${type} ${result}`;
    const counted = this.#counts.get(key) ?? { labels: { type, result }, value: 0 };
    counted.value += 1;
    this.#counts.set(key, counted);
  }

  /** The counts as a metric, `result` being `ok` or the code of the error. */
  metric(): Metric {
    return {
      name: 'tillnode_commands_total',
      type: 'counter',
      help: 'Commands since the start, by type, and by result: ok or the code of the error.',
      samples: [...this.#counts.values()].map(({ labels, value }) => [labels, value]),
    };
  }
}
