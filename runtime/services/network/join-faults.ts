/**
 * Why the node could not join a Wi-Fi network, such as a wrong password. The binding tells the faults apart
 * (`runtime/bindings/native/nmcli.ts`); `connection-manager.ts` decides what follows: another attempt, or setup. Their words
 * are in `words/wifi`.
 */
import { RadioError, type RadioFault } from '../../bindings/network.ts';

/** The fault that an error of the radio stands for; `failed` for any other error. */
export const radioFaultOf = (error: unknown): RadioFault => (error instanceof RadioError ? error.fault : 'failed');
