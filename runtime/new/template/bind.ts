/** Recognises and binds the device. A CDC-ACM interface may belong to any kind, so a recipe row must state the kind. */
import {
  acmInterfaces,
  type Candidate,
  openAcmLine,
  type Refusal,
  type Resolution,
  type UsbIdentity,
} from 'tillnode/plugin';
import { DEFAULT_BAUD_RATE, type LineOptions, lineCodec } from './codec.ts';
import { LineReader } from './reader.ts';

/** The kind of the device; undefined without a recipe row for it. */
export const classify = (_identity: UsbIdentity, recipe: Resolution | undefined): string | undefined =>
  recipe?.row.kind === lineCodec.kind ? lineCodec.kind : undefined;

/** Opens the device. Resolves with the bound device, or with the reason of a refusal; rejects with a UsbError. */
export async function bind(
  { device, recipe }: Candidate,
  onValue: (value: string) => void,
): Promise<LineReader | Refusal> {
  if (recipe?.row.codec !== lineCodec.name)
    return { reason: 'no_codec', detail: `not driven by ${recipe?.row.codec ?? recipe?.row.refuse}` };
  const acm = acmInterfaces(device.identity);
  if (acm === undefined) return { reason: 'bad_descriptor', detail: 'no CDC-ACM interface with a bulk IN pipe' };
  const { baudRate = DEFAULT_BAUD_RATE }: LineOptions = recipe.row.options;
  await device.open();
  try {
    await openAcmLine(device, acm, baudRate);
    return new LineReader({ device, pipe: acm.in, recipe, onValue });
  } catch (error) {
    await device.close();
    throw error;
  }
}
