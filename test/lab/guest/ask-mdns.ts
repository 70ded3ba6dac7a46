/**
 * Asks by multicast DNS for the addresses of a name, from where it runs; prints them, one a line. A question that does
 * not come from port 5353 is answered to who asked (RFC 6762, 6.7).
 */
import { createSocket } from 'node:dgram';
import dnsPacket from 'dns-packet';

const [name = '', own = ''] = process.argv.slice(2);
const AGAIN_MS = 1000;
const PATIENCE_MS = 60_000;
const socket = createSocket('udp4');
const question = dnsPacket.encode({ type: 'query', id: 1, questions: [{ type: 'A', name }] });
socket.on('message', (bytes) => {
  const addresses = (dnsPacket.decode(bytes).answers ?? []).flatMap((answer) =>
    answer.type === 'A' && answer.name === name ? [answer.data] : [],
  );
  if (addresses.length === 0) return;
  process.stdout.write(`${addresses.join('\n')}\n`);
  process.exit();
});
socket.bind(0, own, () => {
  socket.setMulticastInterface(own);
  const ask = () => socket.send(question, 5353, '224.0.0.251');
  ask();
  setInterval(ask, AGAIN_MS);
});
setTimeout(() => process.exit(1), PATIENCE_MS);
