/** What can be wrong with a page as it stands there: for axe, at every width, and of its words. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { stringsIn } from '../catalogues.ts';
import type { Twin } from './twin.ts';

interface Finding {
  readonly id: string;
  readonly nodes: ReadonlyArray<{ readonly html: string }>;
}

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const AUDIT = `axe.run({ runOnly: ${JSON.stringify(RULES)}, resultTypes: ['violations'] }).then(({ violations }) => violations)`;

/** Makes `violationsOn` possible in the document that is there now. */
export const bringAxe = (page: Page): Promise<unknown> => page.evaluate(axe.source);

/** What axe finds. */
export async function violationsOn(page: Page): Promise<string[]> {
  const found = (await page.evaluate(AUDIT)) as Finding[];
  return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

export const [NARROWEST, WIDEST] = [320, 1920];
const from = (first: number, step: number, count: number) =>
  Array.from({ length: count }, (_, at) => first + at * step);
/** Close together where the page changes how it is laid out, further apart where it only grows wider. */
const WIDTHS = [...from(NARROWEST, 20, 40), ...from(1120, 160, 6)];

/** What stands over the edge of the window or of its card, without having been given a place to be scrolled in. */
const OVER_THE_EDGE = `(() => {
  const over = [];
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) over.push('the document: ' + scrollWidth);
  for (const each of document.querySelectorAll('header *, nav *, main *')) {
    if (each.closest('.unseen, thead, .paper, .paper-text, .editor-text, svg, option') !== null) continue;
    const { left, right, width } = each.getBoundingClientRect();
    const card = each.parentElement.closest('.card')?.getBoundingClientRect();
    const [first, last] = [card?.left ?? 0, card?.right ?? clientWidth];
    if (width > 0 && (left < first - 0.5 || right > last + 0.5)) over.push(each.outerHTML.slice(0, 120));
  }
  return over.slice(0, 2);
})()`;

const WIDTH_AND_FAULTS = `[innerWidth, ...${OVER_THE_EDGE}]`;

/**
 * What does not fit, at every width from a small phone to a wide monitor, or at those that are named. The browser is asked by its own protocol: Playwright
 * waits at each width until the page was drawn, which nobody looks at.
 */
export async function misfitsOn(page: Page, widths: readonly number[] = WIDTHS): Promise<string[]> {
  const browser = await page.context().newCDPSession(page);
  const faults: string[] = [];
  for (const width of widths) {
    const screen = { width, height: 900, deviceScaleFactor: 1, mobile: false };
    const drawn = browser.send('Emulation.setDeviceMetricsOverride', screen);
    const { result } = await browser.send('Runtime.evaluate', { expression: WIDTH_AND_FAULTS, returnByValue: true });
    const [is, ...over] = result.value as [number, ...string[]];
    if (is !== width) over.push(`it is ${is} dots wide`);
    faults.push(...over.map((what) => `${width} dots: ${what}`));
    await drawn;
  }
  await browser.detach();
  await page.setViewportSize({ width: WIDEST, height: 900 });
  return faults;
}

/** What stands on the page to be read or to be read out, apart from what is marked as no words, or as of another language. */
const TEXTS = `(() => {
  const apart = 'code, pre, textarea, script, style, .languages, body [lang], [translate=no]';
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) if (!walker.currentNode.parentElement.closest(apart)) texts.push(walker.currentNode.data);
  for (const each of document.querySelectorAll('[aria-label], [alt], [title], [placeholder]')) {
    for (const name of ['aria-label', 'alt', 'title', 'placeholder']) texts.push(each.getAttribute(name) ?? '');
  }
  return texts.concat(document.title);
})()`;

export const textsOn = async (page: Page): Promise<string[]> => (await page.evaluate(TEXTS)) as string[];

/** What the node itself says: names of devices, addresses, codes. */
export async function dataOf(twin: Twin): Promise<string[]> {
  const paths = ['/status', '/config', '/network', '/bootlog', '/jobs', '/scans', '/scale', '/camera', '/cloud'];
  const answers = await Promise.all([...paths, '/devices/unknown'].map((path) => twin.call('GET', path)));
  const capture = await (await fetch(`${twin.url}/capture`)).text();
  const records = capture.split('\n').filter(Boolean);
  return [...stringsIn(answers), ...stringsIn(records.map((line) => JSON.parse(line))), twin.url, 'tillnode'];
}
