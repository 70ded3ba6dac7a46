import type { CodecDeclaration } from '../../codecs/codec.ts';
import type { Resolution } from '../recipes/table.ts';

type Named = { readonly vendorId: string; readonly productId: string; readonly make: string; readonly model: string };

/** The recipe of tier `derived`, for a device that no row describes: this codec with its default options drives it. */
export const derivedRecipe = (
  { vendorId, productId, make, model }: Named,
  { kind, name: codec }: CodecDeclaration,
): Resolution => ({
  row: { id: `derived-${vendorId}-${productId}`, vendorId, productId, make, model, kind, codec, options: {} },
  tier: 'derived',
});
