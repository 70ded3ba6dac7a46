/** The room `custody`: the button of the box, and printed notices about access (specification 3.1, 3.5 and 5). */
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
  room(node) {
    const { hooks, run } = node;
    const { buttons } = node.bindings;
    const slips = new Slips(node);
    const custody = new Custody(node, slips);
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
