/** Reads from /proc/net/tcp how many bytes a TCP peer has not acknowledged (proc_pid_net(5)). */
import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { isIPv4, type Socket } from 'node:net';
import { endianness } from 'node:os';

const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];
/** A row of the table: sl, local_address, rem_address, st, tx_queue:rx_queue. */
const ROW = /^ *\d+: [0-9A-F]+:([0-9A-F]{4}) ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F]{2} ([0-9A-F]{8}):/;

/** The bytes in the socket's send queue that are not acknowledged; 0 if the system does not tell. */
export function unacknowledgedBytes({ localPort, remotePort, remoteAddress }: Socket): number {
  if (remoteAddress === undefined) return 0;
  const address = inTable(remoteAddress);
  for (const table of TABLES) {
    for (const line of read(table).split('\n')) {
      const [, local, remote, port, queued = ''] = ROW.exec(line) ?? [];
      if (remote === undefined || Number.parseInt(local ?? '', 16) !== localPort) continue;
      if (Number.parseInt(port ?? '', 16) === remotePort && remote.endsWith(address))
        return Number.parseInt(queued, 16);
    }
  }
  return 0;
}

function read(table: string): string {
  try {
    return readFileSync(table, 'latin1');
  } catch {
    return '';
  }
}

/** The last 32 bits of an address as the table prints them (hexadecimal, native byte order); unique with both ports. */
function inTable(address: string): string {
  const word = lastWord(address);
  return (endianness() === 'LE' ? word.reverse() : word).toString('hex').toUpperCase();
}

function lastWord(address: string): Buffer {
  const [unscoped = ''] = address.split('%');
  const groups = unscoped.split(':');
  const last = groups.pop() ?? '';
  if (isIPv4(last)) return Buffer.from(last.split('.').map(Number));
  return Buffer.from([groups.pop() ?? '', last].map((group) => group.padStart(4, '0')).join(''), 'hex');
}
