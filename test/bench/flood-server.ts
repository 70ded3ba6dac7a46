/** Sends every hostile datagram once to the multicast DNS group of the interface with this address, then ends. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { hostile } from './hostile.ts';

const [address = ''] = process.argv.slice(2);
const socket = createSocket('udp4').bind(0, address);
await once(socket, 'listening');
socket.setMulticastInterface(address);
for (const [index, datagram] of hostile().entries()) {
  socket.send(datagram, 5353, '224.0.0.251');
  // No faster than they can be taken: what a full buffer drops costs the receiver nothing.
  if (index % 10 === 9) await new Promise((resolve) => setTimeout(resolve, 1));
}
socket.close();
