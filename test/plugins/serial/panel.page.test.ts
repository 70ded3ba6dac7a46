/** The panel of serial lines: the protocols are tried while a person watches, and what hangs on the adapter is said and taken back. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import scaleWords from '../../../plugins/scale/words/en.json' with { type: 'json' };
import en from '../../../plugins/serial/words/en.json' with { type: 'json' };
import { describeWithPage, eventually, isLive, show } from '../../page/twin.ts';

const ADAPTER = { device: 'serial/virtual-scale', vendorId: '1a86', productId: '55d4' };

describeWithPage('the panel of serial lines', (shop) => {
  const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click();
  const said = (page: Page, text: string) => page.locator('output').filter({ hasText: text }).first().waitFor();
  const scale = () => shop.twin.call<Record<string, unknown>>('GET', '/scale');

  it('tries the protocols once it is told to, and the scale weighs with the unit that was said', async () => {
    await shop.twin.call('POST', '/twin/attach', {
      device: 'scale',
      vendorId: '0922',
      productId: '8003',
      attached: false,
    });
    await shop.twin.call('POST', '/twin/attach', { ...ADAPTER, attached: true });
    await shop.twin.call('POST', '/twin/action', { device: ADAPTER.device, action: 'load', argument: 1250 });
    const { page, complaints } = await shop.visit('serial');
    await isLive(page);
    await page.getByText(en.nothingAssigned).waitFor();
    // An adapter can be tried once the bus has been quiet.
    await eventually(async () => {
      const { devices } = await shop.twin.call<{ devices: { state: string }[] }>('GET', '/devices/unknown');
      return devices.some(({ state }) => state === 'unknown');
    });
    const attempt = async () => {
      await press(page, en.try);
      await page.getByText(en.tryAsk).waitFor();
      await page.locator('.confirm .danger').click();
    };
    const spoil = (line: string) =>
      shop.twin.call('POST', '/twin/action', { device: ADAPTER.device, action: 'spoil', argument: line });
    await spoil('speed');
    await attempt();
    await page.locator('output.bad').filter({ hasText: en.notFound }).waitFor();
    await spoil('none');
    await attempt();
    await said(page, en.found.replace('{protocol}', 'toledo-8217'));
    expect(await page.getByLabel(en.protocol).inputValue()).toBe('toledo-8217');
    await page.getByLabel(en.unit).selectOption('kg');
    await press(page, new RegExp(en.assign));
    await said(page, en.assigned);
    // It is stable once it was said twice.
    await eventually(async () => {
      const { weight, stable } = await scale();
      return weight === 1.25 && stable === true;
    });
    expect(await scale()).toMatchObject({ unit: 'kg' });
    await page.getByText('a scale, toledo-8217, kg').waitFor();
    for (const [line, words] of [
      ['silence', scaleWords.no_answer],
      ['speed', scaleWords.garbled],
    ]) {
      await spoil(line!);
      await show(page, 'scale');
      await page.locator('main').getByText(words!).waitFor();
      await show(page, 'overview');
      await page.locator('main').getByText(words!).waitFor();
    }
    await show(page, 'serial');
    await press(page, en.takeAway);
    await said(page, en.takenAway);
    await eventually(async () => (await scale())['status'] === 'absent');
    expect(await shop.twin.call('GET', '/config')).toMatchObject({ serial: {} });
    expect(complaints).toEqual([]);
  });
});
