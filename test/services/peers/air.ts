/** Beacons on loopback: 127.0.0.0/8 is a link with 16 million addresses to send from. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { compose } from '../../../runtime/kernel/composition.ts';
import { CORE_ERRORS } from '../../../runtime/kernel/core-errors.ts';
import { silentLogger } from '../../../runtime/kernel/log.ts';
import { compileValidators } from '../../../runtime/kernel/schemas.ts';
import { Contract } from '../../../runtime/kernel/validator.ts';
import { Beacon, type BeaconOptions } from '../../../runtime/services/peers/beacon.ts';
import { NodeBeacon } from '../../../runtime/services/peers/contract.ts';
import room from '../../../runtime/services/peers/index.ts';
import settings from '../../../runtime/services/settings/index.ts';

export const LOOPBACK = { name: 'lo', mac: '', addresses: [{ family: 4, address: '127.0.0.1', prefix: 8 }] } as const;

const contract = new Contract(compileValidators(compose([settings, room], CORE_ERRORS)));
export const isBeacon = (value: unknown): value is NodeBeacon => contract.fault(NodeBeacon, value) === undefined;

export const beaconOf = (id: string, more: Partial<NodeBeacon> = {}): NodeBeacon => ({
  type: 'node_beacon',
  id,
  name: 'Till',
  variant: 'wifi',
  firmwareVersion: '1.2.3',
  httpPort: 80,
  ...more,
});

/** Closed at the end of the test. */
export async function bound(port = 0, address = '0.0.0.0'): Promise<Socket> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  socket.bind(port, address);
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return socket;
}

export type Given = Partial<BeaconOptions> & { readonly port: number; readonly id: string };

/** Stopped at the end of the test. */
export async function startBeacon({ id, ...given }: Given): Promise<Beacon> {
  const options = { links: () => [LOOPBACK], announce: () => beaconOf(id), isBeacon, log: silentLogger };
  const beacon = new Beacon({ ...options, id, ...given });
  await beacon.start();
  onTestFinished(() => beacon.stop());
  return beacon;
}

/** Sends one datagram from this address. */
export async function send(port: number, from: string, datagram: string | Uint8Array): Promise<Socket> {
  const socket = await bound(0, from);
  await new Promise<void>((sent, failed) =>
    socket.send(datagram, port, '127.0.0.1', (error) => (error ? failed(error) : sent())),
  );
  return socket;
}
