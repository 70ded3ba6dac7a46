/** The room `custody`: the button of the box, and printed notices about access (specification 3.1, 3.5 and 5). */
import { AsyncSeriesHook } from 'tapable';
import { definePlugin } from '../../kernel/plugin.ts';
import { Button } from './button.ts';
import { Custody } from './custody.ts';
import { errors } from './errors.ts';
import { WINDOWS } from './gestures.ts';
import { Slips } from './slips.ts';

export default definePlugin({
  name: 'custody',
  api: 2,
  requires: ['settings'],
  limits: { clearKeysHoldMs: WINDOWS.clearHeld, forgetNetworkHoldFromMs: WINDOWS.forgetFrom },
  errors,
  offers: () => ({ forgetNetwork: new AsyncSeriesHook<[]>() }),
  room(node, { forgetNetwork }) {
    const { hooks, run } = node;
    const { buttons } = node.bindings;
    const slips = new Slips(node);
    const custody = new Custody(node, slips, forgetNetwork);
    const button = new Button((gesture) => void custody.act(gesture));

    hooks.configured.tap('custody', (change) => slips.changed(change));
    hooks.attach.tap('custody', () => slips.schedule());
    hooks.start.tapPromise('custody', async () => {
      if (run.appliance || buttons?.ofMachine === false) await buttons?.start(button);
    });
    hooks.stop.tapPromise('custody', async () => {
      button.stop();
      slips.stop();
      await buttons?.stop();
    });
  },
});

declare module '../../kernel/registry.ts' {
  interface Offers {
    custody: {
      /** A person held the button of the box to have its network forgotten. A rejection stops the other taps. */
      readonly forgetNetwork: AsyncSeriesHook<[]>;
    };
  }
}
