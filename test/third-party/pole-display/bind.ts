/** From a USB device to a bound display. A modem could be anything, so a row has to say that it is one. */
import {
  acmInterfaces,
  type Candidate,
  openAcmLine,
  type Refusal,
  type Resolution,
  type UsbIdentity,
} from 'tillnode/plugin';
import { DEFAULT_BAUD_RATE, type DisplayOptions, poleDisplay } from './codec.ts';
import type { DisplaySettings } from './contract.ts';
import { Display } from './display.ts';

export const classify = (_identity: UsbIdentity, recipe: Resolution | undefined): 'display' | undefined =>
  recipe?.row.kind === poleDisplay.kind ? poleDisplay.kind : undefined;

export async function bind({ device, recipe }: Candidate, settings: DisplaySettings): Promise<Display | Refusal> {
  if (recipe?.row.codec !== poleDisplay.name)
    return { reason: 'no_codec', detail: `a display is not driven by ${recipe?.row.codec ?? recipe?.row.refuse}` };
  const acm = acmInterfaces(device.identity);
  if (acm?.out === undefined) return { reason: 'bad_descriptor', detail: 'no CDC-ACM interface with a bulk OUT pipe' };
  const { baudRate = DEFAULT_BAUD_RATE }: DisplayOptions = recipe.row.options;
  await device.open();
  try {
    await openAcmLine(device, acm, baudRate);
    const display = new Display({ device, pipe: acm.out, recipe });
    await display.begin(settings);
    return display;
  } catch (error) {
    await device.close();
    throw error;
  }
}
