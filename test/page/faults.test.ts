/** What is wrong with an entry is said in the language of whoever made it: in the receipt editor, and of a setting. */
import { expect, it } from 'vitest';
import { filled } from '../../runtime/base/language.ts';
import { languageKinds, wordsAt } from '../catalogues.ts';
import { describeWithPage, isLive } from './twin.ts';

/** A text without what keeps the directions of its parts apart. */
const plain = (text: string) => text.replaceAll(/[\u2068\u2069]/g, '');

describeWithPage('a wrong entry', (shop) => {
  it.each(languageKinds)('is told in its words, in %s', async (language) => {
    const words = wordsAt('runtime/page/words', language);
    const said = (key: string, places: Record<string, string> = {}) => filled(words[key] ?? '', places, String);
    const { page } = await shop.visit('receipt', { locale: language });
    await isLive(page);
    await page.getByRole('checkbox').first().check();
    const lines = page.locator('.editor textarea');
    const faults = async (text: string) => {
      await lines.fill(text);
      await page.locator('.editor mark').first().waitFor();
      return (await page.locator('.editor li').allTextContents()).map(plain).join('\n');
    };
    for (const [text, fault] of [
      ['[{ "type": "feed", "lines": 256 }]', said('shape_most', { most: '255' })],
      ['[{ "type": "text" }]', said('shape_required', { key: 'value' })],
      ['[{ "type": "text", "value": 5 }]', said('shape_type', { type: words['type_string'] ?? '' })],
      ['[{ "type": "text", "value": "a", "colour": 1 }]', said('shape_unknownKey', { key: 'colour' })],
      ['[{ "type": "cut" }, 01]', said('json_comma', { token: '1' })],
    ] as const) {
      expect(await faults(text)).toContain(fault);
    }
  });

  it.each(languageKinds)('of a setting is told at its field, in %s', async (language) => {
    const labels = wordsAt('runtime/services/webhook/words', language);
    const words = wordsAt('runtime/page/words', language);
    const { page } = await shop.visit('webhook', { locale: language });
    await isLive(page);
    const url = page.getByLabel(labels['url'] ?? '', { exact: true });
    await url.fill(`https://till.example/${'é'.repeat(100)}`);
    await page.getByRole('button', { name: words['save'] ?? '', exact: true }).click();
    const field = page.locator('.field').filter({ has: page.locator('[aria-invalid=true]') });
    await field.waitFor();
    expect(plain((await field.textContent()) ?? '')).toContain(filled(words['shape_mostBytes'] ?? '', { most: '199' }));
    expect(await url.getAttribute('aria-invalid')).toBe('true');
    // Whoever types on is not told of what stood there.
    await url.fill('https://till.example/');
    await field.waitFor({ state: 'detached' });
  });
});
