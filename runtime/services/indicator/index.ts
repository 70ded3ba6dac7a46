/** The room `indicator`: the LED of the box says what is wrong where nobody has a screen. */
import { isDeepStrictEqual } from 'node:util';
import type { LedBinding } from '../../bindings/board.ts';
import type { Node } from '../../kernel/node.ts';
import { definePlugin, type Plugin } from '../../kernel/plugin.ts';
import { type NodeCondition, patternOf } from './patterns.ts';

/** Some changes are told by nobody: a network manager that came up late. */
const AGAIN_MS = 30_000;

/** Creates the room. `againMs` is for tests. */
export const indicator = (againMs = AGAIN_MS): Plugin =>
  definePlugin({
    name: 'indicator',
    api: 2,
    room(node) {
      const { hooks, run, bindings } = node;
      const { led, radio } = bindings;
      if (led === undefined || (led.ofMachine && !run.appliance)) return;
      const shown = new Shown(node, led);
      const look = () => void shown.look();
      let unwatch: (() => void) | undefined;
      let again: NodeJS.Timeout | undefined;
      hooks.start.tap('indicator', () => {
        unwatch = radio?.watch(look);
        again = setInterval(look, againMs).unref();
        look();
      });
      hooks.attach.tap('indicator', look);
      hooks.detach.tap('indicator', look);
      hooks.stop.tapPromise('indicator', async () => {
        unwatch?.();
        clearInterval(again);
        await shown.stop();
      });
    },
  });

export default indicator();

/** Keeps the LED as the node is. */
class Shown {
  readonly #node: Node;
  readonly #led: LedBinding;
  #condition: NodeCondition | undefined;
  #looking: Promise<void> | undefined;
  /** Something changed while it looked. */
  #changed = false;
  #stopped = false;

  constructor(node: Node, led: LedBinding) {
    this.#node = node;
    this.#led = led;
  }

  /** Looks how the node is, and shows that; changes meanwhile are looked at together. */
  look(): Promise<void> {
    this.#changed = true;
    this.#looking ??= this.#run().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#looking;
    await this.#led.release();
  }

  async #run(): Promise<void> {
    while (this.#changed && !this.#stopped) {
      this.#changed = false;
      const condition = await conditionOf(this.#node);
      if (this.#stopped || isDeepStrictEqual(condition, this.#condition)) continue;
      this.#condition = condition;
      await this.#led.show(patternOf(condition));
    }
  }
}

async function conditionOf(node: Node): Promise<NodeCondition> {
  const { radio } = node.bindings;
  const printers = node.endpoints('printer');
  const noPrinter =
    printers.length > 0 && !printers.some(({ condition }) => condition === 'bound' || condition === 'silent');
  const mode = await radio?.read().then(
    (state) => state.mode,
    () => 'offline' as const,
  );
  const usable =
    mode !== 'offline' ||
    (await radio?.usable().then(
      () => true,
      () => false,
    ));
  return {
    troubles: [
      ...(noPrinter ? (['no_printer'] as const) : []),
      ...(mode === 'offline' ? ([usable ? 'no_link' : 'no_radio'] as const) : []),
    ],
    setup: mode === 'setup',
  };
}
