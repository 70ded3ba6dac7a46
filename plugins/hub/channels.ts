/**
 * How many host channels a device holds. Small host controllers have a fixed number of them (the DWC OTG of many
 * microcontrollers 8 or 16), and every open pipe keeps one for as long as it is open.
 */
import type { UsbIdentity, UsbInterface, UsbPipe } from '../../runtime/bindings/bindings.ts';
import type { Resolution } from '../../runtime/kernel/recipes.ts';

/** A hub has its control pipe and its status change pipe (USB 2.0, 11.12.1). */
export const HUB_CHANNELS = 2;

const CONTROL_PIPE = 1;
const HID = 0x03;
const PRINTER = 0x07;
const VENDOR = 0xff;

/** The interface classes a room claims one of, by kind, and the pipes it opens there. */
const CLAIMS: Readonly<Record<string, { readonly classes: readonly number[]; readonly uses: UsbPipe['type'] }>> = {
  printer: { classes: [PRINTER, VENDOR], uses: 'bulk' },
  scanner: { classes: [HID], uses: 'interrupt' },
  scale: { classes: [HID], uses: 'interrupt' },
};

/** The control pipe, and each pipe of the interface that its room claims; of several the one with the most. */
export function channelsOf(kind: string, identity: UsbIdentity, recipe: Resolution | undefined): number {
  if (kind === 'hub') return HUB_CHANNELS;
  const claim = CLAIMS[kind];
  const claimable = identity.interfaces.filter(({ class: code }) => claim?.classes.includes(code) ?? true);
  const oneWay = recipe?.row.options['unidirectional'] === true;
  return CONTROL_PIPE + Math.max(0, ...claimable.map((each) => pipesUsed(each, claim?.uses, oneWay)));
}

/** One pipe each way at most; what is read by reports is only ever read. */
function pipesUsed({ pipes }: UsbInterface, uses: UsbPipe['type'] | undefined, oneWay: boolean): number {
  const has = (direction: UsbPipe['direction']) =>
    pipes.some((pipe) => pipe.direction === direction && (uses === undefined || pipe.type === uses));
  const reads = has('in') && !oneWay;
  const writes = has('out') && uses !== 'interrupt';
  return Number(reads) + Number(writes);
}
