/** What the recordings of the scale tell, and how each is made. */
import { VirtualScale } from '../../../plugins/scale/virtual.ts';
import type { Story } from '../../../runtime/conformance/index.ts';

export const stories: readonly Story[] = [
  {
    path: 'dymo-m10/20-grams.ndjson',
    endpoint: 'scale',
    device: () => {
      const device = new VirtualScale({ reportMs: 0 });
      return { device, act: () => device.set({ grams: 20 }) };
    },
    ends: { type: 'scale_weight_changed', weight: 20, unit: 'g', stable: true },
  },
];
