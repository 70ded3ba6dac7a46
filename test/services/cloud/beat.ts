/** The next heartbeat of a node. */
import type { HeartbeatMessage } from '../../../runtime/services/cloud/contract.ts';
import type { Receiver } from '../../http/receiver.ts';
import { until } from '../../node.ts';
import { at, type CloudNode } from './node.ts';

let asked = 0;
/** The next heartbeat: another URL has one sent at once. */
export async function heartbeat(node: CloudNode, cloud: Receiver): Promise<HeartbeatMessage> {
  asked += 1;
  const path = `/beat-${asked}`;
  await node.call('PUT', '/cloud', { heartbeatUrl: `${cloud.url}${path}` });
  await until(() => cloud.received.some(at(path)));
  return JSON.parse(cloud.received.find(at(path))?.body ?? '') as HeartbeatMessage;
}
