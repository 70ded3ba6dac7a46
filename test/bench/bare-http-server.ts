/** The least a print server can be: node:http, a body that is read and dropped, a ready-made buffer to the sink. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readyMade } from './receipt.ts';
import { openSink } from './sink.ts';

const sink = await openSink();
const bytes = readyMade();
const server = createServer((request, response) => {
  request.on('data', () => {});
  request.on('end', async () => {
    await sink(bytes);
    const body = '{"ok":true}';
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length });
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`port ${(server.address() as AddressInfo).port}\n`));
process.on('SIGTERM', () => process.exit(0));
