/** GET /devices/unknown: devices that no room drives, each with a recipe row to complete and send in. */
import { defined } from '../../base/defined.ts';
import type { UsbIdentity, UsbInterface } from '../../bindings/usb.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { LedgerEntry } from '../../kernel/ledger.ts';
import type { Node } from '../../kernel/node.ts';

/** Larger than the report of a full ledger whose devices have 64 interfaces and 64 pipes each. */
const REPORT_BYTES = 1024 * 1024;

/**
 * The devices, newest first. Throws `record_alloc_failed` if there is not enough memory for the report,
 * `persist_failed` if not for the response.
 */
export function unknownDevices({ ledger, bindings }: Node) {
  const left = bindings.host.memoryLeft();
  if (left < REPORT_BYTES) throw new ApiError('record_alloc_failed');
  // The report and its JSON are in memory at the same time.
  if (left < 2 * REPORT_BYTES) throw new ApiError('persist_failed', 'out of memory');
  return [...ledger.devices].filter(isUnknown).map(reported).reverse();
}

/** No plugin classified the device, or the room of its kind has no codec for it. */
const isUnknown = ({ kind, reason }: LedgerEntry) => kind === undefined || reason === 'no_codec';

function reported({ identity, kind, state, reason, detail, connected, lastSeenAt }: LedgerEntry) {
  const { vendorId, productId, make, model, interfaces } = identity;
  return {
    vendorId,
    productId,
    make,
    model,
    class: kind ?? 'unknown',
    interfaces: interfaces.map(interfaceOf),
    state: connected ? state : 'gone',
    reason: reason ?? null,
    ...defined({ detail }),
    draftRow: draftRow(identity, kind),
    ageMs: Math.round(performance.now() - lastSeenAt),
  };
}

const hex = (value: number) => value.toString(16).padStart(2, '0');

/** An interface with its codes as two hexadecimal digits. */
const interfaceOf = ({ number, alternate, class: code, subclass, protocol, pipes }: UsbInterface) => ({
  number,
  alternate,
  class: hex(code),
  subclass: hex(subclass),
  protocol: hex(protocol),
  pipes: pipes.map(({ address, direction, type }) => ({ address: hex(address), direction, type })),
});

/** A recipe row without `codec`, and without `kind` if that is unknown. */
const draftRow = ({ vendorId, productId, make, model }: UsbIdentity, kind: string | undefined) => ({
  id: `draft-${vendorId}-${productId}`,
  vendorId,
  productId,
  make: make || 'unknown make',
  model: model || 'unknown model',
  kind: kind ?? '',
  codec: '',
  options: {},
});
