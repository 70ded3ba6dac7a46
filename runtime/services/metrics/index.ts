/** The room `metrics`: GET /metrics, the state of the node in numbers, as Prometheus reads it. */
import { EXPOSITION, exposition } from '../../http/exposition.ts';
import { definePlugin, routesOf } from '../../kernel/plugin.ts';
import { CommandsCounted } from './commands.ts';
import { metricsOf } from './metrics.ts';

/** What is counted since the start. */
interface Metrics {
  readonly commands: CommandsCounted;
}

const route = routesOf<Metrics>();

export default definePlugin({
  name: 'metrics',
  api: 2,
  requires: ['status'],
  routes: [
    route({
      method: 'GET',
      path: '/metrics',
      tier: 'none',
      summary: 'the state of the node in numbers, in the text format of Prometheus',
      type: EXPOSITION,
      handle: ({ node, room: { commands } }) => exposition([...metricsOf(node), commands.metric()]),
    }),
  ],
  room(node) {
    const commands = new CommandsCounted();
    node.hooks.commanded.tap('metrics', ({ type }, result) => commands.count(type, result));
    return { commands };
  },
});
