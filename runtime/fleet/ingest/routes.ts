/** What nodes send: heartbeats and webhooks. */
import { compiledOnce } from '../../base/ajv.ts';
import { bearerOf } from '../../http/secrets.ts';
import { type CompiledValidator, Contract, wordsOf } from '../../kernel/validator.ts';
import { Away } from '../database/database.ts';
import { jsonOf } from '../http/body.ts';
import { Refusal } from '../http/errors.ts';
import { type Call, type Route, route } from '../http/routes.ts';
import { mayBeSignature, type NodeTokens } from '../sign-in/node-tokens.ts';
import { Heartbeat, Webhook } from './contract.ts';
import type { Ingest } from './ingest.ts';
import type { Oddity } from './oddities.ts';
import { BodyReading } from './reading.ts';

const HEARTBEAT_BYTES = 16 * 1024;
/** The event is at most 511 bytes (specification, section 8). */
const WEBHOOK_BYTES = 2048;

/** The routes. They check their bodies themselves: what is wrong is counted, and a signature is over the bytes. */
export function ingestRoutes(tokens: NodeTokens, ingest: Ingest): Route[] {
  const contract = new Contract({
    Heartbeat: compiledOnce(Heartbeat) as CompiledValidator,
    Webhook: compiledOnce(Webhook) as CompiledValidator,
  });

  const reading = new BodyReading();

  async function read<T>({ context, address }: Call, schema: typeof Heartbeat | typeof Webhook, limit: number) {
    ingest.mustHaveRoom();
    try {
      const bytes = await reading.read(context.req, address, limit);
      const message = jsonOf(bytes);
      const fault = contract.fault(schema, message);
      if (fault !== undefined) throw new Refusal('invalid_request', wordsOf(fault));
      return { bytes, message: message as T };
    } catch (error) {
      // Who sent it is not known: a body that is wrong proves nothing.
      const { message, detail = message } = error as Error & { readonly detail?: string };
      const said = `${context.path}: ${detail}`.slice(0, 200).replaceAll(/[\0\p{Surrogate}]/gu, '?');
      ingest.oddities.add({ kind: 'bad_body', node: '', address, detail: said });
      throw error;
    }
  }

  /** Whether a token counts. Where the database cannot say, a message was refused, of whomever it is. */
  const known = (asked: Promise<boolean>) =>
    asked.catch((error: unknown) => {
      if (error instanceof Away) ingest.noteRefused();
      throw error;
    });

  const refuse = (kind: Oddity['kind'], address: string, detail: string): never => {
    ingest.oddities.add({ kind, node: '', address, detail });
    throw new Refusal('unauthorized');
  };

  return [
    route({
      method: 'POST',
      path: '/heartbeat',
      access: 'node',
      summary: 'a heartbeat; 204 once it is on the disk',
      upload: 'application/json',
      errors: ['invalid_json', 'invalid_request', 'body_too_large', 'unauthorized', 'busy'],
      async handle(call) {
        const { context, address } = call;
        const shown = bearerOf(context.get('authorization'));
        if (!tokens.mayBe(shown)) refuse('foreign_token', address, 'a heartbeat without a token');
        const { bytes, message } = await read<Heartbeat>(call, Heartbeat, HEARTBEAT_BYTES);
        if (!(await known(tokens.isOfNode(message.node, shown))) && !(await known(tokens.isForMessages(shown))))
          refuse('foreign_token', address, `a heartbeat that says it is ${message.node}`);
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
        const { context, address } = call;
        const signature = context.get('x-node-signature');
        if (!mayBeSignature(signature)) refuse('bad_signature', address, 'a webhook without a signature');
        const { bytes, message } = await read<Webhook>(call, Webhook, WEBHOOK_BYTES);
        if (!(await known(tokens.isSigned(message.node, bytes, signature))))
          refuse('bad_signature', address, `a webhook that says it is of ${message.node}`);
        await ingest.offer({ kind: 'webhook', address, message }, bytes.length);
      },
    }),
  ];
}
