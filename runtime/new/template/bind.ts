/** Recognises and binds the device. A serial adapter may belong to any kind, so a recipe row must state the kind. */
import { type Candidate, openSerialLine, type Refusal, type Resolution, type UsbIdentity } from 'tillnode/plugin';
import { DEFAULT_BAUD_RATE, type LineOptions, lineCodec } from './codec.ts';
import { LineDriver } from './driver.ts';

/** The kind of the device; undefined without a recipe row for it. */
export const classify = (_identity: UsbIdentity, recipe: Resolution | undefined): string | undefined =>
  recipe?.row.kind === lineCodec.kind ? lineCodec.kind : undefined;

/** Opens the device. Resolves with the bound device, or with the reason of a refusal; rejects with a UsbError. */
export async function bind(
  { device, recipe }: Candidate,
  onValue: (value: string) => void,
): Promise<LineDriver | Refusal> {
  if (recipe?.row.codec !== lineCodec.name)
    return { reason: 'no_codec', detail: `not driven by ${recipe?.row.codec ?? recipe?.row.refuse}` };
  const { baudRate = DEFAULT_BAUD_RATE }: LineOptions = recipe.row.options;
  const line = await openSerialLine(device, { baudRate, dataBits: 8, parity: 'none', stopBits: 1 });
  if (line === undefined) return { reason: 'bad_descriptor', detail: 'no serial adapter' };
  return new LineDriver({ line, recipe, onValue });
}
