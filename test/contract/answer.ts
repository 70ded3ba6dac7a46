/** Every route's good request and what is wrong with its answer. */
import { startReceiver } from '../http/receiver.ts';
import { reply, routes, TOKEN } from '../services/cloud/node.ts';
import { faultOf, operationOf } from './document.ts';
import { GOOD, imageFor, LINES, upload } from './requests.ts';
import { jsonOf, type Shop, send, startShop } from './shop.ts';

export async function startWithCloud(): Promise<Shop> {
  const cloud = await startReceiver(routes({ '/compose': reply(200, { lines: LINES }), '/heartbeat': reply(204) }));
  const node = await startShop({ variant: 'twin' });
  await send(node, 'PUT /cloud', { body: { url: cloud.url, token: TOKEN } });
  await send(node, 'PUT /config', GOOD['PUT /config']);
  return node;
}

/** What is wrong with a twin's answer to the good request of this route; '' for nothing. */
export async function faultIn(node: Shop, route: string): Promise<string> {
  const ask = route === 'POST /update' ? upload(imageFor('twin')) : GOOD[route];
  const answer = await send(node, route, ask);
  const [media = '', { schema }] = Object.entries(operationOf('twin', route)?.responses['200']?.content ?? {})[0] ?? [
    '',
    {},
  ];
  if (answer.status !== 200) return `${answer.status} ${answer.text.slice(0, 200)}`;
  if (answer.type.split(';')[0] !== media.split(';')[0]) return `${answer.type} instead of ${media}`;
  if (media === 'application/json') return faultOf('twin', schema, jsonOf(answer));
  if (media !== 'application/x-ndjson') return answer.text.length > 0 ? '' : 'nothing came';
  const lines = answer.text.split('\n').filter((line) => line !== '');
  return lines.length === 0 ? 'no line came' : lines.map((line) => faultOf('twin', schema, JSON.parse(line))).join('');
}
