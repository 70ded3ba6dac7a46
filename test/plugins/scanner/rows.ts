/** Helpers of scanners that the rows of a cloud say something about. */
import { expect } from 'vitest';
import type { VirtualPosScanner } from '../../../plugins/scanner/virtual.ts';
import { VirtualWedgeScanner } from '../../../plugins/scanner/virtual-wedge.ts';
import { until } from '../../node.ts';
import { plugged, says } from '../../services/cloud/rows.ts';

export const reads = async (
  device: VirtualPosScanner | VirtualWedgeScanner,
  { node }: Awaited<ReturnType<typeof plugged>>,
) => {
  device.scan('4006381333931');
  await until(async () => JSON.stringify((await node.call('GET', '/scans')).body).includes('4006381333931'));
};

/** A device that does not say itself what it is, plugged in where the cloud has this row for it. */
export async function isDrivenByRow(endpoint: string, row: object): Promise<void> {
  const there = await plugged(new VirtualWedgeScanner({ boot: false, hidesReportDescriptor: true }), row);
  await there.bound(endpoint);
  expect((await there.at(endpoint))?.recipe).toMatchObject({
    tier: 'cloud',
    disagreement: {
      derived: says('scanner', 'hid-keyboard'),
      row: { id: 'acme-wrong', ...row },
      followed: true,
      reason: expect.stringMatching(/\w/),
    },
  });
}

/** The row is not followed: the scanner reads, and the status names the row and why, and has this `recipe`. */
export async function readsAllTheSame(
  device: VirtualPosScanner | VirtualWedgeScanner,
  row: object,
  recipe: object,
): Promise<void> {
  const there = await plugged(device, row);
  await there.bound('scanner');
  await reads(device, there);
  const { refuse: _refuse, ...how } = row as { readonly refuse?: string };
  expect((await there.at('scanner'))?.recipe).toMatchObject(recipe);
  expect((await there.at('scanner'))?.recipe).toMatchObject({
    disagreement: { row: { id: 'acme-wrong', ...how }, followed: false, reason: expect.stringMatching(/\w/) },
  });
}
