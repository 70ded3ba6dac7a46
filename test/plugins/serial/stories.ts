/** What the recordings of scales on serial lines tell, and how each is made. */

import { SCALE_PROTOCOLS, type ScaleProtocolName } from '../../../codecs/serial-scales.ts';
import scale from '../../../plugins/scale/index.ts';
import { VirtualSerialScale } from '../../../plugins/serial/virtual-scale.ts';
import type { RoomUnderTest, Story } from '../../../runtime/conformance/index.ts';

const serialOf = (protocol: string) => `A-${protocol}`;
export const scaleOf = (protocol: string) =>
  new VirtualSerialScale({ protocol, serial: serialOf(protocol), everyMs: 20 });

/** An adapter's ids say nothing: the operator has said what hangs on it, by its serial number. */
export const bench: Pick<RoomUnderTest, 'beside' | 'config'> = {
  beside: [scale],
  config: {
    serial: Object.fromEntries(SCALE_PROTOCOLS.map((protocol) => [serialOf(protocol), { kind: 'scale', protocol }])),
  },
};

const weighing = (protocol: ScaleProtocolName): Story => ({
  path: `${protocol}/4876-grams.ndjson`,
  endpoint: 'scale',
  // On it before it is asked: equal questions are one record, so that an answer that differs has none before it.
  device: () => {
    const device = scaleOf(protocol);
    device.set({ grams: 4876 });
    return { device };
  },
  // Of equal answers a recording has one, and what was said once is not stable yet.
  ends: { type: 'scale_weight_changed', weight: 4.876, unit: 'kg' },
});

export const stories: readonly Story[] = SCALE_PROTOCOLS.map(weighing);
