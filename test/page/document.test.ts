/** Each page is one document: small, cached, closed to everything but its node, and there at once. */
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { languages, openapi } from '../catalogues.ts';
import { describeWithPage, eventually } from './twin.ts';

const SIZE = 100_000;

interface Answer {
  readonly status: number | undefined;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: Buffer;
}

/** As it goes over the wire: fetch would take the coding off. */
const get = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
  new Promise<Answer>((resolve, reject) => {
    request(url, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    })
      .on('error', reject)
      .end();
  });

/** Every page of the twin, by its path. */
const { paths } = openapi() as { paths: Record<string, { get?: { responses: { 200: { content?: object } } } }> };
const PAGES = Object.keys(paths).filter((path) => 'text/html' in (paths[path]?.get?.responses[200].content ?? {}));

describeWithPage('each page', (shop) => {
  it('is found, the operator page among them', () => {
    expect(PAGES).toContain('/');
    expect(PAGES.length).toBeGreaterThan(1);
  });

  describe.each(PAGES)('%s', (path) => {
    it('is under 100 KB compressed in every language, and the same plain for a reader that takes no gzip', async () => {
      for (const language of languages) {
        const { headers, body } = await get(`${shop.twin.url}${path}`, {
          'Accept-Encoding': 'gzip',
          'Accept-Language': language,
        });
        expect(headers['content-language']).toBe(language);
        expect(body.length, language).toBeLessThan(SIZE);
      }
      const compressed = await get(`${shop.twin.url}${path}`, { 'Accept-Encoding': 'br, gzip' });
      const plain = await get(`${shop.twin.url}${path}`, { 'Accept-Encoding': 'gzip;q=0, identity' });
      expect(compressed.headers['content-encoding']).toBe('gzip');
      expect(compressed.body.length).toBeLessThan(SIZE);
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(plain.body.equals(gunzipSync(compressed.body))).toBe(true);
      expect(compressed.headers['etag']).not.toBe(plain.headers['etag']);
      expect(plain.headers['vary']).toBe('Accept-Encoding, Accept-Language, Cookie');
    });

    it('is asked for each time and sent once', async () => {
      const first = await get(`${shop.twin.url}${path}`);
      expect(first.headers).toMatchObject({ 'cache-control': 'no-cache', 'content-type': 'text/html; charset=utf-8' });
      const etag = String(first.headers['etag']);
      for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await get(`${shop.twin.url}${path}`, { 'If-None-Match': tag });
        expect([again.status, again.body.length]).toEqual([304, 0]);
      }
      expect((await get(`${shop.twin.url}${path}`, { 'If-None-Match': '"other"' })).status).toBe(200);
      const head = await get(`${shop.twin.url}${path}`, {}, 'HEAD');
      expect(head.status).toBe(200);
      expect(head.headers['content-length']).toBe(String(first.body.length));
    });

    it('lets nothing run or load that did not come with it', async () => {
      const { headers, body } = await get(`${shop.twin.url}${path}`);
      const policy = String(headers['content-security-policy']);
      for (const directive of [
        "default-src 'none'",
        "connect-src 'self'",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
      ]) {
        expect(policy.split('; ')).toContain(directive);
      }
      expect(policy).not.toMatch(/unsafe|https?:/);
      expect(policy).toMatch(/script-src 'sha256-[^' ]+'; style-src 'sha256-[^' ]+'/);
      expect(body.toString()).not.toMatch(/<(script|link|img)[^>]+(src|href)="?(http|\/)/);
    });
  });
});

describeWithPage('the operator page', (shop) => {
  it('may be come to by a link from elsewhere, and still answers no other page', async () => {
    const elsewhere = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };
    expect((await get(shop.twin.url, elsewhere)).status).toBe(200);
    expect((await get(shop.twin.url, { ...elsewhere, 'Sec-Fetch-Dest': 'iframe' })).status).toBe(403);
  });

  it('is painted from one response: heading and landmarks stand there before the node said anything more', async () => {
    const context = await shop.browser.newContext();
    const page = await context.newPage();
    const asked: string[] = [];
    // Nothing but the document is ever answered.
    await page.route('**/*', (route) => {
      asked.push(new URL(route.request().url()).pathname);
      if (route.request().isNavigationRequest()) void route.continue();
    });
    await page.goto(shop.twin.url, { waitUntil: 'commit' });
    const paints = "performance.getEntriesByName('first-contentful-paint').length";
    await eventually(async () => (await page.evaluate(paints)) === 1);
    await page.getByRole('heading', { level: 1, name: 'tillnode' }).waitFor();
    expect(await page.getByRole('main').isVisible()).toBe(true);
    expect(
      asked.filter(
        (path) => !['/status', '/config', '/events', '/network', '/scans', '/jobs', '/camera/frame'].includes(path),
      ),
    ).toEqual(['/']);
  });

  it('has all of its overview one round trip after the document, however long that takes', async () => {
    const context = await shop.browser.newContext({ locale: 'de-DE' });
    const page = await context.newPage();
    const asked: string[] = [];
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let over = false;
    await page.route('**/*', async (route) => {
      if (route.request().isNavigationRequest()) return route.continue();
      // What is asked for only once something was answered would be a second round trip.
      if (over) return route.abort();
      asked.push(new URL(route.request().url()).pathname);
      await answered;
      return route.continue();
    });
    await page.goto(shop.twin.url, { waitUntil: 'commit' });
    await eventually(async () => ['/status', '/config', '/network'].every((path) => asked.includes(path)));
    over = true;
    answer();
    await page.locator('main .state .good').first().waitFor();
    await page.getByText(/^http:.*local/).waitFor();
    await context.close();
  });

  it('has its skeleton in the document itself, styled', async () => {
    const context = await shop.browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    const asked: string[] = [];
    page.on('request', (each) => asked.push(new URL(each.url()).pathname));
    await page.goto(shop.twin.url);
    for (const role of ['banner', 'navigation', 'main'] as const) {
      expect(await page.getByRole(role).count(), role).toBe(1);
    }
    expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true);
    // The panel stands beside the menu, not below it.
    expect((await page.getByRole('main').boundingBox())?.x).toBeGreaterThan(200);
    expect(asked).toEqual(['/']);
  });
});
