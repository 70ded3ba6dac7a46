/** Every panel fits every screen, from a small phone to a wide monitor: nothing is cut off, nothing scrolls sideways. */
import { expect, it } from 'vitest';
import { misfitsOn, NARROWEST, WIDEST } from './looks.ts';
import { describeWithPage, isLive, panelsOf, show } from './twin.ts';

describeWithPage('the operator page', (shop) => {
  it(`is clean on every panel from ${NARROWEST} to ${WIDEST} dots`, { timeout: 600_000 }, async () => {
    await shop.twin.call('PUT', '/name', { name: 'The till beside the entrance of the shop in the High Street' });
    await shop.twin.call('POST', '/twin/scan', { value: '4006381333931'.repeat(9) });
    await shop.twin.call('POST', '/twin/attach', { vendorId: '1234', productId: 'abcd', model: 'W'.repeat(60) });
    await shop.twin.call('PUT', '/config', { capture: true, printWidthCols: 32 });
    await shop.twin.call('PUT', '/twin/printer', { paper: 'out' });
    const lines = [{ type: 'feed' }];
    await shop.twin.call('POST', '/print', { type: 'print', id: 'a', endpoint: 'receipt', lines });
    // The longest words.
    const { page } = await shop.visit('overview', { locale: 'de-DE' });
    await isLive(page);
    const faults: string[] = [];
    for (const panel of await panelsOf(page)) {
      await show(page, panel);
      faults.push(...(await misfitsOn(page)).map((fault) => `${panel}, ${fault}`));
    }
    expect(faults).toEqual([]);
  });
});
