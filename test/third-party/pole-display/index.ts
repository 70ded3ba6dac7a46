/** The display room: PUT and GET /display, the idle text, and an event for what was shown. */
import { ApiError, CDC_DATA_CLASS, definePlugin, type Node, routesOf, UsbError, VENDOR_CLASS } from 'tillnode/plugin';
import { bind, classify } from './bind.ts';
import { poleDisplay } from './codec.ts';
import { DisplayBlock, DisplayConfig, DisplayShown, ShowLines } from './contract.ts';
import type { Display } from './display.ts';
import { errors } from './errors.ts';

const ENDPOINT = 'display';

/** What stays when a display is unplugged. */
interface Room {
  /** How often something was shown since the node started. */
  shown: number;
}
const route = routesOf<Room>();

export default definePlugin({
  name: 'pole-display',
  api: 2,
  endpoints: [{ id: ENDPOINT, kind: 'display', transport: 'usb', capabilities: ['show'] }],
  codecs: [poleDisplay],
  channels: { classes: [CDC_DATA_CLASS, VENDOR_CLASS], types: ['bulk'], writes: true },
  errors,
  config: [{ key: 'display', schema: DisplayConfig, default: { idle: [], brightness: 4, blink: false } }],
  events: { display_shown: { schema: DisplayShown, webhook: true } },
  routes: [
    route({
      method: 'GET',
      path: '/display',
      tier: 'none',
      summary: 'what the customer sees',
      response: DisplayBlock,
      handle: ({ node, room }) => blockOf(node, room),
    }),
    route({
      method: 'PUT',
      path: '/display',
      tier: 'strict',
      summary: 'show up to two lines to the customer, or with none the idle text',
      body: { schema: ShowLines, invalid: 'invalid_command' },
      response: DisplayBlock,
      errors: ['invalid_command', 'no_display', 'display_failed'],
      handle: async ({ node, room, body: { lines } }) => {
        const display = node.bound('display', ENDPOINT);
        if (display === undefined) throw new ApiError('no_display');
        const misfit = await attempt(() =>
          lines.length > 0 ? display.show(lines) : display.rest(settingsOf(node).idle).then(() => undefined),
        );
        if (misfit !== undefined) throw new ApiError('invalid_command', misfit);
        room.shown += 1;
        node.event({ type: 'display_shown', endpoint: ENDPOINT, lines: [...display.lines] });
        return blockOf(node, room);
      },
    }),
  ],
  room(node): Room {
    const { hooks, log } = node;
    hooks.classify.tap('pole-display', classify);
    hooks.bind.for(poleDisplay.kind).tapPromise('pole-display', (candidate) => bind(candidate, settingsOf(node)));
    hooks.configured.tap('pole-display', ({ key, value }) => {
      if (key !== 'display') return;
      node
        .bound('display', ENDPOINT)
        ?.configure(value)
        .catch((error: unknown) => log.warn({ error: String(error) }, 'display not configured'));
    });
    return { shown: 0 };
  },
});

const settingsOf = (node: Node) => node.config.get('display');

function blockOf(node: Node, { shown }: Room) {
  const display = node.bound('display', ENDPOINT);
  return {
    endpoint: ENDPOINT,
    condition: node.endpoint(ENDPOINT)?.condition ?? 'never_seen',
    lines: display?.lines ?? [],
    ...(display && { columns: display.columns }),
    shown,
  };
}

async function attempt<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof UsbError) throw new ApiError('display_failed', error.message);
    throw error;
  }
}

declare module 'tillnode/registry' {
  interface BoundKinds {
    display: Display;
  }
}
