/** What the recording tells: a display is plugged in, and a price is shown on it. */
import type { Story } from 'tillnode/conformance';
import { createVirtualDevice } from './virtual.ts';

export const priceStory: Story = {
  path: 'recordings/price.ndjson',
  endpoint: 'display',
  device: () => ({ device: createVirtualDevice() }),
  ask: ({ url }) =>
    fetch(`${url}/display`, {
      method: 'PUT',
      body: JSON.stringify({ lines: ['2 Café crème', 'Total        5,40 €'] }),
    }),
  ends: { type: 'display_shown', endpoint: 'display' },
};
