/** What somebody at the till wants to know: each room says it of its own device, in words of a shop. */
import { definePanel, type Panel } from './kit/panel.ts';
import { say } from './kit/say.ts';

/** Above all others, so that it is what is seen first. */
export const overviewOf = (panels: readonly Panel[]): Panel =>
  definePanel({
    id: 'overview',
    title: say('overview'),
    order: 0,
    View: ({ node }) => (
      <div class="till">{panels.map(({ id, Overview }) => Overview && <Overview key={id} node={node} />)}</div>
    ),
  });
