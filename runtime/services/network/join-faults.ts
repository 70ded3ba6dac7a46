/**
 * Why the node could not join a Wi-Fi network, such as a wrong password. The binding tells the faults apart
 * (`runtime/bindings/native/nmcli.ts`); `connection-manager.ts` decides what follows: another attempt, or setup.
 */
import { RadioError, type RadioFault } from '../../bindings/bindings.ts';

const REASONS: Readonly<Record<RadioFault, string>> = {
  wrong_password: 'the password is wrong',
  no_network: 'no network of this name is in range',
  no_address: 'the network assigned no address',
  address_taken: 'another device has the fixed address',
  timeout: 'the network did not respond in time',
  no_radio: 'the node has no Wi-Fi radio',
  unmanaged: 'the node cannot use its Wi-Fi radio',
  failed: 'the network refused the node',
};

/** The fault that an error of the radio stands for; `failed` for any other error. */
export const faultOf = (error: unknown): RadioFault => (error instanceof RadioError ? error.fault : 'failed');

/** The same as a clause in English, for the portal and the detail of an error. */
export const reasonOf = (error: unknown): string => REASONS[faultOf(error)];
