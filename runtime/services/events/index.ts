/** The room `events`: GET /events, all events of the node as server-sent events. */
import type { Readable } from 'node:stream';
import { LiveStream, noStream, STREAM_SLOTS, StreamSlots } from '../../http/streams.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { StatusDraft } from '../../kernel/hooks.ts';
import type { Node } from '../../kernel/node.ts';
import { type Call, definePlugin, routesOf } from '../../kernel/plugin.ts';
import { Broadcast } from './broadcast.ts';
import { EventsHeaders, Telemetry } from './contract.ts';
import { errors } from './errors.ts';

const COMMENT_MS = 15_000;
const TELEMETRY_MS = 10_000;

interface Room {
  readonly broadcast: Broadcast;
  readonly slots: StreamSlots;
}

const route = routesOf<Room>();

export default definePlugin({
  name: 'events',
  api: 2,
  errors,
  events: { telemetry: { schema: Telemetry } },
  limits: { streamSlots: STREAM_SLOTS },
  routes: [
    route({
      method: 'GET',
      path: '/events',
      tier: 'none',
      summary: 'the event stream, for four subscribers at most',
      headers: EventsHeaders,
      type: 'text/event-stream; charset=utf-8',
      errors: ['no_slots'],
      handle: subscribe,
    }),
  ],
  offers: () => new StreamSlots(),
  room(node, slots): Room {
    const broadcast = new Broadcast();
    node.hooks.event.tap('events', (event) => broadcast.publish(event));
    let timers: readonly NodeJS.Timeout[] = [];
    node.hooks.start.tap('events', () => {
      timers = [
        setInterval(() => broadcast.comment(), COMMENT_MS).unref(),
        setInterval(() => {
          if (broadcast.subscribers > 0) node.event(telemetry(node));
        }, TELEMETRY_MS).unref(),
      ];
    });
    node.hooks.stop.tap('events', () => {
      for (const timer of timers) clearInterval(timer);
      broadcast.end();
    });
    return { broadcast, slots };
  },
});

function subscribe({ node, room: { broadcast, slots }, request }: Call<unknown, Room>): Readable {
  if (node.stopping || slots.free === 0) throw new ApiError('no_slots');
  if (request.method === 'HEAD') return noStream();
  const slot = slots.take();
  if (slot === undefined) throw new ApiError('no_slots');
  const stream = new LiveStream(request, slot);
  const lastEventId = request.headers['last-event-id'];
  const seen = /^\d+$/.test(String(lastEventId)) ? Number(lastEventId) : undefined;
  broadcast.subscribe(stream, seen);
  return stream;
}

function telemetry(node: Node) {
  const draft: StatusDraft = {};
  node.hooks.telemetry.call(draft);
  return {
    type: 'telemetry' as const,
    uptimeSeconds: Math.floor((performance.now() - node.startedAt) / 1000),
    rssBytes: process.memoryUsage.rss(),
    ...draft,
  };
}

declare module '../../kernel/registry.ts' {
  interface Offers {
    /** The stream slots of the node, shared by every room whose responses stay open. */
    events: StreamSlots;
  }
}
