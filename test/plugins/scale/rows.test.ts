/** Rows of the cloud that take a scale for a scanner, and a scanner for a scale. */
import { describe, expect, it } from 'vitest';
import { VirtualScale } from '../../../plugins/scale/virtual.ts';
import { VirtualPosScanner } from '../../../plugins/scanner/virtual.ts';
import { VirtualWedgeScanner } from '../../../plugins/scanner/virtual-wedge.ts';
import { until } from '../../node.ts';
import { idsOf, plugged, rowOf, says, UNLISTED } from '../../services/cloud/rows.ts';
import { isDrivenByRow, readsAllTheSame } from '../scanner/rows.ts';

describe('a scanner of which the cloud says that it is a scale', { timeout: 20_000 }, () => {
  it.each([
    ['hid-pos', () => new VirtualPosScanner(UNLISTED)],
    ['hid-keyboard', () => new VirtualWedgeScanner()],
  ])('still reads by %s, and the status names the row and why', async (codec, create) => {
    await readsAllTheSame(create(), says('scale'), { codec });
  });

  it('and which does not say itself what it is, is driven as a scale', async () => {
    await isDrivenByRow('scale', says('scale'));
  });
});

describe('a scale of which the cloud says that it is a scanner', { timeout: 20_000 }, () => {
  it('weighs', async () => {
    const there = await plugged(new VirtualScale(), says('scanner', 'hid-keyboard'));
    await there.bound('scale');
    await until(async () => (await there.node.call('GET', '/scale')).body['status'] === 'reading');
    expect((await there.at('scale'))?.recipe).toMatchObject({
      disagreement: { row: { id: 'acme-wrong', kind: 'scanner' }, followed: false },
    });
  });

  it.each([
    ['that is of the table', {}],
    ['that only its report descriptor tells', { vendorId: 0xabcd, productId: 0x0043 }],
  ])('and %s weighs beside a scanner, too', async (_, ids) => {
    const scale = new VirtualScale(ids);
    const there = await plugged(scale, says('scanner', 'hid-pos'));
    await there.bound('scale');
    const { usb } = there.node.bench;
    usb.unplug(scale);
    usb.plug(new VirtualWedgeScanner());
    await there.bound('scanner');
    usb.plug(scale);
    await there.bound('scale');
    expect((await there.at('scale'))?.recipe).toMatchObject({
      disagreement: {
        row: { id: 'acme-wrong', kind: 'scanner' },
        followed: false,
        reason: expect.stringContaining('second scanner'),
      },
    });
  });

  it('and that waits for an endpoint, is what the rows say once that is free, not what they said when it came', async () => {
    const first = new VirtualWedgeScanner();
    const other = new VirtualWedgeScanner({ ...UNLISTED, boot: false, hidesReportDescriptor: true });
    const there = await plugged(other, says('scanner', 'hid-pos'));
    await there.bound('scanner');
    const { kernel, bench } = there.node;
    bench.usb.unplug(other);
    bench.usb.plug(first);
    await there.bound('scanner');
    bench.usb.plug(other);
    await until(async () => (await there.status()).rejections[0]?.reason === 'second_scanner');
    kernel.recipes.replace('cloud', [rowOf(idsOf(other), says('scale'))]);
    bench.usb.unplug(first);
    await there.bound('scale');
    expect((await there.at('scanner'))?.condition).toBe('gone');
  });
});
