/** The people who are let in to the page of operators, in a browser, and what they may do there. */
import { expect, it } from 'vitest';
import { makeImage } from '../made-images.ts';
import { MASTER } from './fleet.ts';
import { describeOperators, enters, manyNodes, show } from './operators.ts';
import { startProvider } from './provider.ts';
import { PASSWORD } from './signing-in.ts';

describeOperators('the page of operators', ({ started, comes, signedIn }) => {
  it('asks for the master token at first, then for the password, and lets nobody in without', async () => {
    const fleet = await started();
    const { page, complaints } = await comes(fleet, '#audit');
    await page.getByLabel('Master token').fill('wrong');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('This is not right.').waitFor();
    await page.getByLabel('Master token').fill(MASTER);
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByRole('cell', { name: 'Password set' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Password').fill('wrong horse battery');
    await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This is not right.').waitFor();
    expect(await page.getByRole('link', { name: 'Nodes' }).count()).toBe(0);
    await enters(page);
    await page.getByRole('cell', { name: 'Signed out' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('has off what a role may not do, and nothing on that is refused', async () => {
    const { page, fleet, complaints } = await signedIn(async (seeded) => {
      await manyNodes(seeded);
      await seeded.call('POST', '/api/releases', makeImage({ variant: 'wifi', version: '0.3.0' }));
    }, '#node/node-007');
    await page.getByRole('button', { name: 'Another token' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByText(/^Shown this once: [\w-]{43}$/).waitFor();
    await fleet.call('PUT', '/api/people/owner', { role: 'viewer' });
    await page.reload();
    const on = () => page.locator('main').locator('button:enabled, input:enabled, textarea:enabled').allTextContents();
    await page.getByRole('button', { name: 'Save' }).waitFor();
    expect(await on()).toEqual([]);
    await show(page, 'rollouts');
    await page.getByRole('button', { name: 'Upload' }).waitFor();
    expect(await on()).toEqual([]);
    await show(page, 'settings');
    expect(await on()).toContain('Change the password');
    expect(await page.getByText('Alerts by webhook').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('gives people accounts and programs tokens, and shows a viewer nothing of that', async () => {
    const { page, fleet, complaints } = await signedIn(async () => {}, '#people');
    const people = page.getByRole('region', { name: 'People' });
    await people.getByLabel('Name').fill('ada');
    await people.getByLabel('New password').fill(PASSWORD);
    await people.getByRole('button', { name: 'Add or change somebody' }).click();
    await people.getByRole('row', { name: /ada looks/ }).waitFor();
    const tokens = page.getByRole('region', { name: 'Tokens for programs' });
    await tokens.getByLabel('Name').fill('till');
    await tokens.getByRole('button', { name: 'Make a token' }).click();
    const said = (await tokens.getByText('Shown this once').textContent()) ?? '';
    const token = said.split(' ').at(-1) ?? '';
    expect((await fleet.call('GET', '/api/nodes', undefined, { Authorization: `Bearer ${token}` })).status).toBe(200);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Password', { exact: true }).waitFor();
    await page.getByLabel('Name').fill('ada');
    await enters(page);
    expect(await page.getByRole('link', { name: 'People' }).count()).toBe(0);
    await fleet.call('DELETE', '/api/people/ada');
    // By no link: the page, which asks again by itself, may have taken it away by then.
    await page.goto(`${fleet.url}/#alerts`);
    await page.getByLabel('Password').waitFor();
    expect(complaints.filter((each) => !each.includes('401'))).toEqual([]);
  });

  it('asks to sign in again when the session has ended elsewhere', async () => {
    const { page, fleet } = await signedIn(async () => {});
    await fleet.call('PUT', '/api/password', { password: 'another horse battery' });
    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByLabel('Password').waitFor();
    expect(await page.getByRole('link', { name: 'Audit' }).count()).toBe(0);
  });

  it('signs in at a provider, and tells a stranger why not', async () => {
    const client = { id: 'fleet', secret: 'secret' };
    const provider = await startProvider(client);
    const people = ['ada@example.org'];
    const fleet = await started({
      openid: { issuer: provider.issuer, client: client.id, secret: client.secret, people },
    });
    const { page } = await comes(fleet);
    provider.person = { sub: 'x', email: 'eve@example.org', email_verified: true };
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByText('You are not among the people who may sign in here.').waitFor();
    provider.person = { sub: 'x', email: 'ada@example.org', email_verified: true };
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByText('ada@example.org').waitFor();
    await page.getByText('Nodes that fit: 0').waitFor();
  });
});
