/** Finds out which hosts on the links have an IPv4 address (ARP, RFC 826), without any privilege. */
import { createSocket } from 'node:dgram';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const ASK_MS = 1000;
const LOOK_MS = 50;
/** Port of the discard protocol (RFC 863): a receiver ignores what arrives there. */
const DISCARD_PORT = 9;
/** ATF_COM of <linux/if_arp.h>: the entry has an address. */
const COMPLETE = 0x2;

/**
 * Resolves with true if the kernel's ARP table has an entry for the address within one second: sending a datagram makes
 * the kernel send an ARP request. A cached entry counts; the cache is empty after a change of network.
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
      if ((await neighbours()).includes(address)) return true;
      await delay(LOOK_MS);
    }
    return false;
  } finally {
    socket.close();
  }
}

/** Makes the kernel send an ARP request for each address, and waits a second for responses. Never rejects. */
export async function askFor(addresses: readonly string[]): Promise<void> {
  const socket = createSocket('udp4');
  socket.on('error', () => {});
  for (const address of addresses) socket.send(new Uint8Array(1), DISCARD_PORT, address, () => {});
  await delay(ASK_MS);
  socket.close();
}

/**
 * The addresses that the kernel's ARP table has a hardware address for: of hosts that responded, or that asked for this
 * one. From /proc/net/arp (proc(5)): address, hardware type, flags, hardware address, mask, device.
 */
export async function neighbours(): Promise<string[]> {
  const table = await readFile('/proc/net/arp', 'utf8').catch(() => '');
  return table
    .split('\n')
    .map((line) => line.split(/\s+/))
    .flatMap(([address, , flags]) => (address && (Number(flags) & COMPLETE) !== 0 ? [address] : []));
}
