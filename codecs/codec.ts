/**
 * What a codec is: a pure translation between bytes and facts. No I/O, no clock, and no state kept between
 * calls that the caller does not hold. A recipe row names a codec and may set only the options declared here.
 */

/** JSON Schema of one option, kept to what a recipe row needs: a closed scalar or list. */
export type OptionSchema = {
  readonly type: 'boolean' | 'integer' | 'string' | 'array';
  readonly description: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  readonly items?: { readonly type: 'string'; readonly enum?: readonly string[] };
};

export interface CodecDeclaration {
  /** Unique among all codecs; what `recipe.codec` names. */
  readonly name: string;
  /** The device kind this codec can drive, for example `printer`. */
  readonly kind: string;
  /** Options a recipe row may set, by name. */
  readonly options: Readonly<Record<string, OptionSchema>>;
}

export const defineCodec = <const T extends CodecDeclaration>(codec: T): Readonly<T> => Object.freeze(codec);

/** A total parser answers with one of these instead of throwing. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };
