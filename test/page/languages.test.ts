/** The page speaks the language of whoever looks at it, in every word, and keeps to the one that was chosen. */
import { expect, it } from 'vitest';
import { choicesIn, contractFolders, contractOf, toldOf } from '../base/codes.ts';
import { languages, namesIn, openapi, sentencesIn, speaker, wordsAt } from '../catalogues.ts';
import { dataOf, textsOn } from './looks.ts';
import { describeWithPage, isLive, panelsOf, show, turnTo } from './twin.ts';

describeWithPage('the operator page', (shop) => {
  it('comes in the language of the browser; another can be chosen, and is remembered', async () => {
    const { page, complaints } = await shop.visit('overview', { locale: 'pl-PL' });
    await page.getByRole('heading', { level: 2, name: 'Przegląd' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('pl');
    await page.getByRole('combobox', { name: 'Język' }).selectOption('Português');
    await page.getByRole('heading', { level: 2, name: 'Visão geral' }).waitFor();
    await page.goto(`${shop.twin.url}/#scale`);
    await page.reload();
    await page.getByRole('heading', { level: 2, name: 'Balança' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('says in words of the shop what is wrong, in each language', async () => {
    await shop.twin.call('PUT', '/twin/printer', { paper: 'out' });
    const { page } = await shop.visit('overview');
    for (const language of languages) {
      await turnTo(page, language);
      const { tillPaperOut = '' } = wordsAt('plugins/printer/words', language);
      await page.locator('main .state .bad').filter({ hasText: tillPaperOut }).waitFor();
    }
    await shop.twin.call('PUT', '/twin/printer', { paper: 'ok' });
  });

  it('calls each kind of device by its name in the language, and one that nobody knows unknown', async () => {
    const second = { vendorId: '04b8', productId: '0202' };
    const strange = { vendorId: '1234', productId: 'abce' };
    for (const ids of [second, strange]) await shop.twin.call('POST', '/twin/attach', ids);
    const { page } = await shop.visit('devices', { locale: 'de-DE' });
    const refused = page.getByRole('table', { name: /^Abgelehnte Geräte/ });
    for (const [ids, kind] of [
      ['04b8:0202', 'Bondrucker'],
      ['1234:abce', 'unbekannt'],
    ] as const)
      await refused.getByRole('row').filter({ hasText: ids }).getByRole('cell', { name: kind, exact: true }).waitFor();
    for (const ids of [second, strange]) await shop.twin.call('POST', '/twin/attach', { ...ids, attached: false });
  });

  it('has no word outside its catalogues on any panel', { timeout: 120_000 }, async () => {
    await shop.twin.call('POST', '/twin/scan', { value: '4006381333931', symbology: 'ean13' });
    await shop.twin.call('POST', '/twin/attach', { vendorId: '1234', productId: 'abcd', model: 'Zzz' });
    await shop.twin.call('PUT', '/config', { capture: true, printWidthCols: 32 });
    const lines = [{ type: 'hologram' }];
    await shop.twin.call('POST', '/print', { type: 'print', id: 'a', endpoint: 'receipt', lines });
    for (const attached of [false, true]) await shop.twin.call('PUT', '/twin/printer', { attached });
    const { page } = await shop.visit('overview', { locale: 'de-DE' });
    await isLive(page);
    // A code of a contract has words, or a reason to need none.
    const rooms = contractFolders.filter((folder) => !folder.startsWith('runtime/fleet'));
    const codesOf = async (room: string) => choicesIn(await contractOf(room)).flatMap((choice) => toldOf(room, choice));
    const coded = new Set((await Promise.all(rooms.map(codesOf))).flat());
    const sentences = sentencesIn('de');
    const strangers: string[] = [];
    for (const panel of await panelsOf(page)) {
      await show(page, panel);
      for (const summary of await page.locator('details > summary').all()) await summary.click();
      const data = [...(await dataOf(shop.twin)), ...namesIn(openapi())].filter((each) => !coded.has(each));
      const isSaid = speaker(sentences, data);
      for (const text of await textsOn(page)) if (!isSaid(text)) strangers.push(`${panel}: ${text}`);
    }
    expect(strangers).toEqual([]);
  });
});
