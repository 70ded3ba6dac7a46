// node till.mjs print|kick|status|events|receive [TEXT]; the node is NODE, http://127.0.0.1:8080 where not given.
// Without a package; `tillnode/client` does all of it.
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { text as all } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

const { NODE = 'http://127.0.0.1:8080', SECRET = '', PORT = '8000' } = process.env;
const [what, text = 'Hello'] = process.argv.slice(2);
const id = randomUUID();
const say = (value) => console.log(JSON.stringify(value));

async function ask(method, path, body, headers = {}) {
  const request = { method, headers, body: body && JSON.stringify(body), signal: AbortSignal.timeout(30_000) };
  return (await fetch(NODE + path, request)).json();
}

/** Done once: sent again with its key where the answer is lost, for 90 s. */
async function once(path, command) {
  const key = { 'Idempotency-Key': randomUUID() };
  for (const last = Date.now() + 90_000; ; await delay(1000)) {
    const answer = await ask('POST', path, command, key).catch(() => ({ ok: false, error: 'unreachable' }));
    const again = ['unreachable', 'busy', 'key_in_use', 'restarting'].includes(answer.error);
    if (!again || Date.now() > last) return answer; // write_failed: look at the paper
  }
}

async function events() {
  let held = '';
  for await (const piece of (await fetch(`${NODE}/events`)).body.pipeThrough(new TextDecoderStream())) {
    const lines = (held + piece).split('\n');
    held = lines.pop();
    for (const line of lines) if (line.startsWith('data: ')) console.log(line.slice('data: '.length));
  }
}

const receive = async (request, response) => {
  const body = Number(request.headers['content-length']) <= 1024 ? await all(request) : '';
  const own = Buffer.from(`sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`);
  const shown = Buffer.from(request.headers['x-node-signature'] ?? '');
  const right = own.length === shown.length && timingSafeEqual(own, shown);
  response.writeHead(right ? 204 : 401).end();
  if (right) console.log(body);
};

const lines = [{ type: 'text', value: text }, { type: 'cut' }];
if (what === 'print') say(await once('/print', { type: 'print', id, endpoint: 'receipt', lines }));
if (what === 'kick') say(await once('/drawer/kick', { type: 'drawer_kick', id, endpoint: 'receipt' }));
if (what === 'status') say(await ask('GET', '/status'));
if (what === 'events') await events();
if (what === 'receive') createServer(receive).listen(Number(PORT), '127.0.0.1');
