/**
 * A codec translates between bytes and values, as a pure function: no I/O, no clock; the caller keeps any state between two
 * calls. A recipe row names a codec and may set only the options that it declares.
 */
import type { DeviceId, RefusedLanguage } from './ieee1284.ts';

export type { Parsed } from './parsed.ts';

/** JSON Schema of one option, kept to what a recipe row needs: a closed scalar or list. */
export type OptionSchema = {
  readonly type: 'boolean' | 'integer' | 'string' | 'array';
  readonly description: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  readonly items?: { readonly type: 'string'; readonly enum?: readonly string[] };
};

/**
 * What a device id (IEEE 1284) says of the language of its device. `verdict`: the name of the codec whose language it names; `refuse`
 * where it names no other `language`; anything else where it does not say.
 */
export interface SaidLanguage {
  readonly verdict: string;
  readonly language?: string;
}

export interface CodecDeclaration {
  /** Unique among all codecs; what `recipe.codec` names. */
  readonly name: string;
  /** The device kind this codec can drive, for example `printer`. */
  readonly kind: string;
  /** Options a recipe row may set, by name. */
  readonly options: Readonly<Record<string, OptionSchema>>;
  /**
   * The options that decide what comes out of the device, each with what a row means that leaves it out. A row of the cloud that
   * says otherwise than the one of the image is told.
   */
  readonly decisive?: Readonly<Record<string, unknown>>;
  /**
   * The descriptors of a device tell that this codec drives it: a row for all products of a vendor needs no device id then. Its
   * room uses such a row only where they do.
   */
  readonly toldByDescriptor?: true;
  /** Fields in which such a device says what it is when it is asked: the keys that `match` of a recipe row may have. */
  readonly says?: readonly string[];
  /**
   * The language by which a device id names this codec: what people call it, and what an id says. `refused`: the languages that no
   * codec of this tree has.
   */
  readonly language?: {
    readonly name: string;
    readonly of: (id: DeviceId, refused: readonly RefusedLanguage[]) => SaidLanguage;
  };
  /**
   * A device of it is behind a serial adapter, whose ids do not say what hangs on it: its certificate makes no row. `unitless`: its
   * messages have no unit, which a person has to say.
   */
  readonly onSerialLine?: { readonly unitless?: true };
}

/** Declares a codec, and freezes the declaration. */
export const defineCodec = <const T extends CodecDeclaration>(codec: T): Readonly<T> => Object.freeze(codec);
