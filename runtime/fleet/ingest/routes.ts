/** What nodes send: heartbeats and webhooks. */
import { createAjv } from '../../base/ajv.ts';
import { type CompiledValidator, Contract } from '../../kernel/contract.ts';
import { Heartbeat, Webhook } from '../contract.ts';
import { bytesOf, jsonOf } from '../http/body.ts';
import { Refusal } from '../http/errors.ts';
import { type Call, type Route, route } from '../http/routes.ts';
import { bearerOf, isOfNode, isSigned } from '../http/tokens.ts';
import { Busy, type Ingest } from './ingest.ts';

const HEARTBEAT_BYTES = 16 * 1024;
/** The event is at most 511 bytes (specification, section 8). */
const WEBHOOK_BYTES = 2048;

/** The routes. They check their bodies themselves: what is wrong is counted, and a signature is over the bytes. */
export function ingestRoutes(master: string, ingest: Ingest): Route[] {
  const ajv = createAjv();
  const contract = new Contract({
    Heartbeat: ajv.compile(Heartbeat) as CompiledValidator,
    Webhook: ajv.compile(Webhook) as CompiledValidator,
  });

  async function read<T>({ context, address }: Call, schema: typeof Heartbeat | typeof Webhook, limit: number) {
    try {
      const bytes = await ingest.read(() => bytesOf(context.req, limit));
      const message = jsonOf(bytes);
      const fault = contract.fault(schema, message);
      if (fault !== undefined) throw new Refusal('invalid_request', `${fault.path || 'the body'} ${fault.message}`);
      return { bytes, message: message as T };
    } catch (error) {
      if (error instanceof Busy) throw error;
      // Who sent it is not known: a body that is wrong proves nothing.
      const detail = `${context.path}: ${(error as Error).message}`.slice(0, 200);
      ingest.oddities.add({ kind: 'bad_body', node: '', address, detail });
      throw error;
    }
  }

  return [
    route({
      method: 'POST',
      path: '/heartbeat',
      access: 'node',
      summary: 'a heartbeat; 204 once it is on the disk',
      upload: 'application/json',
      errors: ['invalid_json', 'invalid_request', 'body_too_large', 'unauthorized', 'busy'],
      async handle(call) {
        const { bytes, message } = await read<Heartbeat>(call, Heartbeat, HEARTBEAT_BYTES);
        const { context, address } = call;
        if (!isOfNode(master, message.node, bearerOf(context.get('authorization')))) {
          const detail = `a heartbeat that says it is ${message.node}`;
          ingest.oddities.add({ kind: 'foreign_token', node: '', address, detail });
          throw new Refusal('unauthorized');
        }
        await ingest.offer({ kind: 'heartbeat', address, message }, bytes.length);
      },
    }),
    route({
      method: 'POST',
      path: '/events',
      access: 'node',
      summary: 'a webhook of a node, signed with its token or the master token; 204 once it is on the disk',
      upload: 'application/json',
      errors: ['invalid_json', 'invalid_request', 'body_too_large', 'unauthorized', 'busy'],
      async handle(call) {
        const { bytes, message } = await read<Webhook>(call, Webhook, WEBHOOK_BYTES);
        const { context, address } = call;
        if (!isSigned(master, message.node, bytes, context.get('x-node-signature'))) {
          const detail = `a webhook that says it is of ${message.node}`;
          ingest.oddities.add({ kind: 'bad_signature', node: '', address, detail });
          throw new Refusal('unauthorized');
        }
        await ingest.offer({ kind: 'webhook', address, message }, bytes.length);
      },
    }),
  ];
}
