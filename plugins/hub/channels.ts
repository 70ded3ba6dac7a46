/**
 * Counts the host channels that a device holds. Small host controllers have a fixed number (8 or 16 in the DWC OTG of many
 * microcontrollers), and every open pipe holds one. The room of a device declares which pipes it keeps open (`channels`).
 */
import type { UsbIdentity, UsbInterface, UsbPipe } from '../../runtime/bindings/usb.ts';
import type { ChannelsDeclaration } from '../../runtime/kernel/device.ts';
import type { Resolution } from '../../runtime/recipes/table.ts';

/** A hub has its control pipe and its status change pipe (USB 2.0, 11.12.1). */
export const HUB_CHANNELS = 2;

const CONTROL_PIPE = 1;
/** Where the room of a device declares nothing, every pipe counts. */
const EVERY_PIPE: ChannelsDeclaration = {
  classes: [],
  types: ['control', 'interrupt', 'isochronous', 'bulk'],
  writes: true,
};

/** The control pipe and the pipes of the claimed interfaces; of alternate settings, the one with the most pipes counts. */
export function channelsOf(
  declared: ChannelsDeclaration | undefined,
  identity: UsbIdentity,
  recipe: Resolution | undefined,
): number {
  const uses = declared ?? EVERY_PIPE;
  const oneWay = uses.oneWay !== undefined && recipe?.row.options[uses.oneWay] === true;
  const used = new Map<number, number>();
  for (const each of identity.interfaces) {
    if (declared !== undefined && !uses.classes.includes(each.class)) continue;
    used.set(each.number, Math.max(used.get(each.number) ?? 0, pipesUsed(each, uses, oneWay)));
  }
  const counts = [...used.values()];
  return CONTROL_PIPE + (uses.all ? counts.reduce((sum, count) => sum + count, 0) : Math.max(0, ...counts));
}

/** Pipes of one interface: at most one in each direction. */
function pipesUsed({ pipes }: UsbInterface, { types, writes = false }: ChannelsDeclaration, oneWay: boolean): number {
  const has = (direction: UsbPipe['direction']) =>
    pipes.some((pipe) => pipe.direction === direction && types.includes(pipe.type));
  return Number(has('in') && !oneWay) + Number(has('out') && writes);
}
