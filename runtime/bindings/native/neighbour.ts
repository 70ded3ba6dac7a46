/** Whether somebody on the link has an address, without any right that a program does not have anyway. */
import { createSocket } from 'node:dgram';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const ASK_MS = 1000;
const LOOK_MS = 50;
/** RFC 863: whatever comes there is thrown away. */
const DISCARD_PORT = 9;
/** ATF_COM of <linux/if_arp.h>: the entry has an address. */
const COMPLETE = 0x2;

/**
 * A datagram makes the kernel ask for the address (RFC 826). An answer that it still remembers counts: after a change
 * of network it remembers none.
 */
export async function neighbourAnswers(address: string): Promise<boolean> {
  const socket = createSocket('udp4');
  try {
    const sent = await new Promise<boolean>((settle) => {
      socket.once('error', () => settle(false));
      socket.send(new Uint8Array(1), DISCARD_PORT, address, (error) => settle(!error));
    });
    const giveUpAt = performance.now() + ASK_MS;
    while (sent && performance.now() < giveUpAt) {
      if (await isKnown(address)) return true;
      await delay(LOOK_MS);
    }
    return false;
  } finally {
    socket.close();
  }
}

/** proc(5), /proc/net/arp: address, hardware type, flags, hardware address, mask, device. */
async function isKnown(address: string): Promise<boolean> {
  const table = await readFile('/proc/net/arp', 'utf8').catch(() => '');
  return table
    .split('\n')
    .map((line) => line.split(/\s+/))
    .some(([known, , flags]) => known === address && (Number(flags) & COMPLETE) !== 0);
}
