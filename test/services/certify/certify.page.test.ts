/** The page that certifies a device: the tours of the rooms by clicks, and what is left behind however one ends. */
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { createAjv } from '../../../runtime/base/ajv.ts';
import { Certificate } from '../../../runtime/recipes/certificate.ts';
import en from '../../../runtime/services/certify/page/words/en.json' with { type: 'json' };
import links from '../../../runtime/services/certify/words/en.json' with { type: 'json' };
import { languageKinds, namesIn, openapi, sentencesIn, speaker, wordsAt } from '../../catalogues.ts';
import { bringAxe, dataOf, misfitsOn, textsOn, violationsOn } from '../../page/looks.ts';
import { describeWithPage, eventually, isLive, startTwin, turnTo, type VisitOptions, visit } from '../../page/twin.ts';
import { begin, goThrough, type Script, scripts } from './certifying.ts';

/** Sends of a page that is gone nothing but what is to outlive it, as a browser may (WHATWG Fetch, keepalive). */
const ONLY_KEPT_ALIVE = `(() => {
  const { fetch } = window;
  let gone = false;
  addEventListener('pagehide', () => { gone = true; });
  window.fetch = (url, init) => (gone && !init?.keepalive ? new Promise(() => {}) : fetch(url, init));
})()`;
const MINUTES = 240_000;
const skipped = (id: string) => [id, '*skip'] as const;

