/** Counters for the heartbeat since the start of the node, updated by events, so that they need no other room. */
import type { Node } from '../../kernel/node.ts';
import type { HeartbeatMessage } from './contract.ts';

/** What the node counts since it started; the room `webhook` counts dropped deliveries. */
export type Counters = Omit<HeartbeatMessage['counters'], 'webhookDropped'>;

/** Starts counting. The returned object changes with every command and scan. */
export function countersOf({ hooks }: Pick<Node, 'hooks'>): Counters {
  const counters = { prints: 0, printsFailed: 0, kicks: 0, scans: 0 };
  hooks.commanded.tap('cloud', ({ type }, { ok }) => {
    if (type === 'print') counters[ok ? 'prints' : 'printsFailed'] += 1;
    if (type === 'drawer_kick' && ok) counters.kicks += 1;
  });
  // The image may be without the room whose event this is.
  hooks.event.tap('cloud', ({ type }: { readonly type: string }) => {
    if (type === 'scan_read') counters.scans += 1;
  });
  return counters;
}
