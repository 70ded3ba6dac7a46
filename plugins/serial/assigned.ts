/** Which line is meant: what the configuration says of an adapter, and the adapters that are there. */

import { defined } from '../../runtime/base/defined.ts';
import { serialAdapter } from '../../runtime/bindings/serial/line.ts';
import type { UsbIdentity } from '../../runtime/bindings/usb.ts';
import type { Node } from '../../runtime/kernel/node.ts';
import type { SerialAdaptersAnswer, SerialAssignment } from './contract.ts';

type Assignments = Readonly<Record<string, SerialAssignment | null>>;

/** What hangs on an adapter, by its port path, else by its serial number; undefined where nobody has said it. */
export function assignedTo(
  assignments: Assignments,
  { port, serial }: UsbIdentity,
): { readonly key: string; readonly assignment: SerialAssignment } | undefined {
  for (const key of [port, serial]) {
    const assignment = key !== undefined && Object.hasOwn(assignments, key) ? assignments[key] : undefined;
    if (key !== undefined && assignment) return { key, assignment };
  }
  return undefined;
}

/** The adapters on the bus, in the order in which they came. */
export const adaptersOn = (node: Node): UsbIdentity[] =>
  [...node.ledger.devices].flatMap(({ connected, identity }) =>
    connected && serialAdapter(identity) !== undefined ? [identity] : [],
  );

/** The answer of GET /serial. */
export function adaptersView(node: Node): SerialAdaptersAnswer {
  const assignments = node.config.get('serial');
  const bound = node.endpoints().filter(({ condition }) => condition === 'bound' || condition === 'silent');
  const adapters = adaptersOn(node).map((identity) => {
    const { vendorId, productId, make, model, serial, port } = identity;
    const { key, assignment } = assignedTo(assignments, identity) ?? {};
    const endpoint = bound.find((state) => state.identity?.port === port)?.declaration.id;
    return {
      ...{ port, ...defined({ serial }), vendorId, productId, make, model },
      adapter: serialAdapter(identity) ?? '',
      ...defined({ key }),
      ...(assignment && { kind: assignment.kind, protocol: assignment.protocol }),
      ...defined({ unit: assignment?.unit }),
      ...defined({ endpoint }),
    };
  });
  return { adapters };
}
