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
const CDC_DATA = 0x0a;
const VIDEO = 0x0e;
const VENDOR = 0xff;

interface Claim {
  /** Of the interfaces that are claimed, by the room or by the machine's own driver. */
  readonly classes: readonly number[];
  /** Of the pipes that are opened there. */
  readonly types: readonly UsbPipe['type'][];
  readonly writes?: boolean;
  /** Every interface of these classes is used at once, where otherwise it is one of them. */
  readonly all?: boolean;
}

/** A camera's control interface reports its button or status by interrupts, its streaming interface sends pictures. */
const CLAIMS: Readonly<Record<string, Claim>> = {
  printer: { classes: [PRINTER, VENDOR], types: ['bulk'], writes: true },
  scanner: { classes: [HID, CDC_DATA], types: ['interrupt', 'bulk'] },
  scale: { classes: [HID], types: ['interrupt'] },
  camera: { classes: [VIDEO], types: ['interrupt', 'isochronous', 'bulk'], all: true },
};
const ANY: Claim = { classes: [], types: ['control', 'interrupt', 'isochronous', 'bulk'], writes: true };

/** The control pipe, and each pipe of the interfaces that are claimed; of several settings the one with the most. */
export function channelsOf(kind: string, identity: UsbIdentity, recipe: Resolution | undefined): number {
  if (kind === 'hub') return HUB_CHANNELS;
  const claim = CLAIMS[kind] ?? ANY;
  const oneWay = recipe?.row.options['unidirectional'] === true;
  const used = new Map<number, number>();
  for (const each of identity.interfaces) {
    if (claim !== ANY && !claim.classes.includes(each.class)) continue;
    used.set(each.number, Math.max(used.get(each.number) ?? 0, pipesUsed(each, claim, oneWay)));
  }
  const counts = [...used.values()];
  return CONTROL_PIPE + (claim.all ? counts.reduce((sum, count) => sum + count, 0) : Math.max(0, ...counts));
}

/** One pipe each way at most. */
function pipesUsed({ pipes }: UsbInterface, { types, writes = false }: Claim, oneWay: boolean): number {
  const has = (direction: UsbPipe['direction']) =>
    pipes.some((pipe) => pipe.direction === direction && types.includes(pipe.type));
  return Number(has('in') && !oneWay) + Number(has('out') && writes);
}
