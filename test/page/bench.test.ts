/** The twin's panel: the paper as it comes out, and the bench of controls. */
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { describeWithPage, eventually, timePasses } from './twin.ts';

describeWithPage('the panel of paper and bench', (shop) => {
  const printer = () => shop.twin.call('PUT', '/twin/printer', {});
  const print = (value: string) =>
    shop.twin.call('POST', '/print', {
      type: 'print',
      id: value,
      endpoint: 'receipt',
      lines: [{ type: 'text', value }],
    });

  it('shows the paper as it comes out, with text as text, and tears it off', async () => {
    const { page, complaints } = await shop.visit('bench');
    await page.getByText('No paper has come out yet.').waitFor();
    await print('<script>alert(1)</script> & 1');
    const text = page.locator('pre.paper-text');
    await eventually(async () => (await text.count()) === 1);
    expect(await text.textContent()).toBe('<script>alert(1)</script> & 1\n');
    const picture = page.getByRole('img', { name: 'The paper that came out' });
    await eventually(
      async () => (await picture.evaluate((image: { naturalWidth: number }) => image.naturalWidth)) === 640,
    );
    await print('second');
    await eventually(async () => (await text.textContent())?.endsWith('second\n') === true);
    await page.getByRole('button', { name: 'Tear it off' }).click();
    await page.getByText('No paper has come out yet.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('shows what came through port 9100', async () => {
    const { page } = await shop.visit('bench', { clock: true });
    await page.getByText('No paper has come out yet.').waitFor();
    const socket = connect(shop.twin.rawPort, '127.0.0.1');
    socket.end('raw bytes\n');
    const came = page.locator('pre.paper-text').filter({ hasText: 'raw bytes' });
    await eventually(async () => {
      await timePasses(page);
      return (await came.count()) === 1;
    });
    await shop.twin.call('DELETE', '/twin/paper');
  });

  it('moves the printer: cover, paper, drawer, silence and plug', async () => {
    const { page } = await shop.visit('bench');
    const card = page.getByRole('region', { name: 'Printer on the bench' });
    await card.getByLabel('Cover open').check();
    await card.getByText('The cover is open.').waitFor();
    await card.getByLabel('Paper', { exact: true }).selectOption('out');
    await card.getByText('The paper was changed.').waitFor();
    await card.getByLabel('Drawer open').check();
    await card.getByText('The drawer is open.').waitFor();
    await card.getByLabel('Silent').check();
    await card.getByText('The printer says nothing more.').waitFor();
    await card.getByLabel('Slow').check();
    await card.getByText('The printer is slow.').waitFor();
    await card.getByLabel('Plugged in').uncheck();
    await card.getByText('The plug was pulled.').waitFor();
    expect(await printer()).toMatchObject({
      cover: 'open',
      paper: 'out',
      drawer: 'open',
      silent: true,
      slow: 500,
      attached: false,
    });
    await shop.twin.call('PUT', '/twin/printer', {
      cover: 'closed',
      paper: 'ok',
      drawer: 'closed',
      silent: false,
      slow: 0,
      attached: true,
    });
  });

  it('scans, and says why where nothing can scan it', async () => {
    const { page } = await shop.visit('bench');
    const card = page.getByRole('region', { name: 'Scan', exact: true });
    await card.getByLabel('Value').fill('4006381333931');
    await card.getByLabel('Symbology').selectOption('ean13');
    await card.getByRole('button').click();
    await card.getByText('Scanned.').waitFor();
    await eventually(async () => (await shop.twin.call<{ scans: unknown[] }>('GET', '/scans')).scans.length === 1);
    expect(await shop.twin.call('GET', '/scans')).toMatchObject({
      scans: [{ value: '4006381333931', symbology: 'ean13', verdict: 'accepted' }],
    });
  });

  it('weighs, and pulls the plug of the scale', async () => {
    const { page } = await shop.visit('bench');
    const card = page.getByRole('region', { name: 'Scale on the bench' });
    await card.getByLabel('Grams').fill('432');
    await card.getByRole('button', { name: 'Put it on the scale' }).click();
    await eventually(async () => (await shop.twin.call('GET', '/scale'))['weight'] === 432);
    await card.getByRole('button', { name: 'Pull its plug' }).click();
    await card.getByText('The plug was pulled.').waitFor();
    await card.getByRole('button', { name: 'Put it on the scale' }).click();
    await card.getByText('no virtual scale is plugged in').waitFor();
    await card.getByRole('button', { name: 'Plug the scale in' }).click();
    await card.getByText('The scale was plugged in.').waitFor();
  });

  it('has a button for each action that a device declares, with a field for what it takes', async () => {
    await shop.twin.call('PUT', '/twin/scale', { grams: 432 });
    const { page, complaints } = await shop.visit('bench', { locale: 'de' });
    const scale = page.getByRole('region', { name: /DYMO/ });
    await scale.getByRole('button', { name: 'Tara-Taste drücken' }).click();
    await scale.getByText('Erledigt.').waitFor();
    await eventually(async () => (await shop.twin.call('GET', '/scale'))['weight'] === 0);

    const wedge = { vendorId: '05e0', productId: '1200' };
    await shop.twin.call('POST', '/twin/attach', { device: 'scanner/virtual-wedge', ...wedge });
    const card = page.getByRole('region', { name: /Symbol/ });
    const field = card.getByLabel('Zeichen');
    expect(await field.inputValue()).toBe('4006381');
    await field.fill('12345');
    await card.getByRole('button', { name: 'Ohne Enter tippen' }).click();
    await eventually(async () => {
      const { scans } = await shop.twin.call<{ scans: { value: string }[] }>('GET', '/scans');
      return scans[0]?.value === '12345';
    });
    await field.fill('Я');
    await card.getByRole('button').click();
    await card.locator('.answer.bad').filter({ hasText: 'argument' }).waitFor();
    await shop.twin.call('POST', '/twin/attach', { ...wedge, attached: false });
    await card.waitFor({ state: 'detached' });
    await shop.twin.call('POST', '/twin/attach', { vendorId: '0c2e', productId: '0c01' });
    expect(complaints).toEqual([]);
  });

  it('plugs in a device that nobody knows', async () => {
    const { page } = await shop.visit('bench');
    const card = page.getByRole('region', { name: 'Another device' });
    await card.getByRole('button', { name: 'Plug it in' }).click();
    await card.getByText('It was plugged in.').waitFor();
    expect(await shop.twin.call('GET', '/devices/unknown')).toMatchObject({
      devices: [{ vendorId: '1209', productId: '0001', model: 'Something new' }],
    });
  });

  it('holds the button for 15 seconds, once it was asked: keys and mode are cleared', async () => {
    const key = 'a key of many letters';
    await shop.twin.call('PUT', '/config', { apiMode: 'admin', apiKey: key });
    const { page } = await shop.visit('bench');
    const card = page.getByRole('region', { name: 'The button' });
    await card.getByRole('button', { name: /15 s/ }).click();
    expect(await shop.twin.call('GET', '/config')).toMatchObject({ apiMode: 'admin' });
    await card.getByRole('button', { name: 'Yes' }).click();
    await card.getByText('The button was held for 15 s.').waitFor();
  });
});
