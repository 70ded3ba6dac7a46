/** `npm run cloud -- --token T [--host H] [--port P] [--recipes FILE] [--firmware DIR]` */
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { createCloud } from './receiver.ts';

const { values } = parseArgs({
  options: {
    token: { type: 'string' },
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '8090' },
    recipes: { type: 'string' },
    firmware: { type: 'string' },
  },
});
const { token, host, port, recipes, firmware } = values;
if (token === undefined) throw new Error('--token is needed');
const app = createCloud({ token, ...(recipes && { recipes }), ...(firmware && { firmware }) });
const server = app.listen(Number(port), host, () => {
  process.stdout.write(`cloud http://${host}:${(server.address() as AddressInfo).port}\n`);
});
