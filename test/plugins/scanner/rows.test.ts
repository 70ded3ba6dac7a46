/** Rows of the cloud that are wrong, or differ from what the node would do: seen on devices that are plugged in. */
import { describe, expect, it } from 'vitest';
import { VirtualPrinter } from '../../../plugins/printer/virtual/device.ts';
import { VirtualPosScanner } from '../../../plugins/scanner/virtual.ts';
import { VirtualWedgeScanner } from '../../../plugins/scanner/virtual-wedge.ts';
import { until } from '../../node.ts';
import { plugged, says, UNLISTED } from '../../services/cloud/rows.ts';
import { isDrivenByRow, readsAllTheSame } from './rows.ts';

describe('a scanner that reads as HID POS', { timeout: 20_000 }, () => {
  it.each([
    ['printer', says('printer')],
    ['scanner that types', says('scanner', 'hid-keyboard')],
    ['scanner on a serial line', says('scanner', 'serial-lines')],
    ['printer that is refused', { kind: 'printer', refuse: 'ZPL' }],
  ])(
    'of which the cloud says that it is a %s still reads, and the status names the row and why',
    async (_what, row) => {
      await readsAllTheSame(new VirtualPosScanner(UNLISTED), row, {
        codec: 'hid-pos',
        disagreement: { derived: { kind: 'scanner', codec: 'hid-pos' } },
      });
    },
  );
});

describe('a scanner that types', { timeout: 20_000 }, () => {
  it.each([
    ['printer', says('printer')],
    ['scanner that reads as HID POS', says('scanner', 'hid-pos')],
  ])(
    'of which the cloud says that it is a %s still reads, and the status names the row and why',
    async (_what, row) => {
      await readsAllTheSame(new VirtualWedgeScanner(), row, { codec: 'hid-keyboard' });
    },
  );

  it('of which the cloud says something right is driven by its row, and nothing disagrees', async () => {
    const device = new VirtualWedgeScanner();
    const there = await plugged(device, says('scanner', 'hid-keyboard'));
    await there.bound('scanner');
    const recipe = (await there.at('scanner'))?.recipe;
    expect(recipe).toMatchObject({ id: 'acme-wrong', tier: 'cloud' });
    expect(recipe).not.toHaveProperty('disagreement');
  });
});

describe('among other devices', { timeout: 20_000 }, () => {
  it('a printer of which the cloud says that it is a scanner prints', async () => {
    const device = new VirtualPrinter();
    const there = await plugged(device, says('scanner', 'hid-keyboard'));
    await there.bound('receipt');
    const print = { type: 'print', id: 'a1', endpoint: 'receipt', lines: [{ type: 'text', value: 'x' }] };
    expect((await there.node.call('POST', '/print', print)).status).toBe(200);
    expect((await there.at('receipt'))?.recipe).toMatchObject({
      codec: 'escpos',
      disagreement: { row: { id: 'acme-wrong', kind: 'scanner' }, followed: false },
    });
  });

  it('one by its row, which does not say itself what it is, is driven so, and the status says what the node would have done', async () => {
    await isDrivenByRow('scanner', says('scanner', 'hid-pos'));
  });

  it('a scanner that the cloud refuses is refused, and the rejection names the row', async () => {
    const there = await plugged(new VirtualPosScanner(), { kind: 'scanner', refuse: 'SNAPI' });
    await until(async () => (await there.status()).rejections.length > 0);
    expect((await there.status()).rejections[0]).toMatchObject({
      reason: 'unsupported_language',
      detail: 'SNAPI, by row acme-wrong of the cloud',
    });
  });

  it('those that nothing here drives are named with the row that did not help', async () => {
    const there = await plugged(new VirtualPosScanner({ ...UNLISTED, hidesReportDescriptor: true }), says('printer'));
    await until(async () => (await there.status()).rejections.length > 0);
    expect((await there.status()).rejections[0]?.detail).toContain('row acme-wrong not followed');
  });
});
