/** POST /twin/button: simulates that the button on the box was held for `holdMs`. */
import { route } from '../../runtime/kernel/plugin.ts';
import { TwinButton, TwinDone } from './contract.ts';

/** Body: the name of the button and `holdMs`, milliseconds. */
export const buttonRoute = route({
  method: 'POST',
  path: '/twin/button',
  tier: 'none',
  summary: 'hold a button of the box for a while and let it go',
  body: { schema: TwinButton, invalid: 'invalid_command' },
  response: TwinDone,
  errors: ['invalid_command'],
  handle: ({ node, body: { name, holdMs } }) => {
    const { bench } = node.bindings;
    if (bench === undefined) throw new Error('the twin room needs virtual bindings');
    bench.buttons.hold(name, holdMs);
    return { ok: true };
  },
});
