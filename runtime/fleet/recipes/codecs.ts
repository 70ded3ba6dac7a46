/** What the fleet knows of codecs: those whose options it can check, and those that nodes say they have. */
import { escpos } from '../../../codecs/escpos.ts';
import { hidKeyboard } from '../../../codecs/hid-keyboard.ts';
import { hidPos } from '../../../codecs/hid-pos.ts';
import { hidScale } from '../../../codecs/hid-scale.ts';
import { mjpeg } from '../../../codecs/mjpeg.ts';
import { serialLines } from '../../../codecs/serial-lines.ts';
import { usbHub } from '../../../codecs/usb-hub.ts';
import type { Codecs } from '../../recipes/row.ts';
import type { Queries } from '../database/database.ts';

/** Codecs whose options are checked here. Rows of any other one are taken: the nodes that have it check them. */
export const CHECKED: Codecs = new Map(
  [escpos, hidKeyboard, hidPos, serialLines, hidScale, usbHub, mjpeg].map((codec) => [codec.name, codec]),
);

/** The codecs that nodes said in their last heartbeats; none where no node says any. */
export async function codecsHeard(on: Queries): Promise<ReadonlySet<string>> {
  const rows = await on.query<{ codec: string }>('SELECT DISTINCT json_array_elements_text(codecs) AS codec FROM node');
  return new Set(rows.map(({ codec }) => codec));
}
