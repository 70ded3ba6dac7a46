/** What a webhook delivers, held against the contract. */
import { describe, expect, it } from 'vitest';
import { at, documents, faultOf } from '../../contract/document.ts';
import { GOOD } from '../../contract/requests.ts';
import { send, startShop } from '../../contract/shop.ts';
import { eventsOf, type VariantName } from '../../contract/tables.ts';
import { startReceiver } from '../../http/receiver.ts';
import { until } from '../../node.ts';

const VARIANTS: readonly VariantName[] = ['wifi', 'camera', 'twin'];

describe('the document', () => {
  it.each(VARIANTS)(
    'of variant %s sends the events of the table that may be subscribed to, with three header fields',
    (variant) => {
      const document = documents[variant];
      const { requestBody, parameters } = document.webhooks['event']?.post ?? expect.fail();
      const schema = requestBody?.content['application/json']?.schema as {
        properties: { event: { oneOf: { $ref: string }[] } };
      };
      const types = schema.properties.event.oneOf.map(
        ({ $ref }) =>
          (at(document, $ref.slice(1)) as { properties: { type: { const: string } } }).properties.type.const,
      );
      const subscribable = eventsOf(variant).filter(({ webhook }) => webhook);
      expect(types.sort()).toEqual(subscribable.map(({ type }) => type).sort());
      expect(parameters.map(({ name }) => name)).toEqual(['X-NODE-Node', 'X-NODE-Seq', 'X-NODE-Signature']);
    },
  );
});

it('an event goes to a receiver in the body and with the header fields of the document', async () => {
  const receiver = await startReceiver();
  const node = await startShop({ variant: 'twin' });
  await send(node, 'PUT /config', {
    body: { webhook: { url: receiver.url, secret: 'sesame', events: ['command_result'] } },
  });
  await send(node, 'POST /print', GOOD['POST /print']);
  await send(node, 'POST /drawer/kick', GOOD['POST /drawer/kick']);
  await until(() => receiver.received.length === 2);
  const { parameters, requestBody } = documents.twin.webhooks['event']?.post ?? expect.fail();
  for (const { headers, body } of receiver.received) {
    expect(faultOf('twin', requestBody?.content['application/json']?.schema, JSON.parse(body))).toBe('');
    for (const { name, schema } of parameters) {
      expect(faultOf('twin', schema, headers[name.toLowerCase()])).toBe('');
    }
  }
});
