/** A row of the variants table in build.config.ts. */
import type { Language } from '../../base/language.ts';
import type { Defaults } from '../../boot/options.ts';
import type { Hardware } from '../../kernel/registry.ts';
import type { Scripts } from '../page/fonts/table.ts';
import type { RoomNames } from '../rooms/rooms.ts';

/** What an image is put together from. */
export interface Variant extends RoomNames {
  /** `native` drives this machine's parts; `virtual` plugs in the virtual device of each room that has one. */
  readonly bindings: 'native' | 'virtual';
  /** Modules of device rooms whose virtual device is not plugged in until it is attached; virtual bindings only. */
  readonly atHand?: readonly string[];
  /**
   * By kind, the ids of the endpoints that this hardware has in place of the one that the room of that kind declares:
   * `{ printer: ['receipt', 'kitchen'] }`. A room says of which kinds it serves several.
   */
  readonly endpoints?: Readonly<Record<string, readonly string[]>>;
  /** Host channels of the USB bus. */
  readonly usbChannels: number;
  readonly hardware: Readonly<Partial<Hardware>>;
  /** Which scripts it draws where the printer has no font of them: `all`, or codes of ISO 15924; none if left out. */
  readonly scripts?: Scripts;
  /** The language of the slips that it prints at its first start, which are in English, too; English alone if left out. */
  readonly language?: Language;
  /** Raw Ed25519 public keys in base64: who may sign the images that this hardware takes. */
  readonly trustedKeys: readonly string[];
  /** An image below the floor of the one that runs is refused; raised when an old image must never run again. */
  readonly securityFloor: number;
  readonly defaults: Defaults;
}
