/** The page of operators, in a browser, on every screen, by keys, and in each language. */
import { expect, it } from 'vitest';
import { tablesIn } from '../../runtime/assembly/page/word-files.ts';
import { languages } from '../catalogues.ts';
import { makeImage } from '../made-images.ts';
import { bringAxe, misfitsOn, violationsOn } from '../page/looks.ts';
import { heartbeat, type RunningFleet } from './fleet.ts';
import { describeOperators, enters, manyNodes, show } from './operators.ts';

const VIEWS = [
  'nodes',
  'sites',
  'site/Graz',
  'alerts',
  'history',
  'history?by=days',
  'rollouts',
  'recipes',
  'settings',
  'people',
  'audit',
];

describeOperators('the page of operators', ({ started, comes, signedIn }) => {
  const fullOfThings = async (fleet: RunningFleet) => {
    await manyNodes(fleet);
    await fleet.call('PUT', '/api/nodes/node-007', { site: 'Graz', name: 'W'.repeat(64), notes: 'n'.repeat(500) });
    for (let at = 0; at < 60; at += 1) await fleet.call('PUT', `/api/sites/${at} ${'w'.repeat(60)}`, {});
    await fleet.beat(heartbeat({ node: 'W'.repeat(64), crash: { reason: 'w'.repeat(64), uptimeSeconds: 1 } }));
    await fleet.call('POST', '/heartbeat', '{');
    await fleet.call('POST', '/api/releases', makeImage({ variant: 'wifi', version: '0.3.0' }));
    await fleet.call('POST', '/api/rollouts', { variant: 'wifi', version: '0.3.0' });
    await fleet.call('PUT', '/api/recipes', { text: '{"maker": "Acme", "rows": []}', note: 'n'.repeat(200) });
  };

  it('is for everybody, and full of things: it fits every screen, and axe finds nothing, light or dark', {
    timeout: 600_000,
  }, async () => {
    const { fleet, page, complaints } = await signedIn(fullOfThings, '', { locale: 'de-DE' });
    const misfits: string[] = [];
    for (const view of [...VIEWS, 'node/node-007', `node/${'W'.repeat(64)}`, 'rollout/1']) {
      await show(page, view);
      misfits.push(...(await misfitsOn(page)).map((fault) => `${view}, ${fault}`));
    }
    expect(misfits).toEqual([]);
    expect(complaints).toEqual([]);
    for (const [colorScheme, width, locale] of [
      ['light', 320, 'de'],
      ['dark', 1280, 'en'],
      ['light', 360, 'ar'],
    ] as const) {
      const look = { colorScheme, locale, viewport: { width, height: 800 } };
      const { page: other, complaints: others } = await comes(fleet, '', look);
      expect(await other.evaluate('document.documentElement.dir')).toBe(locale === 'ar' ? 'rtl' : 'ltr');
      await enters(other);
      await bringAxe(other);
      for (const view of [...VIEWS, 'node/node-007', 'rollout/1']) {
        await show(other, view);
        expect(await violationsOn(other), `${view}, ${colorScheme}`).toEqual([]);
        expect(await other.evaluate('document.documentElement.scrollWidth'), view).toBeLessThanOrEqual(width);
      }
      await other.locator('header button').click();
      await other.locator('input[type=password]').waitFor();
      expect(await violationsOn(other), `signed out, ${colorScheme}`).toEqual([]);
      expect(others).toEqual([]);
    }
  });

  it('is walked by keys alone: past the menu, to a filter, to a node', async () => {
    const { page } = await signedIn(manyNodes);
    await page.reload();
    await page.getByText('Nodes that fit: 120').waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to Nodes');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H2');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Nodes that fit: 1', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'node-007' }).press('Enter');
    await page.locator('h2:focus').filter({ hasText: 'node-007' }).waitFor();
  });

  it('comes in each language, and its policy lets no other script or style in', async () => {
    const fleet = await started();
    const offered = languages.filter((each) => tablesIn('runtime/fleet/page/words')[each] !== undefined);
    expect(offered.length).toBeGreaterThan(7);
    for (const language of offered) {
      const { headers, text } = await fetch(`${fleet.url}/`, { headers: { 'Accept-Language': language } }).then(
        async (response) => ({ headers: response.headers, text: await response.text() }),
      );
      expect(text).toContain(`<html lang="${language}"`);
      expect(headers.get('content-security-policy')).toMatch(
        /default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-/,
      );
      const again = { 'Accept-Language': language, 'If-None-Match': headers.get('etag') ?? '' };
      expect((await fetch(`${fleet.url}/`, { headers: again })).status).toBe(304);
    }
  });
});