describeWithPage('the page that certifies a device', (shop) => {
  const at = (endpoint: string, options?: VisitOptions) =>
    visit(shop.browser, `${shop.twin.url}/certify#${endpoint}`, options);
  const recording = async () => (await shop.twin.call('GET', '/config'))['capture'];
  const stopped = () => eventually(async () => (await recording()) === false);
  const reset = async () => {
    await shop.twin.call('PUT', '/twin/scale', { grams: 250, attached: true });
    await shop.twin.call('PUT', '/twin/printer', { cover: 'closed', paper: 'ok', drawer: 'closed', attached: true });
  };

  /** The file that the page gives at the end. */
  async function saved(
    page: Page,
  ): Promise<Record<string, unknown> & { row: object; facts: object; recording: string }> {
    const file = join(tmpdir(), `certificate-${process.pid}.json`);
    onTestFinished(() => rmSync(file, { force: true }));
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: en.save }).click(),
    ]);
    await download.saveAs(file);
    return JSON.parse(readFileSync(file, 'utf8'));
  }

  it.each([
    ['scale', 'scale', { codec: 'hid-scale' }, { zero: true, coin: '5 g', empty: '0 g', off: 'absent', weight: '5 g' }],
    ['scanner', 'scanner', { codec: 'hid-pos' }, { 'code-1': 'same', 'code-5': 'same' }],
    [
      'receipt',
      'printer',
      { codec: 'escpos', options: expect.objectContaining({ columns: 48, dots: 576 }) },
      { drawerPin2: true, 'cover-open': true, 'paper-low': false },
    ],
  ] as const)('ends with a certificate: %s', { timeout: MINUTES }, async (endpoint, kind, row, facts) => {
    await reset();
    const { page, complaints } = await at(endpoint);
    await begin(page);
    await goThrough(page, scripts(shop.twin)[kind]);
    await page.getByRole('heading', { name: en.doneTitle }).waitFor();
    const certificate = await saved(page);
    const ajv = createAjv();
    expect(ajv.validate(Certificate, certificate), ajv.errorsText()).toBe(true);
    expect(certificate.row).toMatchObject({ kind, ...row });
    expect(certificate.facts).toMatchObject(facts);
    expect(certificate.recording).toContain('"direction":"connect"');
    expect(await recording()).toBe(false);
    expect(complaints).toEqual([]);
  });

  it('is linked from the card of each device that can be certified, and from no other, in each kind of language', async () => {
    await reset();
    const { page } = await shop.visit('overview');
    for (const locale of languageKinds) {
      await turnTo(page, locale);
      await isLive(page);
      const found = page.getByRole('link', {
        name: wordsAt('runtime/services/certify/words', locale)['certify'] ?? '',
      });
      const hrefs = await found.evaluateAll((all) => all.map((link) => link.getAttribute('href')));
      expect(hrefs).toEqual(['/certify#receipt', '/certify#scanner', '/certify#scale']);
    }
    await turnTo(page, 'en');
    await shop.twin.call('PUT', '/twin/scale', { attached: false });
    await eventually(async () => (await page.getByRole('link', { name: links.certify }).count()) === 2);
    await page.getByRole('link', { name: links.certify }).first().click();
    await page.getByRole('heading', { level: 2, name: en.title }).waitFor();
    expect(page.url()).toBe(`${shop.twin.url}/certify#receipt`);
  });

  it('keeps what was asked, and what it reports, in the language of the reader', { timeout: MINUTES }, async () => {
    await reset();
    const { page } = await at('scale', { locale: 'fr' });
    await begin(page);
    await page.getByRole('heading', { name: 'Qui l’a fabriqué ? (comme sur l’étiquette)' }).waitFor();
    await goThrough(page, scripts(shop.twin).scale);
    await page
      .getByRole('link', { name: wordsAt('runtime/services/certify/page/words', 'fr')['save'] ?? '' })
      .waitFor();
    const report = await page.locator('ul li').allTextContents();
    expect(report.find((sentence) => sentence.endsWith('Elle indique 5 g.'))).toMatch(/^Vu : Posez une pièce/);
    expect(report).toContain('Sans rien dessus, elle indique 0.');
  });

  it('ends without a file when its button was pressed and it was asked, and the recording is off again', async () => {
    await reset();
    const { page } = await at('scale');
    await begin(page);
    await goThrough(page, scripts(shop.twin).scale, 'coin');
    expect(await recording()).toBe(true);
    await page.getByRole('button', { name: en.end }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByText(en.ended).waitFor();
    await stopped();
    await page.getByRole('button', { name: en.again }).click();
    await page.getByRole('button', { name: en.begin }).waitFor();
  });

  it('leaves a recording on that was on before', async () => {
    await reset();
    await shop.twin.call('PUT', '/config', { capture: true });
    const { page } = await at('scale');
    await begin(page);
    await goThrough(page, scripts(shop.twin).scale, 'replug');
    // Without it there is nothing to go on with.
    expect(await page.locator('button[data-answer=skip]').count()).toBe(0);
    await page.getByRole('button', { name: en.end }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByText(en.ended).waitFor();
    await page.goto('about:blank');
    expect(await recording()).toBe(true);
    await shop.twin.call('PUT', '/config', { capture: false });
  });

  it('switches the recording off when the page goes away in the middle', async () => {
    await reset();
    const { page } = await at('scale');
    await page.addInitScript(ONLY_KEPT_ALIVE);
    await page.reload();
    await begin(page);
    await goThrough(page, scripts(shop.twin).scale, 'coin');
    expect(await recording()).toBe(true);
    await page.goto('about:blank');
    await stopped();
  });

  it('says so when the device is unplugged in the middle, and keeps nothing', async () => {
    await reset();
    const { page } = await at('receipt');
    await begin(page);
    await goThrough(page, scripts(shop.twin).printer, 'columns');
    await shop.twin.call('PUT', '/twin/printer', { attached: false });
    await page.locator('button[data-answer="48"]').click();
    await page.getByRole('heading', { name: en.failedTitle }).waitFor();
    await page.getByText('No printer is ready.').waitFor();
    expect(await page.getByRole('link', { name: en.save }).count()).toBe(0);
    await stopped();
    await reset();
  });

  it('says so when the node starts anew in the middle, and the recording is off once it is back', {
    timeout: MINUTES,
  }, async () => {
    const state = join(tmpdir(), `tillnode-certify-${process.pid}`);
    onTestFinished(() => rmSync(state, { recursive: true, force: true }));
    const before = await startTwin({ state });
    const { page } = await visit(shop.browser, `${before.url}/certify#scanner`);
    const uptime = async () => Number((await before.call('GET', '/status'))['uptimeSeconds']);
    const begun = await uptime();
    await begin(page);
    await goThrough(page, scripts(before).scanner, 'where');
    // Longer than the whole seconds in which a node tells how long it has run.
    await eventually(async () => (await uptime()) > begun + 2);
    await before.stop();
    const node = await startTwin({ state, port: Number(new URL(before.url).port) });
    onTestFinished(node.stop);
    expect((await node.call('GET', '/config'))['capture']).toBe(true);
    await goThrough(page, [['where', '*screen']]);
    await page.getByRole('heading', { name: en.failedTitle }).waitFor();
    await page.getByText(/^The node was restarted/).waitFor();
    await eventually(async () => (await node.call('GET', '/config'))['capture'] === false);
  });

  it('asks a node that is away until it answers, and then the recording is off', { timeout: MINUTES }, async () => {
    const state = join(tmpdir(), `tillnode-certify-away-${process.pid}`);
    onTestFinished(() => rmSync(state, { recursive: true, force: true }));
    const before = await startTwin({ state });
    const { page } = await visit(shop.browser, `${before.url}/certify#scanner`);
    await begin(page);
    await goThrough(page, scripts(before).scanner, 'where');
    await before.stop();
    await goThrough(page, [['where', '*screen']]);
    await page.waitForEvent('requestfailed', (request) => request.method() === 'PUT');
    const node = await startTwin({ state, port: Number(new URL(before.url).port) });
    onTestFinished(node.stop);
    await page.getByRole('heading', { name: en.failedTitle }).waitFor();
    await page.getByText(/^The node did not answer/).waitFor();
    expect((await node.call('GET', '/config'))['capture']).toBe(false);
  });

  it('offers nothing above the mode open, and says how it can be done', async () => {
    const key = 'a key of many letters';
    await shop.twin.call('PUT', '/config', { apiMode: 'admin', apiKey: key });
    const { page } = await at('');
    await page.getByText(en.locked).waitFor();
    expect(await page.getByRole('button').count()).toBe(0);
    await shop.twin.call('PUT', '/config', { apiMode: 'open', apiKey: '' }, key);
  });

  /** Looks at the page in each of its states. */
  async function inEveryState(page: Page, look: (state: string) => Promise<void>): Promise<void> {
    const { scanner, scale } = scripts(shop.twin);
    await page.locator('main button.main').first().waitFor();
    await look('choice');
    await page.goto(`${shop.twin.url}/certify#scanner`);
    await page.locator('main section').nth(1).waitFor({ state: 'detached' });
    await begin(page);
    for (const id of ['make', 'replug', 'where', 'code-2', 'code-5']) {
      const from = scanner.findIndex(([each]) => each === id);
      const rest =
        id === 'make' ? scanner : scanner.slice(scanner.findIndex(([each]) => each === STOPS[STOPS.indexOf(id) - 1]));
      await goThrough(page, rest.slice(0, from + 1), id);
      await look(id);
    }
    await goThrough(page, scanner.slice(-1));
    await page.locator('a[download]').waitFor();
    await look('done');
    await page.goto(`${shop.twin.url}/certify#scale`);
    await page.reload();
    await begin(page);
    await goThrough(page, scale, 'zero');
    const nothing: Script = [
      ...['zero', 'coin'].map(skipped),
      ['weight', '>unknown'],
      ...['empty', 'off'].map(skipped),
    ];
    await goThrough(page, nothing);
    await page.locator('#ended.bad').waitFor();
    await look('failed');
  }
  const STOPS = ['make', 'replug', 'where', 'code-2', 'code-5'];

  /** In each of its states, in these looks, one of which is of a phone. */
  const hasNoViolation = async (page: Page, state: string, looks: readonly (readonly ['light' | 'dark', number])[]) => {
    await bringAxe(page);
    for (const [colorScheme, width] of looks) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      expect(await violationsOn(page), `${state}, ${colorScheme}, ${width} dots`).toEqual([]);
    }
  };

  it('has no violation, dark on a phone and light on a monitor, in English', { timeout: MINUTES }, async () => {
    await reset();
    const { page, complaints } = await at('', { locale: 'en' });
    await inEveryState(page, (state) =>
      hasNoViolation(page, state, [
        ['dark', 320],
        ['light', 1280],
      ]),
    );
    expect(complaints).toEqual([]);
  });

  it('has no violation, light on a phone and dark on a monitor, fits every screen, and says no word outside its catalogues, in German', {
    timeout: MINUTES,
  }, async () => {
    await reset();
    const { page, complaints } = await at('', { locale: 'de' });
    const sentences = sentencesIn('de');
    const faults: string[] = [];
    await inEveryState(page, async (state) => {
      await hasNoViolation(page, state, [
        ['light', 320],
        ['dark', 1280],
      ]);
      faults.push(...(await misfitsOn(page)).map((fault) => `${state}, ${fault}`));
      const isSaid = speaker(sentences, [...(await dataOf(shop.twin)), ...namesIn(openapi())]);
      for (const text of await textsOn(page)) if (!isSaid(text)) faults.push(`${state}: ${text}`);
    });
    expect(faults).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
