/**
 * How many host channels a device holds. Small host controllers have a fixed number of them (the DWC OTG of many
 * microcontrollers 8 or 16), and every open pipe keeps one for as long as it is open. Which pipes a bound device keeps
 * open is for its room to say (`channels` of its declaration).
 */
import type { UsbIdentity, UsbInterface, UsbPipe } from '../../runtime/bindings/bindings.ts';
import type { ChannelsDeclaration } from '../../runtime/kernel/device.ts';
import type { Resolution } from '../../runtime/kernel/recipes.ts';

/** A hub has its control pipe and its status change pipe (USB 2.0, 11.12.1). */
export const HUB_CHANNELS = 2;

const CONTROL_PIPE = 1;
/** Of a device whose room does not say: all of them. */
const EVERY_PIPE: ChannelsDeclaration = {
  classes: [],
  types: ['control', 'interrupt', 'isochronous', 'bulk'],
  writes: true,
};

/** The control pipe, and each pipe of the interfaces that are claimed; of several settings the one with the most. */
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

/** One pipe each way at most. */
function pipesUsed({ pipes }: UsbInterface, { types, writes = false }: ChannelsDeclaration, oneWay: boolean): number {
  const has = (direction: UsbPipe['direction']) =>
    pipes.some((pipe) => pipe.direction === direction && types.includes(pipe.type));
  return Number(has('in') && !oneWay) + Number(has('out') && writes);
}
