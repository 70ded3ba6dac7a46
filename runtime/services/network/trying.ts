/** What `GET /network` says while the node is on no network. */
import type { RadioFault } from '../../bindings/network.ts';

/** What the node attempts while it is not on a network and its setup network is not open. */
export interface Trying {
  readonly to: 'join' | 'open_setup';
  /** The network to join. */
  readonly ssid?: string;
  /** Number of attempts in succession without success, from 1. */
  readonly attempt: number;
  /** Fault of the last attempt that ended. */
  readonly lastFault?: RadioFault;
}
