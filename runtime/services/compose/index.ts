/** The room `compose`: POST /compose, receipt lines from a sentence, by a model in the cloud (specification 1). */
import { errorBody } from '../../http/envelope.ts';
import { Outbound } from '../../http/outbound.ts';
import { addressOf } from '../../http/peer.ts';
import { targetsOf } from '../../http/targets.ts';
import { type Call, definePlugin, type Plugin, routesOf } from '../../kernel/plugin.ts';
import { Reply } from '../../kernel/reply.ts';
import { Composer } from './compose.ts';
import { ComposeAnswer, ComposeBody, Composed } from './contract.ts';
import { errors } from './errors.ts';

const route = routesOf<Composer>();

async function answer({ node, room, body, request, begin, key }: Call<ComposeBody, Composer>): Promise<Reply> {
  const { id, endpoint } = body;
  const job = node.offered('jobs')?.begin({ id, kind: 'compose', endpoint, from: addressOf(request.socket), key });
  try {
    const outcome = await room.compose(body, request, { begin, prints: (command) => job?.becomes(command) });
    if (!('refused' in outcome)) {
      job?.end({});
      return new Reply(200, { ok: true, ...outcome });
    }
    const { error, detail, status = node.errors.get(error)?.status ?? 500 } = outcome.refused;
    job?.end({ error });
    return new Reply(status, errorBody(error, detail));
  } finally {
    job?.end({ error: 'internal' });
  }
}

/** Creates the room. `deadlineMs` is for tests. */
export const compose = ({ deadlineMs }: { readonly deadlineMs?: number } = {}): Plugin =>
  definePlugin({
    name: 'compose',
    api: 2,
    requires: ['cloud', 'printer'],
    errors,
    inputs: [ComposeAnswer],
    routes: [
      route({
        method: 'POST',
        path: '/compose',
        tier: 'strict',
        summary: 'receipt lines from a sentence; print:true prints them',
        body: { schema: ComposeBody, invalid: 'invalid_command' },
        response: Composed,
        errors: [
          'api_locked',
          'invalid_body',
          'invalid_command',
          { code: 'unknown_endpoint', statuses: [409] },
          'cloud_not_configured',
          { code: 'compose_failed', statuses: [500, 502] },
          'unsupported_line_type',
          'unsupported_command_set',
          'render_too_large',
          'render_alloc_failed',
          'no_printer',
          'busy',
          'write_failed',
        ],
        commands: { begins: 'handler' },
        handle: answer,
      }),
    ],
    room(node) {
      const outbound = new Outbound({ refuses: targetsOf(node) });
      node.hooks.stop.tap('compose', () => outbound.close());
      return new Composer(node, outbound, deadlineMs);
    },
  });

export default compose();
