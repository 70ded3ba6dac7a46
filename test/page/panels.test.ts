/** What each panel shows is what the node answers, and its main action does what it says; a refusal is said in words. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { describeWithPage, eventually, isLive, show } from './twin.ts';

/** A server of this test, which keeps the bodies it was sent. */
async function receiver(status = 200): Promise<{ readonly url: string; readonly bodies: string[] }> {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    bodies.push(body);
    response.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, bodies };
}

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();
const said = (page: Page, text: string | RegExp) => page.locator('output').filter({ hasText: text }).first().waitFor();

describeWithPage('a panel', (shop) => {
  const open = async (panel: string) => {
    const { page } = await shop.visit(panel);
    await isLive(page);
    return page;
  };

  it('asks for a key where a mode needs one and nowhere else, makes one, sets it, and asks for it before it is replaced', async () => {
    const page = await open('overview');
    expect(await page.getByRole('button', { name: /key/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Access' }).click();
    await page.getByText('Any other mode needs a key first.').waitFor();
    await page.getByText('Everybody in this network may print').waitFor();
    await press(page, 'Generate a key');
    const key = await page.getByLabel('New key').inputValue();
    expect(key).toMatch(/^[a-z2-9]{26}$/);
    await press(page, 'Set the key');
    await said(page, 'Write it down');
    expect(await shop.twin.call('GET', '/config')).toMatchObject({ apiKeySet: true });
    await page.getByText('Everybody in this network may print').waitFor({ state: 'detached' });

    await page.getByLabel('Current key').fill('not-the-right-key-at-all');
    await page.getByLabel('New key').fill('another-key-0123456789');
    await press(page, 'Replace the key');
    await said(page, 'The node is locked');
    await page.getByLabel('Current key').fill(key);
    await press(page, 'Remove the key');
    await press(page, 'Yes');
    await eventually(async () => (await shop.twin.call('GET', '/config'))['apiKeySet'] === false);
  });

  it('lists the networks in range, each once, fills in the one that is chosen, and shows the password that is typed', async () => {
    const page = await open('network');
    await press(page, 'Look for networks');
    const list = page.getByRole('list', { name: 'Networks in range' });
    await list.getByRole('button', { name: /Guests.*open, \d+ %/ }).waitFor();
    expect(await list.getByRole('button').count()).toBe(2);
    await list.getByRole('button', { name: /Corner Café/ }).click();
    expect(await page.getByRole('textbox', { name: 'Network' }).inputValue()).toBe('Corner Café');
    const password = page.getByLabel('Password', { exact: true });
    expect(await password.getAttribute('type')).toBe('password');
    await page.getByLabel('Show the password').check();
    expect(await password.getAttribute('type')).toBe('text');
  });

  it('stores the policy of scans by the bounds of its schema, and nothing that was not changed', async () => {
    const page = await open('scanner');
    const before = (await shop.twin.call('GET', '/config'))['scanner'] as object;
    await page.getByLabel('Shortest read').fill('65');
    await press(page, 'Save');
    expect(await page.getByLabel('Shortest read').evaluate((field) => Reflect.get(field, 'validity').valid)).toBe(
      false,
    );
    await page.getByLabel('Shortest read').fill('6');
    await page.getByLabel('Keyboard layout').selectOption('de');
    await press(page, 'Save');
    await said(page, 'Saved.');
    expect((await shop.twin.call('GET', '/config'))['scanner']).toEqual({ ...before, minLength: 6, layout: 'de' });
    await press(page, 'Save');
    await said(page, 'Nothing was changed.');
    await page.getByLabel('Shortest read').fill('7');
    expect(await page.locator('output').filter({ hasText: 'Nothing was changed.' }).count()).toBe(0);
  });

  it('tests the webhook with a command that prints nothing, and says how that went', async () => {
    const good = await receiver();
    const page = await open('webhook');
    await page.getByText('No receiver is set').waitFor();
    await page.getByLabel('URL').fill(good.url);
    await page.getByLabel('results of commands').check();
    await page.getByLabel('printer status, every 5 s').uncheck();
    await press(page, 'Save');
    await said(page, 'Saved.');
    await press(page, 'Send a test');
    await said(page, 'Delivered: the receiver answered 200.');
    expect(JSON.parse(good.bodies[0] ?? '')).toMatchObject({
      event: { type: 'command_result', endpoint: 'webhook-test' },
    });
    expect(await (await fetch(`${shop.twin.url}/twin/paper.bin`)).text()).not.toContain('webhook-test');

    const bad = await receiver(500);
    await page.getByLabel('URL').fill(bad.url);
    await press(page, 'Save');
    await said(page, 'Saved.');
    await press(page, 'Send a test');
    await said(page, 'Not delivered: the receiver answered 500.');
    await page.getByLabel('URL').fill('ftp://elsewhere/');
    await press(page, 'Save');
    await said(page, /The node does not take these values\..*url/);
    await shop.twin.call('PUT', '/config', { webhook: { url: '' } });
  });

  it('records traffic, notes in it, and shows both', async () => {
    const page = await open('traffic');
    await page.getByText('Nothing was recorded.').waitFor();
    const file = page.getByRole('link', { name: 'Download the recording' });
    expect(await file.count()).toBe(0);
    await press(page, 'Start recording');
    await page.getByText('The ring records.').waitFor();
    const lines = [{ type: 'text', value: 'Hi' }];
    await shop.twin.call('POST', '/print', { type: 'print', id: 'traffic', endpoint: 'receipt', lines });
    await page.getByLabel('Note').fill('opened the <cover>');
    await press(page, 'Note it');
    await page.getByRole('cell', { name: 'opened the <cover>' }).waitFor();
    await page.getByRole('cell', { name: 'receipt (usb:' }).first().waitFor();
    await file.waitFor();
    await press(page, 'Stop recording');
    await page.getByText('The ring does not record.').waitFor();
  });

  it('takes a picture, and says when it cannot', async () => {
    const page = await open('camera');
    await press(page, 'Take a picture');
    const picture = page.getByRole('img', { name: /What the camera saw at/ });
    await picture.waitFor();
    await eventually(() => picture.evaluate((image) => Reflect.get(image, 'naturalWidth') > 0));
  });

  it('names the node, switches its identity, and lists what runs', async () => {
    const page = await open('nodes');
    await page.getByRole('textbox', { name: 'Name' }).fill('Till <1>');
    await press(page, 'Save');
    await page.getByRole('heading', { level: 1, name: 'Till <1>' }).waitFor();
    await page.getByText('No other node was heard').waitFor();
    await page.getByRole('link', { name: 'Discovery' }).click();
    const profile = page.getByRole('region', { name: 'Compatibility profile' });
    await profile.getByRole('combobox').selectOption('epson-tm-t20iii');
    await profile.getByRole('button', { name: 'Save' }).click();
    await said(page, 'Saved.');
    expect((await shop.twin.call('GET', '/config'))['profile']).toBe('epson-tm-t20iii');
    await profile.getByRole('combobox').selectOption('custom');
    await profile.getByRole('button', { name: 'Save' }).click();
    await said(page, 'profile custom needs');
    await page.getByRole('link', { name: 'Boot log' }).click();
    await page.getByRole('cell', { name: 'runs now' }).waitFor();
    await page.getByRole('link', { name: 'USB' }).click();
    await page.getByText(/\d+ of 16 USB channels are in use/).waitFor();
  });

  it('names another device that has the identity of the node, on the overview too, and becomes a new node', async () => {
    const { page } = await shop.visit('overview');
    await page.route('**/status', async (route) => {
      const response = await route.fetch();
      const status = (await response.json()) as { identity: object };
      const identity = { ...status.identity, duplicate: { addresses: ['192.168.7.9'] } };
      await route.fulfill({ response, json: { ...status, identity } });
    });
    const card = page.getByRole('region', { name: 'Two nodes with one identity' });
    await card.getByText('Another device at 192.168.7.9 has the identity').waitFor();
    await show(page, 'nodes');
    await card.getByRole('button', { name: 'Become a new node' }).click();
    await card.getByRole('button', { name: 'Yes' }).click();
    await card.getByText(/From the next start this node is node-[0-9a-f]{8}/).waitFor();
    const { identity } = await shop.twin.call<{ identity: Record<string, unknown> }>('GET', '/status');
    expect(identity['pendingDeviceId']).toMatch(/^[0-9a-f]{8}$/);
  });

  it('says under which name the node is found, and how that stands', async () => {
    const { discovery } = await shop.twin.call<{ discovery: { name: string } }>('GET', '/status');
    const page = await open('discovery');
    const card = page.getByRole('region', { name: 'In this network' });
    await card.getByText(discovery.name, { exact: true }).waitFor();
    await card.getByText(/(found by|asking whether|not found)/).waitFor();
  });

  it('says in words what the node refuses: an update without a cloud, credentials that are none', async () => {
    const page = await open('update');
    await press(page, 'Look for an update');
    await said(page, 'This needs a cloud URL and a token');
    await page.getByLabel('This node may look for updates').uncheck();
    await press(page, 'Save');
    await said(page, 'Saved.');
    await press(page, 'Look for an update');
    await said(page, 'Looking for updates is switched off');
    await page.getByRole('link', { name: 'Network' }).click();
    await page.getByRole('main').getByLabel('Network', { exact: true }).fill('shop');
    await page.getByLabel('Password', { exact: true }).fill('short');
    await press(page, 'Connect');
    await said(page, 'The node does not take these credentials.');
    await page.getByRole('link', { name: 'Compose' }).click();
    await page.getByLabel('What should be on it?').fill('two coffees');
    await press(page, 'Compose');
    await said(page, 'This needs a cloud URL and a token');
  });

  it('sends an image with the digest it worked out, and says why it was not taken', async () => {
    const page = await open('update');
    const key = 'update-key-0123456789';
    await page.getByLabel('New update key').fill(key);
    await press(page, 'Set the update key');
    await said(page, 'The update key is set.');
    await page.getByLabel(/^Image for twin/).setInputFiles({
      name: 'some.img',
      mimeType: 'application/octet-stream',
      buffer: Buffer.alloc(3_000_000, 7),
    });
    await page.getByRole('textbox', { name: 'Update key', exact: true }).fill('not-this-key-0123456789');
    const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/update'));
    await press(page, 'Install');
    expect((await sent).headers()['x-node-image-sha256']).toBe(
      '892f2fe04ec507da2fe21530851fc8c60ae8a0d9b126b61d7168fd5dbb209a1b',
    );
    await said(page, 'The update key is needed and was missing or wrong.');
  });
});
