/**
 * What a printer does with the bytes of its cable, as far as its drawer is concerned. A model is written from its maker's
 * manual and from nothing else of this tree, so that it can be wrong in no way that the node is.
 */

/** Why a printer did what nobody but the node may tell it to do, and which bytes of the cable made it. */
export interface Deed {
  readonly what: 'pulse' | 'power off' | 'buffer cleared' | 'language';
  /** Offsets in all that the model was fed: of the command's first byte, and of the byte behind its last. */
  readonly from: number;
  readonly to: number;
  /** Executed out of the macro memory: the offsets are those of the command that ran the macro. */
  readonly replayed: boolean;
}

export interface PrinterModel {
  readonly name: string;
  /** In the order they were done. */
  readonly deeds: readonly Deed[];
  feed(bytes: Uint8Array): void;
  /** Modes, buffers, macro and whatever a command still waits for are gone; deeds and offsets go on. */
  powerCycle(): void;
}
