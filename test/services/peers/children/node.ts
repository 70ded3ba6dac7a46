/** A whole node on the network of its machine, port 80. Prints its list of peers whenever it is another one. */
import { createLinks } from '../../../../runtime/bindings/native/links.ts';
import { startTestNode } from '../../../../runtime/node/testing.ts';
import peers from '../../../../runtime/services/peers/index.ts';
import settings from '../../../../runtime/services/settings/index.ts';
import status from '../../../../runtime/services/status/index.ts';

const [host = '', name = ''] = process.argv.slice(2);
await startTestNode({
  plugins: [status, settings, peers],
  recipes: [],
  run: { host, port: 80 },
  bindings: () => ({ links: createLinks() }),
});
const own = host === '0.0.0.0' ? 'http://127.0.0.1' : `http://${host}`;
await fetch(`${own}/name`, { method: 'PUT', body: JSON.stringify({ name }) });
let last: unknown;
setInterval(async () => {
  const answer = (await (await fetch(`${own}/peers`)).json()) as { peers: Record<string, unknown>[] };
  const list = JSON.stringify(answer.peers.map(({ ageMs: _ageMs, ...peer }) => peer));
  if (list !== last) process.stdout.write(`${list}\n`);
  last = list;
}, 100);
