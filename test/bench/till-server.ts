/** A hosted till that has an image as wide as the paper, ten times a second (Server Direct Print). */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { eposPrint, requestInfo } from '../pull/servers.ts';

const EVERY_MS = 100;
const [WIDTH, HEIGHT] = [576, 1000];
const IMAGE = Buffer.alloc((WIDTH / 8) * HEIGHT, 0x5a).toString('base64');
const BODY = `<image width="${WIDTH}" height="${HEIGHT}">${IMAGE}</image><cut/>`;

let count = 0;
let due = performance.now();
const server = createServer(async (request, response) => {
  const form = new URLSearchParams(await text(request));
  if (form.get('ConnectionType') !== 'GetRequest') {
    response.end();
    return;
  }
  // Held until there is one: the client asks at once again while there are jobs.
  const wait = due - performance.now();
  due = Math.max(due, performance.now()) + EVERY_MS;
  setTimeout(() => {
    count += 1;
    response.end(requestInfo([eposPrint(`image-${count}`, BODY)]));
  }, wait);
}).listen(0, '127.0.0.1', () => process.stdout.write(`port ${(server.address() as AddressInfo).port}\n`));
