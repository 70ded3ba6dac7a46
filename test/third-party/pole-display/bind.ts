/** From a USB device to a bound display. An adapter could be anything, so a row has to say that a display hangs on it. */
import { type Candidate, openSerialLine, type Refusal, type Resolution, type UsbIdentity } from 'tillnode/plugin';
import { DEFAULT_BAUD_RATE, type DisplayOptions, poleDisplay } from './codec.ts';
import type { DisplaySettings } from './contract.ts';
import { Display } from './display.ts';

export const classify = (_identity: UsbIdentity, recipe: Resolution | undefined): 'display' | undefined =>
  recipe?.row.kind === poleDisplay.kind ? poleDisplay.kind : undefined;

export async function bind({ device, recipe }: Candidate, settings: DisplaySettings): Promise<Display | Refusal> {
  if (recipe?.row.codec !== poleDisplay.name)
    return { reason: 'no_codec', detail: `a display is not driven by ${recipe?.row.codec ?? recipe?.row.refuse}` };
  const { baudRate = DEFAULT_BAUD_RATE }: DisplayOptions = recipe.row.options;
  const line = await openSerialLine(device, { baudRate, dataBits: 8, parity: 'none', stopBits: 1 });
  if (line === undefined) return { reason: 'bad_descriptor', detail: 'no serial adapter' };
  const display = new Display(line, recipe);
  try {
    await display.begin(settings);
    return display;
  } catch (error) {
    await line.close();
    throw error;
  }
}
