/** The overview speaks to whoever stands at the till: one true sentence a device, soon, and what can be done about it. */
import { beforeEach, expect, it } from 'vitest';
import { describeWithPage, eventually, isLive, SOON_MS } from './twin.ts';

const [GOOD, BAD] = ['.state .good', '.state .bad'];

const EPSON = { device: 'printer', vendorId: '04b8', productId: '0e28', make: 'EPSON', model: 'TM-T20III' };
const ZEBRA = {
  device: 'printer',
  vendorId: '0a5f',
  productId: '0164',
  make: 'Zebra',
  model: 'ZD220',
  deviceId: 'MANUFACTURER:Zebra Technologies ;COMMAND SET:ZPL;MODEL:ZTC ZD220-203dpi ZPL;',
};

describeWithPage('the overview', (shop) => {
  beforeEach(async () => {
    await shop.twin.call('PUT', '/twin/printer', { cover: 'closed', paper: 'ok', silent: false, attached: true });
    await shop.twin.call('PUT', '/twin/scale', { grams: 0, status: 'reading', attached: true });
    await shop.twin.call('DELETE', '/twin/paper');
  });

  const open = async () => {
    const { page } = await shop.visit('overview');
    await isLive(page);
    const card = (name: string) => page.getByRole('region', { name });
    await card('Receipt printer').locator(GOOD).waitFor();
    return { page, card, header: page.getByRole('banner') };
  };

  for (const [fault, change, words] of [
    ['an open cover', { cover: 'open' }, 'The cover is open: close it'],
    ['the end of the paper', { paper: 'out' }, 'No paper: open the cover and put a roll in'],
    ['a printer that was unplugged', { attached: false }, /^. Not plugged in since \d/],
  ] as const) {
    it(`says ${fault} in words and in red, above every panel too, and takes it back`, async () => {
      const { page, card, header } = await open();
      await shop.twin.call('PUT', '/twin/printer', change);
      await card('Receipt printer').locator(BAD).filter({ hasText: words }).waitFor({ timeout: SOON_MS });
      await header.locator(BAD).filter({ hasText: 'Receipt printer: ' }).waitFor();
      await page.getByRole('link', { name: 'Scanner', exact: true }).click();
      await header.locator(BAD).filter({ hasText: 'Receipt printer: ' }).waitFor();
      await shop.twin.call('PUT', '/twin/printer', { cover: 'closed', paper: 'ok', attached: true });
      await header.locator(GOOD).waitFor({ timeout: SOON_MS });
      expect(await header.locator(BAD).count()).toBe(0);
    });
  }

  it('is amber where a printer says nothing of itself, and where its paper ends soon', async () => {
    const { card } = await open();
    await shop.twin.call('PUT', '/twin/printer', { paper: 'low' });
    await card('Receipt printer').locator('.warn').filter({ hasText: 'The paper roll ends soon' }).waitFor();
    await shop.twin.call('PUT', '/twin/printer', { paper: 'ok', silent: true, attached: false });
    await shop.twin.call('PUT', '/twin/printer', { attached: true });
    await card('Receipt printer').locator('.warn').filter({ hasText: 'it does not say how it is' }).waitFor();
  });

  it('shows the weight, the last read and the drawer as they change', async () => {
    const { card } = await open();
    await card('Receipt printer').getByText('Drawer: ').waitFor();
    await shop.twin.call('PUT', '/twin/scale', { grams: 250 });
    await card('Scale').locator('.reading').filter({ hasText: '250 g' }).waitFor({ timeout: SOON_MS });
    await shop.twin.call('POST', '/twin/scan', { value: '4006381333931', symbology: 'ean13' });
    await card('Scanner').locator('code').filter({ hasText: '4006381333931' }).waitFor({ timeout: SOON_MS });
  });

  it('says that a scale sleeps, and that a scanner is gone', async () => {
    const { card } = await open();
    await shop.twin.call('PUT', '/twin/scale', { status: 'asleep' });
    // How long a scale must be silent to be asleep is the scale's matter.
    await eventually(async () => (await shop.twin.call('GET', '/scale'))['status'] === 'asleep');
    await card('Scale').getByText('Asleep: press its button').waitFor({ timeout: SOON_MS });
    const scanner = { device: 'scanner', vendorId: '0c2e', productId: '0c01', attached: false };
    await shop.twin.call('POST', '/twin/attach', scanner);
    await card('Scanner').locator(BAD).filter({ hasText: 'Not plugged in since' }).waitFor({ timeout: SOON_MS });
    await shop.twin.call('POST', '/twin/attach', { ...scanner, attached: true });
    await card('Scanner').locator(GOOD).waitFor({ timeout: SOON_MS });
  });

  it('leads from a sentence to what to do, and collects what whoever helps needs, without a receipt', async () => {
    const lines = [{ type: 'text', value: 'Madame Secret' }];
    await shop.twin.call('POST', '/print', { type: 'print', id: 'secret', endpoint: 'receipt', lines });
    const { page, card } = await open();
    await shop.twin.call('PUT', '/twin/printer', { paper: 'out' });
    await card('Receipt printer').locator(BAD).waitFor({ timeout: SOON_MS });
    await card('Receipt printer').getByRole('link', { name: 'What to do' }).click();
    await page.getByRole('heading', { level: 2, name: 'It does not print' }).waitFor();
    const here = page.locator('main li[aria-current=true]');
    await here.waitFor();
    expect(await here.getAttribute('id')).toBe('trouble/paper_out');
    expect(await here.evaluate((sentence) => sentence.ownerDocument.activeElement === sentence)).toBe(true);
    await page.getByRole('button', { name: 'Collect the text' }).click();
    const text = (await page.locator('main pre').textContent()) ?? '';
    expect(Object.keys(JSON.parse(text))).toEqual(['collected', 'status', 'jobs', 'unknownDevices', 'bootlog']);
    expect(text).not.toContain('Secret');
    await page.goto(`${shop.twin.url}/trouble`);
    await page.getByRole('heading', { level: 2, name: 'It does not print' }).waitFor();
  });

  it('says that a printer speaks another language', async () => {
    const { card } = await open();
    await shop.twin.call('POST', '/twin/attach', ZEBRA);
    await card('Receipt printer')
      .locator(BAD)
      .filter({ hasText: 'This printer speaks another language' })
      .waitFor({ timeout: SOON_MS });
    await shop.twin.call('POST', '/twin/attach', { ...EPSON, deviceId: 'MFG:EPSON;CMD:ESC/POS;MDL:TM-T20III;' });
    await card('Receipt printer').locator(GOOD).waitFor({ timeout: SOON_MS });
  });

  it('prints a test, opens the drawer, and says where other programs print', async () => {
    const { card } = await open();
    await card('Receipt printer').getByRole('button', { name: 'Print a test receipt' }).click();
    await card('Receipt printer').getByText('Sent to the printer.').waitFor();
    expect(await (await fetch(`${shop.twin.url}/twin/paper.txt`)).text()).toContain('1234567890');
    await card('Receipt printer').getByRole('button', { name: 'Open the drawer' }).click();
    await card('Receipt printer').getByText('The pulse was sent to the drawer.').waitFor();
    await card('Receipt printer').getByText(`port ${shop.twin.rawPort}.`).waitFor();
  });

  it('offers the width of the printer where receipts are laid out in another, and takes it by one button', async () => {
    const { card } = await open();
    await shop.twin.call('PUT', '/config', { printWidthCols: 32 });
    const status = await shop.twin.call<{ printers: object[] }>('GET', '/status');
    expect(status.printers).toMatchObject([{ columns: 48, layoutColumns: 32 }]);
    const offer = card('Receipt printer').getByText('This printer has 48 columns, receipts are laid out in 32');
    await offer.waitFor();
    await card('Receipt printer').getByRole('button', { name: 'Lay receipts out in 48 columns' }).click();
    await offer.waitFor({ state: 'detached' });
    expect(await shop.twin.call('GET', '/config')).toMatchObject({ printWidthCols: 48 });
  });

  it('shows a picture, the last receipt as a small paper without what stood on it, and asks for the jobs only when they changed', async () => {
    const { page, card } = await open();
    await card('Camera')
      .getByRole('img', { name: /What the camera saw at/ })
      .waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const lines = [{ type: 'text', value: 'Madame Secret' }, { type: 'cut' }];
    await shop.twin.call('POST', '/print', { type: 'print', id: 'last', endpoint: 'receipt', lines });
    const last = card('Last receipt');
    await last.getByText('127.0.0.1').waitFor();
    await last.getByText('sent').waitFor();
    expect(await page.content()).not.toContain('Secret');
    const looks = () => asked.filter((path) => path === '/status').length;
    const from = looks();
    await eventually(async () => looks() >= from + 3);
    expect(asked.filter((path) => path === '/jobs').length).toBeLessThanOrEqual(2);
  });

  it('says how far a receipt is that takes long', async () => {
    const { card } = await open();
    await shop.twin.call('PUT', '/twin/printer', { slow: 2000 });
    const lines = Array.from({ length: 300 }, (_, n) => ({ type: 'text', value: `${n} x Coffee, black, to go` }));
    const printed = shop.twin.call('POST', '/print', { type: 'print', id: 'long', endpoint: 'receipt', lines });
    const bar = card('in progress').getByRole('progressbar');
    await bar.waitFor();
    expect(Number(await bar.getAttribute('max'))).toBeGreaterThan(6000);
    await shop.twin.call('PUT', '/twin/printer', { slow: 0 });
    await printed;
    await bar.waitFor({ state: 'detached' });
  });

  it('names the node, its addresses, and what a phone has to scan to open the page', async () => {
    const { page, card } = await open();
    const { ipv4, hostname } = await shop.twin.call<{ ipv4: { address: string }; hostname: string }>('GET', '/network');
    const { port } = new URL(shop.twin.url);
    for (const host of [ipv4.address, hostname]) await card('This node').getByText(`http://${host}:${port}/`).waitFor();
    // Under this name of its own machine no phone reaches it.
    expect(await card('This node').getByRole('img').count()).toBe(0);
    expect(await card('This node').getByRole('link').count()).toBe(0);
    await page.goto(`http://till.lan:${port}/`);
    await eventually(async () => (await card('This node').getByRole('img').count()) === 1);
    const name = await card('This node').getByRole('img').getAttribute('aria-label');
    expect(name).toBe(`QR code of http://till.lan:${port}/`);
    await card('This node').getByRole('link', { name: ipv4.address }).waitFor();
  });
});
